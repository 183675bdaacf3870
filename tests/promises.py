"""What the project promises, and which tests hold it: ``python -m tests.promises`` writes the page.

A test names the promise that it holds: ``@pytest.mark.promise("no second checkout")``.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "promises.md"
PROMISES = {
    "no second checkout": "A task buys once, whatever becomes of the answer to its checkout.",
    "no wrong checkout": "Nothing is bought that the instruction does not authorise.",
    "no second answer": "A company task is answered once.",
    "no lost answer": "A task whose answer may not have arrived stays open until that is known.",
    "no wrong write": "A wire that loses, repeats or changes messages leads to no wrong change, "
    "and without the word of `policy`, or against it, nothing is changed.",
    "no order from a text": "What a page, a note or a guest says does not move the agent. Whether "
    "a user may make a change, and what a guest may be told, a model is asked (`policy`): these "
    "tests hold the border around it, and readers measure its word.",
    "no secret in an output": "No key reaches a log, prompt, record, report or child process.",
    "generated code is contained": "Code that a model wrote reaches its tools and nothing else.",
    "nothing lost at a kill": "After Ctrl-C, a kill or a lost machine, `--resume` loses nothing "
    "and plays nothing twice.",
    "one process plays a run": "Of two processes that go on with a run, one is refused.",
    "no session submitted that was not played": "A session is submitted only if all of it was "
    "played, or by an option that says so.",
    "what comes from outside is bounded": "Size and time of all that comes from outside have an "
    "end, and so has every pattern run over it.",
}
HEAD = """# Promises

What the project promises, and the files with the tests that hold it, with their number. `python -m tests.promises` writes this page from the marker `promise` of the tests, and `.venv/bin/python -m tests.promises names` prints each test as a sentence.
"""  # noqa: E501 - a paragraph is one line


class Held(NamedTuple):
    """A test that holds a promise; one that holds several is there for each."""

    promise: str
    path: str
    name: str
    nightly: bool


def held() -> list[Held]:
    """Every test with a promise, by file and place."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [one for path in paths for one in _in(path)]


def _in(path: Path) -> Iterator[Held]:
    for function in _functions(ast.parse(path.read_text(encoding="utf-8"))):
        calls = [one for one in function.decorator_list if isinstance(one, ast.Call)]
        marks = [(ast.unparse(one.func), one.args) for one in calls]
        nightly = any(mark == "pytest.mark.nightly" for mark, _ in marks)
        for mark, words in reversed(marks):
            if mark == "pytest.mark.promise":
                name = path.relative_to(ROOT).as_posix()
                yield Held(ast.literal_eval(words[0]), name, function.name, nightly)


def _functions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Functions of a module and of its classes, in their order."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node)
        elif isinstance(node, ast.FunctionDef):
            yield node


def page() -> str:
    """The page, as Markdown."""
    tests, parts = held(), [HEAD]
    for promise, text in PROMISES.items():
        counts = Counter(one.path for one in tests if one.promise == promise)
        files = ", ".join(f"[{path}](../{path}) ({n})" for path, n in counts.items())
        parts.append("\n".join([f"## {promise.capitalize()}", "", text, "", f"{files}.", ""]))
    return "\n".join(parts)


def names() -> Iterator[str]:
    """Each promise with the sentences that its tests are called by."""
    for promise in PROMISES:
        yield f"{promise}:"
        for one in held():
            if one.promise == promise:
                yield f"  {one.path}: {one.name.removeprefix('test_').replace('_', ' ')}"


if __name__ == "__main__":
    if sys.argv[1:] == ["names"]:
        print("\n".join(names()))
    else:
        PAGE.write_text(page(), encoding="utf-8")
