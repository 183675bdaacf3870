"""Finds the Python code in a reply, or the reason why there is none.

Of several blocks, the last complete one that does something counts; earlier ones are
drafts. Only if it uses names that earlier blocks of the reply define do they belong
together, and those it needs run before it. What follows an invented observation is
ignored, and code that may have been cut off is never returned.
"""

from __future__ import annotations

import ast
import builtins
import html
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

import regex

from core.models.reply_json import all_json, find_json
from core.models.reply_text import WORDS, Cleaned, Problem

CodeProblem = Problem | Literal["no_code", "call"]
_CODE_WORDS: dict[str, str] = {
    **WORDS,
    "no_code": "it held no code block",
    "call": "it held a call in JSON and no Python; write the call as Python",
}
_TAG = regex.compile(
    r"<(?P<end>/?)(?:code|python|py|tool_code)(?:\s[^<>]{0,80}+)?>|(?P<half></cod\Z|</code\b)",
    regex.IGNORECASE,
)
_FENCE = regex.compile(
    r"(?<![`~])(?P<fence>`{3,12}+|~{3,12}+)(?![`~])[ \t]*+(?P<label>[\w.+#-]*+)"
    r"[ \t]*+(?:(?:\{[^\n{}]*+\}|:[\w./-]++|\w++=\S++)?[ \t]*+\n|(?<=(?:python|python3|py)[ \t]+))"
    r"(?P<code>.*?)(?P<close>(?P=fence)|\Z)",
    regex.DOTALL | regex.IGNORECASE,
)
_PYTHON = regex.compile(r"(?:python[\d.]*|py3?|tool_code|code)?", regex.IGNORECASE)
_HALF_TAG = regex.compile(r"\s*</?(?:c|co|cod)?\Z", regex.IGNORECASE)
_OBSERVATION = regex.compile(r"^(?:Observation|Execution logs|Calling tools):", regex.MULTILINE)
_LEAD = regex.compile(r"\A(?:Thoughts?:[^\n]*\n+)?(?:Code:[ \t]*\n+)?", regex.IGNORECASE)
_TYPOGRAPHIC = str.maketrans("“”„‟‘’\u00a0", '""""\'\' ')
_INTERPRETERS = frozenset({"python", "python_interpreter", "code_interpreter", "execute_python"})
BLOCKS_AT_MOST = 40
"""The last ones are looked at."""
_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class Snippet:
    """Code to run, or the problem that a reply has none that may be run."""

    code: str | None
    problem: CodeProblem | None = None

    @property
    def words(self) -> str:
        """The problem in words for the model; "" without one."""
        return _CODE_WORDS[self.problem] if self.problem else ""


@dataclass(frozen=True)
class _Block:
    start: int
    end: int
    code: str
    closed: bool
    meant: bool
    """It says of itself that it is code, and is not a tag that the prose names."""
    tree: ast.Module | None = None

    @property
    def runs(self) -> bool:
        return self.tree is not None and _does_something(self.tree)


def find_code(reply: Cleaned) -> Snippet:
    """Extract the code of a cleaned reply.

    If there is no other code, a closed block that is not Python is returned: the interpreter says
    best what is wrong with it. A call in JSON is taken only where it calls an interpreter.
    """
    if reply.problem:
        return Snippet(None, reply.problem)
    blocks = _innermost(_blocks(reply.text)[-BLOCKS_AT_MOST:])
    last = next((b for b in reversed(blocks) if b.runs or b.meant), None)
    if last is None:
        return _without_blocks(reply.text)
    if last.tree is None:
        return Snippet(last.code) if last.closed else Snippet(None, "truncated")
    if not last.runs:
        other = _without_blocks(reply.text)
        return Snippet(last.code) if last.tree.body and other.problem == "no_code" else other
    return Snippet("\n\n".join(b.code for b in _needed(blocks, last)))


def _blocks(text: str) -> list[_Block]:
    """Every tagged and fenced block, by its place; those in other languages are left out."""
    # Results that the model invented stand after its first block.
    ends = [t.start() for t in _TAG.finditer(text) if t["end"] or t["half"]][:1]
    ends += [f.end() for f in _FENCE.finditer(text) if f["close"]][:1]
    made_up = _OBSERVATION.search(text, min(ends)) if ends else None
    text = text[: made_up.start()] if made_up else text
    blocks = [*_tagged(text), *_fenced(text)]
    return sorted((b for b in blocks if b.code), key=lambda b: b.start)


