"""The commands as a user types them: texts, files and exit codes."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.cli import app

PackFile = Callable[..., Path]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_regress_leaves_a_run_and_a_report(tmp_path: Path, pack_file: PackFile) -> None:
    done = call(
        "regress",
        *("--pack", pack_file(2), "--jobs", 1, "--out", tmp_path / "logs", "--json"),
    )
    assert done.exit_code == 0, done.output
    run = json.loads(done.stdout)
    assert run["format"] == "run-results/3"
    assert [s["name"] for s in run["summaries"]] == ["agent", "nothing", "first-match"]
    assert run["summaries"][0]["passed"]["passed"] == 2
    again = call("regress", "--resume", tmp_path / "logs" / run["run_id"])
    assert again.exit_code == 0
    assert "do nothing" in again.stdout
    fine = call("minimise", "--run", tmp_path / "logs" / run["run_id"], "--spec", "s000")
    assert (fine.exit_code, "nothing to minimise" in fine.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pack", "nowhere.json"), "cannot be read"),
        (("--pack", "generated:1:0"), "greater than or equal to 1"),
        (("--pack", "bundled", "--pack", "bundled"), "two packs are named"),
        (("--strategy", "both"), "'both' is not one of"),
        (("--strategy", "next-step", "--worker", "x"), "asks one model"),
        (("--resume", "nowhere"), "there is no run 'nowhere'"),
        (("--resume", "."), "is not a run folder"),
        (("--resume", "nowhere", "--pack", "bundled"), "uses the packs"),
        (("--scheduler", "tcp://127.0.0.1:1", "--keep-journals"), "cannot be combined"),
        (("--scheduler", "tcp://127.0.0.1:1", "--agent", "true"), "leave out --scheduler"),
        (("--stages", "verfy"), "there is no stage 'verfy'"),
        (("--max-turns", "51"), "50"),
        (("--agents-side-by-side", "2"), "need --agent"),
        (("--agent", "true", "--guards", "none"), "leave out --guards"),
        (("--agent", "true", "--jobs", "2", "--evaluator", "x"), "leave out --evaluator, --jobs"),
        (("--agent", "true", "--benchmark", "chess"), "does not play 'chess'"),
        (("--agent", "true", "--agents-side-by-side", "0"), "greater than or equal"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = call("regress", *arguments, "--out", tmp_path / "logs")
    assert done.exit_code == 2
    assert said in " ".join(done.output.replace("│", " ").split())
    assert not list((tmp_path / "logs").glob("*"))


def test_kept_journals_are_told_in_the_page(tmp_path: Path, pack_file: PackFile) -> None:
    first, second = pack_file(2, code="TWO"), pack_file(2, "q", code="TWO")
    second.write_text(second.read_text().replace("Buy 2x", "Please buy 2x"))
    packs = ("--pack", first, "--pack", second)
    runs = []
    for turns in (7, 1):
        logs = tmp_path / f"logs-{turns}"
        options = ("--out", logs, "--jobs", 1, "--keep-journals", "--max-turns", turns)
        call("regress", *packs, *options)
        runs += logs.iterdir()
    call("report", *runs, "--out", tmp_path / "pair.html")
    page = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert '<th scope="row">option max_turns</th><td>7</td><td>1</td>' in page
    packed = re.findall(r'id="story-\d+">(.*?)</script>', page)
    stories = [zlib.decompress(base64.b64decode(text)).decode() for text in packed]
    assert len(stories) == 4  # both packs have the same two specs
    assert sum("First difference" in story for story in stories) == 2  # the purchases
    assert sum("Please buy" in story for story in stories) == 2
    assert any("final_answer" in story for story in stories)


def test_a_failing_scenario_becomes_a_pack_of_one(
    tmp_path: Path, shop_json: Callable[..., Any], goods: Callable[..., Any]
) -> None:
    event = {"items": [{"sku": "cord", "quantity": 1}]}
    shop = shop_json(
        *(goods(f"x{n}", f"Garden Rake {n}", 9) for n in range(3)),
        goods("cord", "Cord", 5),
        expect={"checkouts": 1, "any_of": [event]},
    )
    pack, out = tmp_path / "pack.json", tmp_path / "small.json"
    body = {"format": "store-pack/1", "name": "p", "scenarios": [shop]}
    pack.write_text(json.dumps(body), encoding="utf-8")
    logs = tmp_path / "logs"
    model = "scripted/store?errors=1&kinds=early-decline"
    call("regress", "--pack", pack, "--out", logs, "--jobs", 1, "--evaluator", model)
    run = ("--run", "latest", "--logs", logs)
    done = call("minimise", *run, "--spec", "shop", "--out", out)
    assert done.exit_code == 0, done.output
    (small,) = json.loads(out.read_text(encoding="utf-8"))["scenarios"]
    assert [p["sku"] for p in small["products"]] == ["cord"]
    missing = call("minimise", *run, "--spec", "other")
    assert (missing.exit_code, "no scenario 'other'; it has: shop" in missing.output) == (2, True)
    assert "did you mean shop?" in call("minimise", *run, "--spec", "shp").output
