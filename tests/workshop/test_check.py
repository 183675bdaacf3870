"""`check`: what is wrong with a pack, and worlds that score otherwise than they must."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from cli.cli import app
from tests.kit.records import results_at
from workshop.simulator import worlds
from workshop.simulator.company.pack import BUNDLED_PACK as COMPANY_PACK
from workshop.simulator.store import shop as store_shop
from workshop.simulator.store.pack import BUNDLED_PACK as STORE_PACK
from workshop.simulator.world import Evaluation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "packs.md").read_text(encoding="utf-8")
SHOP, FIRM = map(json.loads, re.findall(r"(?ms)^```json\n(.*?)^```$", PAGE))
PRINTED = re.findall(r"(?ms)^```text\n(.*?)\n```$", PAGE)
"""The packs that the page shows, and what it says that the command prints."""


def checked(*words: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, words)])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(name: str, pack: object) -> str:
    Path(name).write_text(json.dumps(pack), encoding="utf-8")
    return name


def shop(**changes: Any) -> dict[str, Any]:
    first, *others = SHOP["scenarios"]
    return {**SHOP, "scenarios": [{**first, **changes}, *others]}


def test_the_packs_of_the_page_are_right_and_score_as_they_are_pasted() -> None:
    saved("tea.json", SHOP)
    saved("bakery.json", FIRM)
    assert checked("bakery.json").exit_code == 0
    block = PAGE.split("```\n")[1]
    commands = [line.split("  #")[0] for line in block.splitlines() if "pack of yours" in line]
    assert len(commands) == 3
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, done.output
    scores = [task["score"] for run in Path("logs").glob("*") for task in results_at(run)["tasks"]]
    assert scores == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("path", [STORE_PACK, COMPANY_PACK], ids=lambda path: path.stem)
def test_the_packs_that_come_with_the_project_are_right(path: Path) -> None:
    assert checked(path).exit_code == 0


def test_every_mistake_is_printed_and_none_is_played() -> None:
    products = [{**SHOP["scenarios"][0]["products"][0], "avaliable": 9}] * 20
    done = checked(saved("tea.json", shop(products=products, page_limit="5")))
    assert done.exit_code == 2
    *mistakes, last = done.stdout.splitlines()
    assert mistakes[1] == PRINTED[0]
    assert len(mistakes) == 21
    assert "page_limit: must be a valid integer, not '5'" in done.stdout
    assert last == "21 mistakes: nothing was played"


@pytest.mark.parametrize("text", ["", "[]", '{"format": "shop"}', '{"format":' * 10_000])
def test_what_is_no_pack_is_one_line(text: str) -> None:
    Path("no.json").write_text(text)
    done = checked("no.json")
    assert done.exit_code == 2
    assert done.stdout.startswith("no.json: ")
    assert len(done.stdout.splitlines()) == 2


def test_an_expectation_that_cannot_be_met_is_found_by_playing_it() -> None:
    expect = SHOP["scenarios"][0]["expect"]
    event = {**expect["any_of"][0], "items": [{"sku": "tea-green", "quantity": 50}]}
    wants_fifty = {"checkouts": 1, "any_of": [event]}
    products = [{**one, "available": 5} for one in SHOP["scenarios"][0]["products"]]
    path = saved("tea.json", shop(products=products, expect=wants_fifty))
    done = checked(path)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].startswith(PRINTED[1])
    assert "ok     no_coffee: 2 plays" in done.stdout
    told = json.loads(checked(path, "--json").stdout)
    assert (told["format"], [one["spec_id"] for one in told["worlds"] if one["wrong"]]) == (
        "check/1",
        ["two_teas"],
    )


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ({"outcomes": ["ok_answer"], "links": {"wiki": {"must": ["rules.md"]}}}, None),
        ({"outcomes": ["denied_security", "ok_not_found"]}, None),
        (
            {"outcomes": ["ok_answer"], "message": {"contains": ["Kiel"], "excludes": ["Ki"]}},
            "FAIL: expected message to NOT contain 'Ki'",
        ),
        (
            {
                "outcomes": ["ok_answer"],
                "events": [
                    {"type": "Evt_EmployeeSalaryUpdated", "employee": "mara_voss", "salary": 52000}
                ],
            },
            "expected event of type *erc3.Evt_EmployeeSalaryUpdated not found",
        ),
    ],
)
def test_a_company_is_played_from_its_expectation(expect: object, told: str | None) -> None:
    one = {**FIRM["scenarios"][0], "expect": expect}
    done = checked(saved("bakery.json", {**FIRM, "scenarios": [one]}))
    assert done.exit_code == (1 if told else 0), done.stdout
    assert (told or "ok     where_is_ben") in done.stdout


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"type": "Evt_EmployeeSalaryUpdated", "employee": "mara_voss"}, "'changes'"),
        ({"type": "Evt_WikiArticleUpdated", "file": "rules.md"}, "'content'"),
        ({"type": "Evt_EmployeeNoteUpdated", "notes": "x"}, "'employee'"),
    ],
)
def test_what_is_not_said_cannot_be_played(event: object, told: str) -> None:
    expect = {"outcomes": ["ok_answer"], "events": [event]}
    one = {**FIRM["scenarios"][0], "expect": expect}
    done = checked(saved("bakery.json", {**FIRM, "scenarios": [one]}))
    assert done.exit_code == 0
    assert f"does not say {told}" in done.stdout
    assert "1 not played" in done.stdout


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_scorer_that_is_blind_is_found_out(score: float, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = Evaluation(score, "")
    monkeypatch.setattr(store_shop, "evaluate", lambda *_: blind)
    done = checked(saved("tea.json", SHOP), "--json")
    assert done.exit_code == 1
    names = {line.partition(":")[0] for one in json.loads(done.stdout)["worlds"]
             for line in one["wrong"]}  # fmt: skip
    if score:
        assert names == {"a piece more", "a piece fewer", "another product too", "a purchase",
                         "without its coupon", "nothing bought"}  # fmt: skip
    else:
        assert names == {"as expected", "nothing bought"}


@pytest.mark.parametrize("benchmark", ["store", "company"])
def test_what_is_drawn_from_a_seed_is_right(benchmark: str) -> None:
    done = checked("--generated", "check:30", "--benchmark", benchmark)
    assert done.exit_code == 0, done.stdout
    assert done.stdout.count("ok     gen-check-") == 30


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "name one: a pack file"),
        (["tea.json", "--generated", "7:2"], "name one"),
        (["--generated", "7"], "count"),
        (["--generated", "7:2:dificulty=easy"], "there is no option 'dificulty'"),
        (["--generated", "7:2", "--benchmark", "shop"], "there is no benchmark 'shop'"),
        (["--schema", "stor"], "did you mean store?"),
    ],
)
def test_a_command_that_is_wrong_says_what_is_right(words: list[str], told: str) -> None:
    done = checked(*words)
    assert done.exit_code == 2
    assert told in done.output


@pytest.mark.parametrize(
    ("benchmark", "packs"),
    [
        ("store", [SHOP, json.loads(STORE_PACK.read_text(encoding="utf-8"))]),
        ("company", [FIRM, json.loads(COMPANY_PACK.read_text(encoding="utf-8"))]),
    ],
    ids=["store", "company"],
)
def test_the_schema_takes_what_the_models_take(benchmark: str, packs: list[Any]) -> None:
    schema = json.loads(checked("--schema", benchmark).stdout)
    assert schema == worlds.world_of(worlds.FORMATS[benchmark]).pack.model_json_schema()
    for pack in packs:
        jsonschema.validate(pack, schema)
    if benchmark == "company":
        event = {"type": "Evt_EmployeeSalaryUpdated", "employee": "x", "salry": 1}
        expect = {"outcomes": ["ok_answer"], "events": [event]}
        one = {**packs[0]["scenarios"][0], "expect": expect}
        with pytest.raises(jsonschema.ValidationError, match="salry"):
            jsonschema.validate({**packs[0], "scenarios": [one]}, schema)
    broken = {**packs[0], "scenarios": [{**packs[0]["scenarios"][0], "expect": {}}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)
