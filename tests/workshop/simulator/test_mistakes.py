"""Mistakes in a pack: `mistakes/` has what is changed in a small one, and what is said of it then.

A line `scenario JSON` replaces fields of the scenario, `company JSON` tables of its company, `pack
JSON` fields of the pack. The indented lines behind are the mistakes, without the name of the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workshop.simulator.company import bakery
from tests.workshop.simulator.conftest import tea_scenario
from workshop.simulator.pack_files import PackError
from workshop.simulator.worlds import load_pack, read_pack

FOLDER = Path(__file__).with_name("mistakes")


def cases(path: Path) -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[-1][1].append(line[2:])
        elif line:
            found.append((line, []))
    return found


def changed(kind: str, line: str) -> str:
    """The small pack of a kind with the change of a line."""
    what, _, text = line.partition(" ")
    change = json.loads(text)
    scenario: dict[str, Any] = change if what == "scenario" else {}
    if kind == "store":
        raw = {"format": "store-pack/1", "name": "x", "scenarios": [tea_scenario(**scenario)]}
    else:
        company = bakery.bakery(**(change if what == "company" else {}))
        raw = bakery.raw_of(bakery.scenario(**scenario), rye=company)
    return json.dumps(raw | (change if what == "pack" else {}))


@pytest.mark.parametrize(
    ("kind", "line", "told"),
    [(path.stem, *case) for path in sorted(FOLDER.glob("*.txt")) for case in cases(path)],
)
def test_every_mistake_is_named_with_its_place_and_what_is_right(
    kind: str, line: str, told: list[str]
) -> None:
    with pytest.raises(PackError) as caught:
        read_pack(changed(kind, line), "x.json")
    assert [one.removeprefix("x.json: ") for one in caught.value.mistakes] == told


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"absent\.json: cannot be read: No such file"):
        load_pack(tmp_path / "absent.json")
    (tmp_path / "latin.json").write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(PackError, match=r"latin\.json: is not UTF-8 text \(byte 10\)"):
        load_pack(tmp_path / "latin.json")
    (tmp_path / "cut.json").write_text('{"format": ')
    with pytest.raises(PackError, match=r"cut\.json: is not JSON: .*line 1 column"):
        load_pack(tmp_path / "cut.json")


def test_of_many_mistakes_some_are_shown() -> None:
    with pytest.raises(PackError) as caught:
        read_pack(changed("store", json.dumps({"products": [{}] * 10}).join(["scenario ", ""])))
    lines = str(caught.value).splitlines()
    assert (len(lines), len(caught.value.mistakes)) == (9, 40)
    assert lines[-1] == "and 32 more; the command check shows all"


@pytest.mark.parametrize(
    "change",
    [
        {"mechanic": "plain", "why": "a note of another tool", "mechanics": 3},
        {
            "coupons": [{"code": "X", "discount": None, "requires": {"not-sold": 1}}],
            "expect": {"checkouts": 0},
        },
        {"faults": [{"on": "/tasks/view", "nth": 2, "kind": "delay", "seconds": 1, "times": 2}]},
    ],
)
def test_what_a_shop_may_say(change: dict[str, Any]) -> None:
    assert read_pack(changed("store", f"scenario {json.dumps(change)}")).scenarios
