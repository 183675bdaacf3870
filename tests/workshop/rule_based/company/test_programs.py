"""Programs are short, and plain enough for the sandbox that knows least of Python."""

from __future__ import annotations

import ast

import pytest

from workshop.rule_based.company import programs

EVERY = sorted({*programs._READS, *programs._WRITES})
BEYOND = (ast.Yield, ast.YieldFrom, ast.ClassDef, ast.With, ast.Import, ast.ImportFrom, ast.Global)


@pytest.mark.parametrize("name", EVERY)
def test_a_program_has_at_most_25_lines_and_says_what_it_is_for(name: str) -> None:
    code = programs.code(name, {"x": 1})
    assert len(code.strip().splitlines()) <= 25
    assert programs.purpose(name).endswith(".")
    assert f"# {programs.purpose(name)}" in code


@pytest.mark.parametrize("name", EVERY)
def test_a_program_uses_nothing_that_the_smaller_sandbox_lacks(name: str) -> None:
    tree = ast.parse(programs.code(name, {"x": 1}))
    assert not [node for node in ast.walk(tree) if isinstance(node, BEYOND)]
    (last,) = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "final_answer"]
    assert last.lineno == len(programs.code(name, {"x": 1}).strip().splitlines())


@pytest.mark.parametrize("name", sorted(programs.WRITES))
def test_a_change_looks_for_rules_first_where_not_all_is_told(name: str) -> None:
    code = programs.code(name, {"unless": "tickets?"})
    assert code.index("Combo_Search_Wiki_For_Words") < code.index("made =")
