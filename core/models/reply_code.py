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
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import regex

from core.models.python_code import does_something, names_defined, names_read, parse
from core.models.reply_json import all_json, find_json
from core.models.reply_text import WORDS_OF, Misread

NO_CODE = "it held no code block"
TOO_MUCH = "it held too much code; write one short block"
A_CALL = "it held a call that is not Python; write the call as Python in a code block"
_FLAGS = regex.IGNORECASE | regex.MULTILINE
_NAMES = r"(?:code|i?python|py|tool_code|execute_i?python|execute)"
_OPEN = regex.compile(
    rf"<{_NAMES}(?:\s[^<>]{{0,80}}+)?>"
    r"|(?<![`~])(?P<fence>`{3,12}+|~{3,12}+)[ \t]*+(?P<label>[\w.+#-]*+)[ \t]*+"
    r"(?:(?:\{[^\n{}]*+\}|:[\w./-]++|\w++=\S++)?[ \t]*+\n|(?<=(?:python|python3|py)[ \t]+))",
    _FLAGS,
)
_PYTHON = regex.compile(
    r"(?:i?python[\d.]*|py3?|tool_code|code|execute_i?python)?", regex.IGNORECASE
)
_CLOSE = regex.compile(rf"</{_NAMES}>|<end_code>|</cod\Z|</code\b|`{{3,12}}+|~{{3,12}}+", _FLAGS)
_HALF_TAG = regex.compile(r"\s*</?(?:c|co|cod)?\Z", regex.IGNORECASE)
_INVENTED = regex.compile(
    r"^[ \t*_#>]*+(?:Observations?|Execution logs?|Calling tools|(?:Last )?Output|Results?"
    r"|User|Human|Assistant)[^:：\n]{0,40}+[:：]"
    r"|</?(?:observation|tool_response|turn|log|state)\b",
    _FLAGS,
)
"""Behind a program it begins what has not happened: the results of its step, or another turn."""
_LEAD = regex.compile(r"\A(?:Thoughts?:[^\n]*\n+)?(?:Code:[ \t]*\n+)?", regex.IGNORECASE)
_XML_CALL = regex.compile(
    r"<(?:function=|invoke name=[\"']?)(?P<name>[\w.-]++)[\"']?>"
    r"(?P<body>(?:(?!<(?:function=|invoke)).)*?)</(?:function|invoke)>"
    r"|<tool_call>\s*+(?P<name>\w++)\s*+(?P<body><arg_key>(?:(?!<tool_call>).)*?)</tool_call>",
    regex.DOTALL,
)
_XML_ARGUMENT = regex.compile(
    r"<parameter(?:=| name=[\"']?)(?P<key>[\w-]++)[\"']?[^<>]*+>\n?"
    r"(?P<value>(?:(?!<parameter).)*?)\n?</parameter>"
    r"|<arg_key>(?P<key>[^<>]*+)</arg_key>\s*+"
    r"<arg_value>(?P<value>(?:(?!<arg_).)*?)</arg_value>",
    regex.DOTALL,
)
_TYPOGRAPHIC = str.maketrans("“”„‟‘’\u00a0", '""""\'\' ')
_INTERPRETERS = frozenset(
    {"python", "ipython", "python_interpreter", "code_interpreter", "execute_python", "run_python"}
)
_CALL = regex.compile(r"\{|<(?:function=|invoke|tool_call)")
_BUILTINS = frozenset(dir(builtins))
OPENERS_AT_MOST, CLOSERS_AT_MOST = 40, 12
"""The first openers of a reply, and the nearest closers of each, are looked at."""
CHARS_PARSED = 200_000
"""Maximum of a reply, all tries together: 50,000 characters of short lines take 0.09 s."""
LINES_OF_A_CALL = 30


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
        return self.tree is not None and does_something(self.tree)


def find_code(answer: str, tools: Collection[str] = ()) -> str:
    """Extract the program of an answer; ``tools``: names whose calls in JSON or XML are read.

    If there is no other code, a closed block that is not Python is returned: the interpreter says
    best what is wrong with it.

    Raises Misread: there is none, or it may have been cut off.
    """
    return _Reader(answer, tools).program()


