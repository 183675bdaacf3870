"""Finds the Python code in a reply, or the reason why there is none.

A block reaches from its opener to the farthest closer up to which it is Python, whatever closers
stand in its texts. Of several blocks, the last one that does something counts; earlier ones are
drafts, unless they define names that it uses. Code that may have been cut off is never returned.
"""

from __future__ import annotations

import ast
import builtins
import html
import json
import textwrap
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

import regex

from core.models.reply_json import all_json, find_json
from core.models.reply_text import Cleaned, Problem

CodeProblem = Problem | Literal["no_code", "call"]
_WORDS: dict[str, str] = {
    "no_code": "it held no code block",
    "call": "it held a call that is not Python; write the call as Python in a code block",
}
_FLAGS = regex.IGNORECASE | regex.MULTILINE
_NAMES = r"(?:code|i?python|py|tool_code|execute_python|execute)"
_OPEN = regex.compile(
    rf"<{_NAMES}(?:\s[^<>]{{0,80}}+)?>"
    r"|(?<![`~])(?P<fence>`{3,12}+|~{3,12}+)[ \t]*+(?P<label>[\w.+#-]*+)[ \t]*+"
    r"(?:(?:\{[^\n{}]*+\}|:[\w./-]++|\w++=\S++)?[ \t]*+\n|(?<=(?:python|python3|py)[ \t]+))",
    _FLAGS,
)
_PYTHON = regex.compile(r"(?:i?python[\d.]*|py3?|tool_code|code|execute_python)?", regex.IGNORECASE)
_CLOSE = regex.compile(rf"</{_NAMES}>|</cod\Z|</code\b|`{{3,12}}+|~{{3,12}}+", _FLAGS)
_HALF_TAG = regex.compile(r"\s*</?(?:c|co|cod)?\Z", regex.IGNORECASE)
_INVENTED = regex.compile(
    r"^[ \t*_#>]*+(?:Observations?|Execution logs?|Calling tools|Output|Last output[^:\n]{0,40}+)"
    r"[*_]*+[:：]|</?(?:observation|tool_response|turn|log|state)\b",
    _FLAGS,
)
"""Begins what only our own log holds: the results of a step that was not run yet."""
_LEAD = regex.compile(r"\A(?:Thoughts?:[^\n]*\n+)?(?:Code:[ \t]*\n+)?", regex.IGNORECASE)
_XML_CALL = regex.compile(
    r"<(?:function=|invoke name=[\"']?)(?P<name>[\w.-]++)[\"']?>(?P<body>.*?)</(?:function|invoke)>"
    r"|<tool_call>\s*+(?P<name>\w++)\s*+(?P<body><arg_key>.*?)</tool_call>",
    regex.DOTALL,
)
_XML_ARGUMENT = regex.compile(
    r"<parameter(?:=| name=[\"']?)(?P<key>[\w-]++)[\"']?[^<>]*+>\n?(?P<value>.*?)\n?</parameter>"
    r"|<arg_key>(?P<key>.*?)</arg_key>\s*+<arg_value>(?P<value>.*?)</arg_value>",
    regex.DOTALL,
)
_TYPOGRAPHIC = str.maketrans("“”„‟‘’\u00a0", '""""\'\' ')
_INTERPRETERS = frozenset(
    {"python", "ipython", "python_interpreter", "code_interpreter", "execute_python", "run_python"}
)
OPENERS_AT_MOST, CLOSERS_AT_MOST = 40, 12
"""The first openers of a reply, and the nearest closers of each, are looked at."""
_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class Snippet:
    """Code to run, or the problem that a reply has none that may be run."""

    code: str | None
    problem: CodeProblem | None = None
    words: str = ""
    """The problem in words for the model; "" without one."""


@dataclass(frozen=True)
class _Block:
    code: str
    end: int
    is_closed: bool
    is_meant: bool
    """It says of itself that it is code, and is not a tag that the prose names."""
    tree: ast.Module | None

    @property
    def runs(self) -> bool:
        return self.tree is not None and _does_something(self.tree)


def find_code(reply: Cleaned, tools: Collection[str] = ()) -> Snippet:
    """Extract the code of a cleaned reply; ``tools``: names whose calls in JSON or XML are read.

    If there is no other code, a closed block that is not Python is returned: the interpreter says
    best what is wrong with it.
    """
    if reply.problem:
        return Snippet(None, reply.problem, reply.words)
    first = _OPEN.search(reply.text)
    closer = _CLOSE.search(reply.text, first.end()) if first else None
    invented = _INVENTED.search(reply.text, closer.end()) if closer else None
    text = reply.text[: invented.start()] if invented else reply.text
    blocks = list(_blocks(text))
    last = next((b for b in reversed(blocks) if b.runs or b.is_meant), None)
    if last is None or (last.tree is not None and not last.runs):
        called = _called(text, tools)
        is_value = last is not None and last.tree is not None and last.tree.body
        return Snippet(last.code) if last and is_value and called.code is None else called
    if last.tree is None:
        return Snippet(last.code) if last.is_closed else _refused("truncated", reply)
    program = "\n\n".join(block.code for block in _needed(blocks, last))
    return Snippet(program + _ending_behind(text[last.end :], program))


def _refused(problem: CodeProblem, reply: Cleaned) -> Snippet:
    words = _WORDS.get(problem) or Cleaned(reply.text, "truncated").words
    return Snippet(None, problem, words)


