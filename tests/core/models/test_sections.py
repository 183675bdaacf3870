"""A folder of changed prompt sections: what is taken, and what is refused in which words."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from core.models.prompts import prompt, template_sections
from core.models.sections import SectionError, checked, prompt_overrides, tags, write_out

SHIPPED = {
    "evaluator/system": "You decide.\n{{ rules }}\nby {{ guide }}",
    "worker/system": "{% for t in tools -%}\n{{ t }}\n{% endfor -%}\nend",
    "store/rules": "Buy what is asked.",
    "store/tools/Empty": "",
}


SURROUNDINGS = {"data", "whitespace", "variable_begin", "variable_end"}
"""Tokens of Jinja beside the names of placeholders."""


def test_what_is_written_out_and_laid_over_changes_nothing(tmp_path: Path) -> None:
    write_out(SHIPPED, tmp_path / "p")
    assert prompt_overrides(tmp_path / "p", SHIPPED) == {}


def test_only_what_differs_is_laid_over(tmp_path: Path) -> None:
    write_out(SHIPPED, tmp_path)
    (tmp_path / "store/rules.md").write_bytes("\ufeffBuy nothing.\r\nAt all.\n\n".encode())
    assert prompt_overrides(tmp_path, SHIPPED) == {"store/rules": "Buy nothing.\nAt all."}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("store/rulez", "x", "there is no section 'store/rulez'; did you mean store/rules"),
        ("evaluator/system", "{{ rules }}", "the placeholder {{ guide }} is missing"),
        ("evaluator/system", "{{ rules }}{{ giude }}", "did you mean {{ guide }}"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ ''.__class__ }}", "unknown placeholder"),
        ("evaluator/system", "{{ rules }}{{ guide }}{# x #}", "unknown placeholder {#"),
        ("evaluator/system", "{{ rules }}{{ guide }}{% raw %}{% endraw %}", "unknown placeholder"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ guide", "unknown placeholder"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ '", "unknown placeholder"),
        ("store/rules", "{{ rules }}", "it has no placeholders"),
        ("store/rules", "{% for i in range(9) %}{% endfor %}", "it has no placeholders"),
        ("worker/system", "{% endfor %}{{ t }}{% for t in tools %}", "must be in this order"),
        ("store/rules", "x" * 50_001, "at most 50,000"),
        ("evaluator/system", "{{ guide }}" + "{{ rules }}" * 11, "{{ rules }} occurs 11 times"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(name: str, text: str, says: str) -> None:
    with pytest.raises(SectionError) as refused:
        checked(name, text, SHIPPED)
    assert says in str(refused.value)


def test_placeholders_may_move_and_be_repeated() -> None:
    text = "{{guide}}, again {{  guide  }}; {{- rules -}}"
    assert checked("evaluator/system", text, SHIPPED) == text


@given(st.text(alphabet="{}%# abcrules_guid.()'\n", max_size=60))
def test_no_other_tag_ever_gets_through(text: str) -> None:
    try:
        accepted = checked("evaluator/system", text, SHIPPED)
    except SectionError:
        return
    assert set(tags(accepted)) == {"{{ rules }}", "{{ guide }}"}
    tokens = [(kind, value) for _, kind, value in Environment(autoescape=True).lex(accepted)]
    assert {value for kind, value in tokens if kind not in SURROUNDINGS} == {"rules", "guide"}


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [("notes.txt", b"x", "is a file NAME.md"), ("store/rules.md", b"\xff", "is not UTF-8 text")],
)
def test_files_that_are_none(tmp_path: Path, file: str, content: bytes, says: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(SectionError) as refused:
        prompt_overrides(tmp_path, SHIPPED)
    assert says in str(refused.value)


def test_a_folder_must_be_there_and_one_to_write_to_empty(tmp_path: Path) -> None:
    with pytest.raises(SectionError):
        prompt_overrides(tmp_path / "none", SHIPPED)
    (tmp_path / "mine").write_text("x")
    with pytest.raises(SectionError):
        write_out(SHIPPED, tmp_path)


def linked_out(path: Path) -> None:
    outside = path.parents[2] / "outside.md"
    outside.write_text("secret")
    path.symlink_to(outside)


def linked_folder(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parents[2] / "elsewhere")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (linked_out, "rules.md: is a symbolic link"),
        (linked_folder, "store: is a symbolic link"),
        (lambda path: os.mkfifo(path), "rules.md: is not a regular file"),
        (lambda path: path.write_text("x" * 200_001), "rules.md: is larger than 200,000 bytes"),
    ],
)
@pytest.mark.timeout(20)
def test_only_regular_files_of_the_folder_itself_are_read(
    tmp_path: Path, make: Callable[[Path], None], says: str
) -> None:
    path = tmp_path / "mine/store/rules.md"
    path.parent.mkdir(parents=True)
    make(path)
    with pytest.raises(SectionError) as refused:
        prompt_overrides(tmp_path / "mine", SHIPPED)
    assert says in str(refused.value)


def test_a_prompt_ends_where_it_is_too_long() -> None:
    (name,) = shipped = template_sections("evaluator", "system")
    texts = {name: checked(name, shipped[name] + "{{ rules }}" * 9, shipped)}
    values = {"guide": "", "form": ""}
    assert prompt("evaluator", "system", texts, rules="r", **values).endswith("r" * 9)
    with pytest.raises(SectionError, match=r"evaluator/system has more than 400,000 characters"):
        prompt("evaluator", "system", texts, rules="r" * 50_000, **values)