def _tagged(text: str) -> Iterator[_Block]:
    tags = list(_TAG.finditer(text))
    for tag, follows in zip_longest(tags, tags[1:]):
        if not (tag["end"] or tag["half"]):
            end = follows.start() if follows else len(text)
            code = text[tag.end() : end]
            meant = code.startswith(("\n", " \n"))
            yield _block(tag.start(), end, code, follows is not None, meant)


def _fenced(text: str) -> Iterator[_Block]:
    for fence in _FENCE.finditer(text):
        if not _PYTHON.fullmatch(fence["label"]):
            continue
        code, closed, end = fence["code"], bool(fence["close"]), fence.end()
        tag = None if closed else _TAG.search(code)
        if tag and (tag["end"] or tag["half"]):
            # The fence was opened within tags, which end it.
            code, end = code[: tag.start()], fence.start("code") + tag.start()
        yield _block(fence.start(), end, code, closed, bool(fence["label"]) or not closed)


def _block(start: int, end: int, raw: str, closed: bool, meant: bool) -> _Block:
    code = raw if closed else _HALF_TAG.sub("", raw)
    code = textwrap.dedent(code).strip("\n\r ")
    block = _Block(start, end, code, closed, meant)
    for version in dict.fromkeys((code, html.unescape(code), code.translate(_TYPOGRAPHIC))):
        tree = _parsed(version)
        if tree is not None:
            return replace(block, code=version, tree=tree)
    return block


def _innermost(blocks: list[_Block]) -> list[_Block]:
    """Omit blocks that contain another one, unless they are Python themselves."""
    innermost = []
    for block in blocks:
        inner = [b for b in blocks if block.start < b.start and b.end <= block.end]
        outer = [b for b in blocks if b.start < block.start and block.end <= b.end]
        if any(b.runs for b in outer) or (not block.runs and any(b.runs for b in inner)):
            continue
        innermost.append(block)
    return innermost


def _needed(blocks: list[_Block], last: _Block) -> list[_Block]:
    """The last block, and before it those that define what it uses, and so on."""
    chain = [last]
    for block in reversed([b for b in blocks if b.start < last.start]):
        if block.tree is None:
            continue
        used = (name for b in chain if b.tree for name in _read(b.tree) - _defined(b.tree))
        if _defined(block.tree) & (set(used) - set(dir(builtins))):
            chain.insert(0, block)
    return chain


def _read(tree: ast.Module) -> frozenset[str]:
    names = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Load))


def _defined(tree: ast.Module) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return frozenset(names)


def _without_blocks(text: str) -> Snippet:
    """A reply that is nothing but Python, or JSON around it."""
    bare = _LEAD.sub("", text, count=1).strip()
    tree = _parsed(bare)
    called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree else []
    if any(isinstance(f, ast.Name) and f.id in ("final_answer", "print") for f in called):
        return Snippet(bare)
    result = find_json(text, ["code"])
    calls = all_json(text, ["name", "arguments"])
    texts = [c["arguments"] for c in calls if str(c["name"]).casefold() in _INTERPRETERS]
    for code in ([result["code"]] if result else []) + (texts if len(texts) == 1 else []):
        tree = _parsed(code) if isinstance(code, str) else None
        if tree is not None and _does_something(tree):
            return Snippet(str(code).strip())
    return Snippet(None, "call" if calls else "no_code")


def _parsed(code: str) -> ast.Module | None:
    try:
        return kept_tree(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None


def _does_something(tree: ast.Module) -> bool:
    """Whether there is more than values: JSON in a fence is Python too."""
    return any(not isinstance(s, ast.Expr) for s in tree.body) or any(
        isinstance(n, ast.Call) for n in ast.walk(tree)
    )


@lru_cache(maxsize=16)
def kept_tree(code: str) -> ast.Module:
    """Parse a program; the tree is cached and must not be changed.

    Raises what ``ast.parse`` raises. CPython 3.11 counts the depth of all trees under construction
    together: two threads that build one at the same time can get a SystemError for code in which
    nothing is wrong.
    """
    with _one_at_a_time:
        return ast.parse(code)