def _blocks(text: str) -> Iterator[_Block]:
    """Tagged and fenced blocks that may be code, in order."""
    place, ran = 0, False
    for _ in range(OPENERS_AT_MOST):
        opener = _OPEN.search(text, place)
        if opener is None:
            return
        place = opener.end()
        if opener["fence"] and not _PYTHON.fullmatch(opener["label"]):
            end = text.find(f"\n{opener['fence']}", place - 1)
            if end >= 0 and not _OPEN.search(text, place, end + 1):
                place = end + 1 + len(opener["fence"])  # a text in another language
            continue
        block = _longest(text, opener)
        place = block.end if block.tree is not None and block.tree.body else place
        # A lone fence behind a program is what closes a wrapper, and no opener.
        is_stray = not block.is_closed and block.tree is None and opener["label"] == ""
        if block.code and not (is_stray and ran):
            ran = ran or block.runs
            yield block


def _longest(text: str, opener: regex.Match[str]) -> _Block:
    """The block of an opener: up to the farthest closer before which it is Python."""
    begin = opener.end()
    closers = list(islice(_CLOSE.finditer(text, begin), CLOSERS_AT_MOST))
    is_tag = opener["fence"] is None
    meant = text.startswith(("\n", " \n"), begin) if is_tag else bool(opener["label"])

    def block(raw: str, end: int, is_closed: bool, tree: ast.Module | None = None) -> _Block:
        code = textwrap.dedent(raw if is_closed else _HALF_TAG.sub("", raw)).strip("\n\r ")
        for version in (code, html.unescape(code), code.translate(_TYPOGRAPHIC)):
            tree = tree or _parsed(version)
            if tree is not None:
                return _Block(version, end, is_closed, meant or not is_closed, tree)
        return _Block(code, end, is_closed, meant or not is_closed, None)

    for closer in reversed(closers):
        code = textwrap.dedent(text[begin : closer.start()]).strip("\n\r ")
        tree = _parsed(code)
        if tree is not None and tree.body:
            return _Block(code, closer.end(), True, meant, tree)
    if closers:
        return block(text[begin : closers[0].start()], closers[0].end(), True)
    return block(text[begin:], len(text), False)


def _needed(blocks: list[_Block], last: _Block) -> list[_Block]:
    """The last block, and before it those that define what it uses, and so on."""
    chain = [last]
    for block in reversed(blocks[: blocks.index(last)]):
        used = {name for b in chain if b.tree for name in _read(b.tree) - _defined(b.tree)}
        if block.tree and _defined(block.tree) & (used - set(dir(builtins))):
            chain.insert(0, block)
    return chain


def _ending_behind(tail: str, program: str) -> str:
    """A call of final_answer that stands behind its program, with what the program found."""
    tree, begin = _parsed(program), tail.find("final_answer(")
    if begin < 0 or tree is None or "final_answer" in _read(tree):
        return ""
    lines = tail[begin:].splitlines()
    for count in range(1, min(len(lines), 30) + 1):
        ending = "\n".join(lines[:count]).rstrip("`~ \t")
        parsed = _parsed(ending)
        if parsed is not None:
            return f"\n\n{ending}" if _read(parsed) & _defined(tree) else ""
    return ""


def _called(text: str, tools: Collection[str]) -> Snippet:
    """A reply that is nothing but Python, or calls in JSON or XML."""
    bare = _LEAD.sub("", text, count=1).strip()
    tree = _parsed(bare)
    called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree else []
    if any(isinstance(f, ast.Name) and f.id in ("final_answer", "print", *tools) for f in called):
        return Snippet(bare)
    result = find_json(text, ["code"])
    calls = [(str(c["name"]), c["arguments"]) for c in all_json(text, ["name", "arguments"])]
    calls += [(m["name"], _xml_arguments(m["body"])) for m in _XML_CALL.finditer(text)]
    codes = [_code_of(given) for name, given in calls if name.casefold() in _INTERPRETERS]
    for code in ([result["code"]] if result else []) + (codes if len(codes) == 1 else []):
        tree = _parsed(code) if isinstance(code, str) else None
        if tree is not None and _does_something(tree):
            return Snippet(str(code).strip())
    lines = [_as_python(name, given) for name, given in calls if name in tools]
    if lines and len(lines) == len(calls):
        return Snippet("\n".join(lines))
    problem: CodeProblem = "call" if calls else "no_code"
    return Snippet(None, problem, _WORDS[problem])


def _xml_arguments(body: str) -> dict[str, object]:
    arguments: dict[str, object] = {}
    for match in _XML_ARGUMENT.finditer(body):
        try:
            arguments[match["key"].strip()] = json.loads(match["value"])
        except ValueError:
            arguments[match["key"].strip()] = match["value"]
    return arguments


def _code_of(given: object) -> object:
    """The program that an interpreter is called with: the text, or its only argument."""
    return next(iter(given.values())) if isinstance(given, dict) and len(given) == 1 else given


def _as_python(name: str, given: object) -> str:
    arguments = given.items() if isinstance(given, dict) else ()
    return f"print({name}({', '.join(f'{key}={value!r}' for key, value in arguments)}))"


def ignore_imports(code: str, names: Collection[str]) -> str:
    """Replace imports of nothing but these names, which are there without an import, by ``pass``.

    Line numbers stay. Code that is not Python comes back as it is.
    """
    tree = _parsed(code)
    lines = code.splitlines(keepends=True)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom) and all(alias.name in names for alias in node.names):
            first, end = lines[node.lineno - 1].encode(), (node.end_lineno or node.lineno) - 1
            rest = lines[end].encode()[node.end_col_offset :].decode()
            head = first[: node.col_offset].decode()
            lines[node.lineno - 1 : end + 1] = [
                f"{head}pass{rest}",
                *["\n"] * (end + 1 - node.lineno),
            ]
    return "".join(lines)


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