class _Reader:
    """Reads one reply."""

    def __init__(self, text: str, tools: Collection[str]) -> None:
        self._text = text
        self._tools = tools
        self._end = len(text)
        """Where something begins that has not happened."""
        self._left = CHARS_PARSED

    def program(self) -> str:
        """The program of the reply. Raises Misread."""
        blocks = list(self._blocks())
        last = next((b for b in reversed(blocks) if b.runs or b.is_meant), None)
        if last is not None and last.tree is None:
            if last.is_closed:
                return last.code
            raise Misread(*WORDS_OF["truncated"], "truncated")
        if last is not None and last.runs:
            program = "\n\n".join(block.code for block in _needed(blocks, last))
            return program + self._ending(last.end, program)
        try:
            return self._called()
        except Misread:
            if last is None or last.tree is None or not last.tree.body or self._left < 0:
                raise
            return last.code  # a value alone

    def _parsed(self, code: str) -> ast.Module | None:
        self._left -= len(code)
        if self._left < 0:
            raise Misread(TOO_MUCH)
        return parse(code)

    def _blocks(self) -> Iterator[_Block]:
        """Tagged and fenced blocks that may be code, in order."""
        text, place, ran = self._text, 0, False
        for _ in range(OPENERS_AT_MOST):
            opener = _OPEN.search(text, place, self._end)
            if opener is None:
                return
            place = opener.end()
            if opener["fence"] and not _PYTHON.fullmatch(opener["label"]):
                end = text.find(f"\n{opener['fence']}", place - 1)
                if end >= 0 and not _OPEN.search(text, place, end + 1):
                    place = end + 1 + len(opener["fence"])  # a text in another language
                continue
            block = self._longest(opener)
            place = block.end if block.tree is not None and block.tree.body else place
            if block.runs or (block.is_closed and block.is_meant):
                invented = _INVENTED.search(text, block.end)
                self._end = invented.start() if invented else len(text)
            # A lone fence behind a program is what closes a wrapper, and no opener.
            is_stray = not block.is_closed and block.tree is None and opener["label"] == ""
            if block.code and not (is_stray and ran):
                ran = ran or block.runs
                yield block

    def _longest(self, opener: regex.Match[str]) -> _Block:
        """The block of an opener: up to the farthest closer before which it is Python."""
        text, begin = self._text, opener.end()
        closers = list(islice(_CLOSE.finditer(text, begin), CLOSERS_AT_MOST))
        is_tag = opener["fence"] is None
        meant = text.startswith(("\n", " \n"), begin) if is_tag else bool(opener["label"])
        for closer in reversed(closers):
            code = textwrap.dedent(text[begin : closer.start()]).strip("\n\r ")
            tree = self._parsed(code)
            if tree is not None and tree.body:
                return _Block(code, closer.end(), True, meant, tree)
        raw = text[begin : closers[0].start()] if closers else _HALF_TAG.sub("", text[begin:])
        end = closers[0].end() if closers else len(text)
        code, meant = textwrap.dedent(raw).strip("\n\r "), meant or not closers
        for version in (code, html.unescape(code), code.translate(_TYPOGRAPHIC)):
            if (tree := self._parsed(version)) is not None:
                return _Block(version, end, bool(closers), meant, tree)
        return _Block(code, end, bool(closers), meant, None)

    def _ending(self, begin: int, program: str) -> str:
        """A call of final_answer that stands behind its program, with what the program found."""
        tree, begin = self._parsed(program), self._text.find("final_answer(", begin, self._end)
        if begin < 0 or tree is None or "final_answer" in names_read(tree):
            return ""
        lines = self._text[begin : self._end].splitlines()
        for count in range(1, min(len(lines), LINES_OF_A_CALL) + 1):
            ending = "\n".join(lines[:count]).rstrip("`~ \t")
            parsed = self._parsed(ending)
            if parsed is not None:
                return f"\n\n{ending}" if names_read(parsed) & names_defined(tree) else ""
        return ""

    def _called(self) -> str:
        """A reply that is nothing but Python, or calls in JSON or XML. Raises Misread."""
        bare = _until_invented(_LEAD.sub("", self._text, count=1).strip(), 1)
        tree = self._parsed(bare)
        called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)] if tree else []
        own = {"final_answer", "print", *self._tools}
        if any(isinstance(f, ast.Name) and f.id in own for f in called):
            return bare
        first = _CALL.search(self._text)
        text = _until_invented(self._text, first.start()) if first else ""
        result = find_json(text, ["code"])
        calls = [(str(c["name"]), c["arguments"]) for c in all_json(text, ["name", "arguments"])]
        calls += [(m["name"], _xml_arguments(m["body"])) for m in _XML_CALL.finditer(text)]
        codes = [_code_of(given) for name, given in calls if name.casefold() in _INTERPRETERS]
        for code in ([result["code"]] if result else []) + (codes if len(codes) == 1 else []):
            tree = self._parsed(code) if isinstance(code, str) else None
            if tree is not None and does_something(tree):
                return str(code).strip()
        lines = [_as_python(name, given) for name, given in calls if name in self._tools]
        if lines and all(lines) and len(lines) == len(calls):
            return "\n".join(filter(None, lines))
        raise Misread(A_CALL if calls else NO_CODE)


def _until_invented(text: str, begin: int) -> str:
    invented = _INVENTED.search(text, begin)
    return text[: invented.start()].strip() if invented else text


def _needed(blocks: list[_Block], last: _Block) -> list[_Block]:
    """The last block, and before it the nearest ones that define what it uses, and so on."""
    chain: list[_Block] = []
    missing: frozenset[str] = frozenset()
    for block in reversed(blocks[: blocks.index(last) + 1]):
        defined = names_defined(block.tree) if block.tree else frozenset()
        if block.tree and (block is last or defined & missing):
            chain.insert(0, block)
            missing = (missing - defined) | (names_read(block.tree) - defined - _BUILTINS)
    return chain


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


def _as_python(name: str, given: object) -> str | None:
    """A call as Python; None where its arguments are none."""
    with suppress(ValueError):
        given = json.loads(given) if isinstance(given, str) else given
    if not isinstance(given, dict) or not all(map(str.isidentifier, given)):
        return None
    return f"print({name}({', '.join(f'{key}={value!r}' for key, value in given.items())}))"
