"""Documents, messages and docstrings use plain English, and none of a few phrases that do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import regex

ROOT = Path(__file__).parents[1]
GENERATED = {"promises.md"}
"""Made of the names of tests."""
DOCUMENTS = [
    path
    for folder in (ROOT, ROOT / "docs")
    for path in sorted(folder.glob("*.md"))
    if path.name not in GENERATED
]
PACKAGES = ["cli", "coordinator", "core", "workshop"]
"""Packages whose strings are messages for users."""
FOR_MODELS = ("workshop/generators/", "workshop/perf/", "workshop/canned/")
"""Strings there are tasks, wikis and replies, or stand in prompts."""
EVERYWHERE = {
    r"amiss": "wrong",
    r"anew": "again, new",
    r"ask(?:s|ed|ing)? back": "send back, ask again",
    r"for want of": "without, because there is no",
    r"laid over|lays? over": "replace, override",
    r"mend(?:s|ed|ing)?": "fix",
    r"telephone": "phone",
    r"the house": "the project",
}
"""Phrases as patterns, each with what to write instead."""
FOR_USERS = EVERYWHERE | {
    r"the dearest": "the most expensive",
    r"(?:is|are|was|were) told": "name who says it: the error says, the model sees",
    r"(?:go|goes|going|went) on with": "resume, continue",
    r"(?<!there )is no (?!longer|more|such|evidence|reason)\w+": "is not a",
    r"nobody answers": "no answer from",
    r"of ours": "our own, this project's",
    r"once more to": "again to",
    r"outside of the agent": "external",
    r"the rooms": "the packages",
    r"\d signs": "characters",
    r"stands? (?:in|there|behind)": "is in, follows",
    r"where there is none": "if there is none",
    r"which is none": "which is not one",
}
_CODE = regex.compile(r"(?s)```.*?```|`[^`\n]*`")


def problems(text: str, phrases: dict[str, str]) -> list[str]:
    """The phrases of a list that a text contains, each with what to write instead."""
    return [
        f"{match[0]!r}: write {instead!r}"
        for phrase, instead in phrases.items()
        for match in regex.finditer(rf"(?i)(?<![\w-])(?:{phrase})(?![\w-])", " ".join(text.split()))
    ]


def strings(path: Path) -> tuple[list[str], list[str]]:
    """The docstrings of a module, and all other strings that have more than one word."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    docstrings, messages = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            (docstrings if id(node) in alone else messages).append(node.value)
    return docstrings, messages


def modules(packages: list[str]) -> Iterator[Path]:
    """The modules of packages, in order."""
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def test_the_list_finds_a_phrase_but_no_part_of_a_word() -> None:
    found = problems("It is\ntold anew, not renewed; a stand-in stands in.", FOR_USERS)
    assert [one.split(":")[0] for one in found] == ["'anew'", "'is told'", "'stands in'"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_uses_plain_words(document: Path) -> None:
    text = _CODE.sub("", document.read_text(encoding="utf-8"))
    assert not problems(text, FOR_USERS)


def test_messages_use_plain_words() -> None:
    wrong = [
        f"{name}: {problem} in {text[:80]!r}"
        for path in modules(PACKAGES)
        if not (name := path.relative_to(ROOT).as_posix()).startswith(FOR_MODELS)
        for text in strings(path)[1]
        for problem in problems(text, FOR_USERS)
    ]
    assert not wrong, "\n".join(wrong)


def test_docstrings_use_plain_words() -> None:
    packages = [path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()]
    wrong = [
        f"{path.relative_to(ROOT)}: {problem} in {text[:80]!r}"
        for path in modules(sorted(packages))
        for text in strings(path)[0]
        for problem in problems(text, EVERYWHERE)
    ]
    assert not wrong, "\n".join(wrong)
