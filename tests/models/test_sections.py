"""A folder of sections over the shipped ones: what is taken, and what is refused in which words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.sections import SectionError, checked, laid_over, tags, write_out

SHIPPED = {
    "evaluator/system": "You decide.\n{{ rules }}\nby {{ guide }}",
    "worker/system": "{% for t in tools -%}\n{{ t }}\n{% endfor -%}\nend",
    "store/rules": "Buy what is asked.",
    "store/tools/Empty": "",
}


def test_what_is_written_out_and_laid_over_changes_nothing(tmp_path: Path) -> None:
    write_out(SHIPPED, tmp_path / "p")
    assert laid_over(tmp_path / "p", SHIPPED) == {}


def test_only_what_differs_is_laid_over(tmp_path: Path) -> None:
    write_out(SHIPPED, tmp_path)
    (tmp_path / "store/rules.md").write_bytes("\ufeffBuy nothing.\r\nAt all.\n\n".encode())
    assert laid_over(tmp_path, SHIPPED) == {"store/rules": "Buy nothing.\nAt all."}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("store/rulez", "x", "there is no section 'store/rulez'; the nearest is 'store/rules'"),
        ("evaluator/system", "{{ rules }}", "the placeholder {{ guide }} is missing"),
        ("evaluator/system", "{{ rules }}{{ giude }}", "the nearest is {{ guide }}"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ ''.__class__ }}", "is not known"),
        ("evaluator/system", "{{ rules }}{{ guide }}{# x #}", "{# is not known"),
        ("evaluator/system", "{{ rules }}{{ guide }}{% raw %}{% endraw %}", "is not known"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ guide", "is not known"),
        ("evaluator/system", "{{ rules }}{{ guide }}{{ '", "section evaluator/system, line 1"),
        ("store/rules", "{{ rules }}", "it takes none"),
        ("store/rules", "{% for i in range(9) %}{% endfor %}", "it takes none"),
        ("worker/system", "{% endfor %}{{ t }}{% for t in tools %}", "must stand in this order"),
        ("store/rules", "x" * 50_001, "at most 50,000"),
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
        taken = checked("evaluator/system", text, SHIPPED)
    except SectionError:
        return
    assert set(tags(taken)) == {"{{ rules }}", "{{ guide }}"}


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [("notes.txt", b"x", "is a file NAME.md"), ("store/rules.md", b"\xff", "is not UTF-8 text")],
)
def test_files_that_are_none(tmp_path: Path, file: str, content: bytes, says: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(SectionError) as refused:
        laid_over(tmp_path, SHIPPED)
    assert says in str(refused.value)


def test_a_folder_must_be_there_and_one_to_write_to_empty(tmp_path: Path) -> None:
    with pytest.raises(SectionError):
        laid_over(tmp_path / "none", SHIPPED)
    (tmp_path / "mine").write_text("x")
    with pytest.raises(SectionError):
        write_out(SHIPPED, tmp_path)
