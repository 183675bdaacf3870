"""What the texts for people name is there: in documents, and in docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex

from tests import api_tables, option_tables, promises
from tests.mutation import stored_rows

ROOT = Path(__file__).parents[1]
TEXTS = [
    ROOT / "README.md",
    ROOT / "AGENTS.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
_PATH = regex.compile(r"`([a-z][\w.-]*(?:/[\w.-]+)+/?)`")
_LINK = regex.compile(r"\]\((?!https?:)([^)#\s]+)")
_MODULE = regex.compile(r"``?([a-z]\w*(?:\.\w+)+)``?")
PACKAGES = [
    "cli", "company_tools", "coordinator", "core", "evaluator", "next_step", "playbooks",
    "store_tools", "worker", "workshop",
]  # fmt: skip
ROOMS = {path.name for path in ROOT.iterdir() if path.is_dir()}


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.name)
def test_files_that_a_text_names_exist(text: Path) -> None:
    said = text.read_text(encoding="utf-8")
    named = [p for p in _PATH.findall(said) if p.split("/")[0] in ROOMS - {"logs"}]
    missing = [p for p in named if "NAME" not in p and not (ROOT / p).exists()]
    missing += [p for p in _LINK.findall(said) if not (text.parent / p).exists()]
    assert not missing


def docstrings_of(path: Path) -> Iterator[str]:
    """Every text in a module that stands alone, as docstrings do."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value


@cache
def is_there(named: str) -> bool:
    """Whether a path is one of the repository, or a module of it with a name in it."""
    if (ROOT / named).exists():
        return True
    parts = named.split(".")
    heads = (ROOT.joinpath(*parts[:size]) for size in range(len(parts), 1, -1))
    return any(head.is_dir() or head.with_suffix(".py").is_file() for head in heads)


@pytest.mark.parametrize("package", PACKAGES)
def test_files_and_modules_that_docstrings_name_exist(package: str) -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {named}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for text in docstrings_of(path)
        for named in (*_PATH.findall(text), *_MODULE.findall(text))
        if named.replace(".", "/").split("/")[0] in PACKAGES
        and not named.isupper()
        and "NAME" not in named
        and not is_there(named)
    ]
    assert not missing


def test_the_page_of_promises_is_up_to_date() -> None:
    written = promises.PAGE.read_text(encoding="utf-8")
    assert written == promises.page(), "write it: python -m tests.promises"


def test_the_tables_of_requests_are_those_of_the_wire_models() -> None:
    written = api_tables.PAGE.read_text(encoding="utf-8")
    assert written == api_tables.with_tables(written), "write them: python -m tests.api_tables"


def test_every_promise_is_held_by_day_and_no_test_holds_another() -> None:
    tests = promises.held()
    assert {one.promise for one in tests} == set(promises.PROMISES)
    assert {one.promise for one in tests if not one.nightly} == set(promises.PROMISES)


def test_no_mark_of_a_promise_is_overlooked() -> None:
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    marks = sum(
        len(regex.findall(r"^ *@pytest.mark.promise\(", text, regex.MULTILINE)) for text in files
    )
    assert len(promises.held()) == marks > 0


@pytest.mark.parametrize("row", stored_rows(), ids=lambda row: row["module"])
def test_a_stored_count_of_mutants_is_of_files_that_exist(row: dict[str, Any]) -> None:
    named = [row["module"], *row["tests"], *row["marked"]]
    assert [one for one in named if not (ROOT / one).exists()] == []
    assert ("noticed" in row) == ("mutants" in row)
    assert 0 < row.get("noticed", 1) <= row.get("mutants", 1)


@pytest.mark.parametrize("page", option_tables.PAGES, ids=lambda page: page.name)
def test_the_tables_of_options_are_those_of_the_command_line(page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    made = option_tables.with_table(written, option_tables.PAGES[page])
    assert written == made, "write them: python -m tests.option_tables"
