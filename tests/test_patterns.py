"""No pattern of the product takes more than a linear time: each is fed 20,000 hostile characters.

A pattern that grows with the square of its text needs seconds for that. It is ended by a limit of
CPU time which is some dozen times of what a linear one takes, so a busy machine changes nothing.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import regex

from core.erc3_client.bounds import NAME_AT_MOST

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "cli", "company_tools", "coordinator", "core/erc3_client", "core/http", "core/ledger",
    "core/models", "core/runs", "core/terminal", "core/tools", "evaluator", "next_step",
    "playbooks", "store_tools", "worker", "workshop/agent_adapter", "workshop/generators",
    "workshop/lab", "workshop/replay", "workshop/scripted", "workshop/simulator", "workshop/views",
)  # fmt: skip
LONG = 20_000
SECONDS = 0.5
"""Of CPU, for one pattern over one text."""
SHORTER = {
    "company_tools.final_answer._EXCEPT": 60,
    "company_tools.arguments._WITH_NAME": NAME_AT_MOST,
}
"""Patterns that look at no more characters than this, by where they stand."""
ANCHORED = frozenset({"match", "fullmatch"})
METHODS = ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}
LIBRARIES: dict[str, Any] = {"re": re, "regex": regex}
_SIGNS = re.compile(r"\(\?P?<?[A-Za-z_]*>|\(\?[a-zA-Z:=!<]*|\\[pP]\{[^}]*\}|\\[A-Za-z]|\[[^\]]*\]")
"""What is no text in a pattern."""
KINDS = ("a", "A", "1", " ", "\n", "a ", "1 ", "a1", "1,", "-", "_", "a-", "a.", "(", "<", "`", '"')


class Found(NamedTuple):
    where: str
    pattern: Any
    anchored: bool


class TooSlow(Exception):
    pass


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def importable(path: Path) -> bool:
    # What runs inside the sandbox is bounded there; imported here it would stop the clocks.
    inside = ROOT / "worker" / "sandbox" / "inside"
    return (
        path.name != "__main__.py" and "stand_in" not in path.parts and inside not in path.parents
    )


@cache
def uses(path: Path) -> dict[str, set[str]]:
    """By the name of a pattern, the methods that are called on it in a file."""
    found: dict[str, set[str]] = {}
    for name, method in re.findall(r"\b(\w+)\.(\w+)\(", path.read_text(encoding="utf-8")):
        found.setdefault(name, set()).add(method)
    return found


def within(value: Any, depth: int = 0) -> Iterator[Any]:
    """The compiled patterns in a value, and in what it holds."""
    if isinstance(value, re.Pattern | regex.Pattern):
        yield value
    elif depth > 4:
        return
    elif isinstance(value, dict):
        for item in (*value, *value.values()):
            yield from within(item, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from within(item, depth + 1)


def written_in(path: Path) -> Iterator[tuple[int, Any]]:
    """Patterns that stand in a call, such as ``regex.search(r"...", text)``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=library), attr=method),
                args=[ast.Constant(value=str(text)), *rest],
                keywords=keywords,
            ) if library in LIBRARIES and method != "compile":
                parts = [n for part in (*rest, *keywords) for n in ast.walk(part)]
                named = [part.attr for part in parts if isinstance(part, ast.Attribute)]
                flags = 0
                for name in named:
                    flag = getattr(LIBRARIES[library], name, 0)
                    flags |= flag if isinstance(flag, int) else 0
                yield node.lineno, LIBRARIES[library].compile(text, flags)


def patterns_of(package: str) -> Iterator[Found]:
    seen: set[tuple[Any, int, bool]] = set()
    others = tuple(str(ROOT / p) for p in PACKAGES if p.startswith(f"{package}/"))
    for path in filter(importable, sorted((ROOT / package).rglob("*.py"))):
        name = module_of(path)
        if others and str(path).startswith(others):
            continue
        found = [Found(f"{name}:{line}", p, False) for line, p in written_in(path)]
        for key, value in vars(importlib.import_module(name)).items():
            methods = uses(path).get(key, set()) & METHODS
            anchored = key.startswith("_") and bool(methods) and methods <= ANCHORED
            found += [Found(f"{name}.{key}", p, anchored) for p in within(value)]
        for one in found:
            mark = one.pattern.pattern, one.pattern.flags, one.anchored
            if mark not in seen:
                seen.add(mark)
                yield one


def hostile_texts(pattern: Any) -> Iterator[tuple[str, str]]:
    """What a text begins with, and what is then repeated: signs, and the pattern's own words."""
    source = pattern.pattern
    source = source.decode("latin-1") if isinstance(source, bytes) else source
    plain = _SIGNS.sub(" ", source)
    words = list(dict.fromkeys(re.findall(r"[^\s()|?*+^$\\{},]+", plain)))
    yield from (("", kind) for kind in KINDS)
    for word in words[:3]:
        yield from (("", word + end) for end in ("", " ", "\n"))
        yield from ((word, kind) for kind in (" ", "a", "1"))
    yield "", " ".join(words[:6]) + " "


@contextmanager
def cpu_limit() -> Iterator[None]:
    def over(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def longest(where: str) -> int:
    return next((n for begin, n in SHORTER.items() if where.startswith(begin)), LONG)


def is_linear(found: Found, begin: str, repeated: str) -> bool:
    size = longest(found.where)
    text: Any = (begin + repeated * (size // max(len(repeated), 1) + 1))[:size] + "!"
    pattern = found.pattern
    text = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    # Some loops of ``regex`` look at signals too rarely; its own limit is of wall time.
    more = {"timeout": 4 * SECONDS} if isinstance(pattern, regex.Pattern) else {}
    try:
        with cpu_limit():
            if found.anchored:
                pattern.match(text, **more)
            else:
                for _ in pattern.finditer(text, **more):
                    pass
    except (TooSlow, TimeoutError):
        return False
    return True


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("package", PACKAGES)
def test_every_pattern_takes_a_linear_time(package: str) -> None:
    slow = [
        (found.where, text)
        for found in patterns_of(package)
        if (
            text := next(
                (t for t in hostile_texts(found.pattern) if not is_linear(found, *t)), None
            )
        )
    ]
    assert slow == []


def test_the_patterns_of_the_product_are_found() -> None:
    packages = ("company_tools", "store_tools", "core/models")
    assert sum(1 for package in packages for _ in patterns_of(package)) > 80


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_pattern_that_is_not_linear_is_found_out(library: str) -> None:
    quadratic = Found("somewhere", LIBRARIES[library].compile(r"[a-z]+\d"), False)
    assert not all(is_linear(quadratic, *text) for text in [("", "1"), ("", "a")])
