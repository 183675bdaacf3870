"""Replies as models really send them, for both roles: one table, and rules for any text."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.reply_code import A_CALL, NO_CODE, TOO_MUCH, find_code
from core.models.reply_json import all_json, find_json
from core.models.reply_text import MAX_CHARS, Misread, clean
from tests.kit.replies import read_decision

CODE = "x = 1\nfinal_answer(x)"
BLOCK = f"Thought: go.\n<code>\n{CODE}\n</code>"
JSON_CODE = json.dumps({"thought": "go", "code": CODE})
CALL = {"name": "final_answer", "arguments": {"answer": 3}}
DRAFT = "y = 0\nfinal_answer(y)"

NAMES = {NO_CODE: "no_code", TOO_MUCH: "too_much", A_CALL: "call"}

# name: (reply, its finish reason unless "stop", the code that is run or the problem)
WORKER: dict[str, tuple[str, str] | tuple[str, str | None, str]] = {
    "as asked": (BLOCK, CODE),
    "upper-case tags": (f"<CODE>\n{CODE}\n</CODE>", CODE),
    "tags of another name": (f"<python>\n{CODE}\n</python>", CODE),
    "all in one line": ("<code>final_answer(1)</code>", "final_answer(1)"),
    "half a closing tag": (f"<code>\n{CODE}\n</code", CODE),
    "half a closing tag in a fence": (f"```\n<code>\n{CODE}\n</code\n```", CODE),
    "python fence": (f"```python\n{CODE}\n```", CODE),
    "python3 fence": (f"```python3\n{CODE}\n```", CODE),
    "tilde fence": (f"~~~python\n{CODE}\n~~~", CODE),
    "fence of four": (f"````python\n{CODE}\n````", CODE),
    "fence with a blank": (f"``` python\n{CODE}\n```", CODE),
    "fence with a title": (f'```python title="a"\n{CODE}\n```', CODE),
    "fence in one line": ("```python final_answer(1)```", "final_answer(1)"),
    "first line beside the fence": (f"```python x = 0\n{CODE}\n```", f"x = 0\n{CODE}"),
    "open fence": (f"Here:\n```python\n{CODE}\n", CODE),
    "indented fence": ("  ```python\n  x = 1\n  final_answer(x)\n  ```", CODE),
    "windows lines": ("```python\r\nx = 1\r\nfinal_answer(x)\r\n```", CODE),
    "fence inside of tags": (f"<code>\n```python\n{CODE}\n```\n</code>", CODE),
    "open fence inside of tags": (f"<code>\n```python\n{CODE}\n</code>", CODE),
    "tags inside of a fence": (f"```\n<code>\n{CODE}\n</code>\n```", CODE),
    "backticks in a text of the code": (
        "<code>\nx = '```python'\nfinal_answer(x)\n</code>",
        "x = '```python'\nfinal_answer(x)",
    ),
    "tags named in the prose": (
        f"I write between <code> and </code>.\n```python\n{CODE}\n```", CODE,
    ),
    "tags named behind the code": (
        f"```python\n{CODE}\n```\nas asked between <code> and </code>", CODE,
    ),
    "an opening tag in the prose": (f"In <code> tags:\n<code>\n{CODE}\n</code>", CODE),
    "a fence of output behind it": (f"{BLOCK}\n```text\n1\n```", CODE),
    "a fence of JSON behind it": (f'{BLOCK}\nThat gives\n```\n{{"x": 1}}\n```', CODE),
    "a draft and the code": (f"<code>\n{DRAFT}\n</code>\nor\n{BLOCK}", CODE),
    "blocks that build on one another": (
        "<code>\nx = 1\n</code>\nand then\n<code>\nfinal_answer(x)\n</code>",
        "x = 1\n\nfinal_answer(x)",
    ),
    "only the blocks that are needed": (
        f"<code>\n{DRAFT}\n</code>\n<code>\nx = 1\n</code>\n<code>\nfinal_answer(x)\n</code>",
        "x = 1\n\nfinal_answer(x)",
    ),
    "a made-up observation": (f"{BLOCK}\nObservation: 3 found\n<code>\nbuy_all()\n</code>", CODE),
    "a draft and a broken block": (f"{BLOCK}\n<code>\nfor x in\n</code>", "for x in"),
    "a draft and a block without an end": (f"{BLOCK}\n<code>\nprint((", "truncated"),
    "no Python": ("<code>\nfor x in\n</code>", "for x in"),
    "a value only": ("<code>\nx\n</code>", "x"),
    "typographic quotes": ("<code>\nprint(“a”)\n</code>", 'print("a")'),
    "typographic quotes within a text": ("<code>\nprint('“a”')\n</code>", "print('“a”')"),
    "hard blanks": ("<code>\nx\u00a0=\u00a01\nprint(x)\n</code>", "x = 1\nprint(x)"),
    "zero-width blanks": (f"<code>\n\u200b{CODE}\n</code>", CODE),
    "escaped tags": (
        "&lt;code&gt;\nif 1 &lt; 2:\n    print(&quot;a&quot;)\n&lt;/code&gt;",
        'if 1 < 2:\n    print("a")',
    ),
    "escaped signs": ("<code>\nprint(1 &lt; 2)\n</code>", "print(1 < 2)"),
    "an entity within a text": (
        "<code>\nprint('Salt &amp; Tea')\n</code>", "print('Salt &amp; Tea')",
    ),
    "nothing but Python": (CODE, CODE),
    "Python behind a thought": (f"Thought: go.\n{CODE}", CODE),
    "JSON with code": (JSON_CODE, CODE),
    "JSON with code in a fence": (f"```json\n{JSON_CODE}\n```", CODE),
    "JSON with Code in a wrapper": (json.dumps({"Reply": {"Code": CODE}}), CODE),
    "a call of an interpreter": (json.dumps({"name": "python", "arguments": {"code": CODE}}), CODE),
    "a call of an interpreter with plain code": (
        json.dumps({"name": "python_interpreter", "arguments": CODE}), CODE,
    ),
    "a tool call": (json.dumps(CALL), "call"),
    "a tool call in tags": (f"<tool_call>\n{json.dumps(CALL)}\n</tool_call>", "call"),
    "a tool call in a bare fence": (f"```\n{json.dumps(CALL)}\n```", "call"),
    "a tool call whose argument is called code": (
        json.dumps({"name": "Apply", "arguments": {"code": "SAVE10"}}), "call",
    ),
    "prose": ("I would list the products.", "no_code"),
    "empty tags": ("<code>\n</code>", "no_code"),
    "only a comment": ("<code>\n# nothing to do\n</code>", "no_code"),
    "other fields": (json.dumps({"plan": "p", "snippet": CODE}), "no_code"),
    "a call in the commentary": (
        "<|channel|>commentary to=functions.x <|constrain|>json<|message|>"
        '{"code": "bad()"}<|call|>',
        "reasoning",
    ),
    "cut off": (f"<code>\n{CODE}", "length", "truncated"),
    "cut off in a statement": ("<code>\nx = 1\nprint(x, (", "truncated"),
    "cut off in a fence": ("```python\nx = 1\nprint('", None, "truncated"),
    "cut off in a bare fence": ("```\nx = 1\nprint('", None, "truncated"),
    "closed by a fence": (f"<code>\n{CODE}\n```", CODE),
    "a fence closed by a tag": (f"```python\n{CODE}\n</code>", CODE),
    "both closers": (f"<code>\n{CODE}\n```\n</code>", CODE),
    "a fence within a text of the code": (
        "```python\nnote = '''a\n```\nb\n```\n'''\nfinal_answer(note)\n```",
        "note = '''a\n```\nb\n```\n'''\nfinal_answer(note)",
    ),
    "tags within a text of the code": (
        "<code>\nfinal_answer('<code>1</code>')\n</code>", "final_answer('<code>1</code>')",
    ),
    "ipython fence": (f"```ipython\n{CODE}\n```", CODE),
    "tags of an interpreter": (f"<execute_python>\n{CODE}\n</execute_python>", CODE),
    "final_answer behind the block": (
        "<code>\nx = f()\n</code>\n\nfinal_answer(x)\nThat is it.",
        "x = f()\n\nfinal_answer(x)",
    ),
    "an invented final_answer behind the block": (
        "<code>\nx = f()\n</code>\nfinal_answer({'total': 40})", "x = f()",
    ),
    "an invented turn behind the block": (
        f"{BLOCK}\n</turn>\n<turn number=\"2\">\n<code>\nbad()\n</code>", CODE,
    ),
    "a draft of what the last block uses": (
        "<code>\nx = f(3)\n</code>\nno\n<code>\nx = f(4)\n</code>\n<code>\nfinal_answer(x)\n"
        "</code>",
        "x = f(4)\n\nfinal_answer(x)",
    ),
    "an observation within a text of the code": (
        "<code>\nx = '''\n```\nObservation: a\n```\n'''\nfinal_answer(x)\n</code>",
        "x = '''\n```\nObservation: a\n```\n'''\nfinal_answer(x)",
    ),
    "an invented result behind a block": (f"{BLOCK}\nResult: 3\n<code>\nbad()\n</code>", CODE),
    "an invented error behind a broken block": (
        "<code>\nfor x in\n</code>\nObservation: bad\n<code>\nbad()\n</code>", "for x in",
    ),
    "Python and an invented turn without blocks": (f"{CODE}\nObservation: 3\nbad()", CODE),
    "the end of smolagents": (f"<code>\n{CODE}\n<end_code>", CODE),
    "a thought within a text of the code": ("<code>\nfinal_answer('a <think> b')\n</code>", "open"),
    "a call and an invented turn": (
        f'{json.dumps({"name": "Req_List", "arguments": {}})}\nObservation: 3\n'
        + json.dumps({"name": "Req_List", "arguments": {"offset": 3}}), "print(Req_List())",
    ),
    "a call whose arguments are text": (
        json.dumps({"name": "Req_List", "arguments": '{"offset": 3}'}),
        "print(Req_List(offset=3))",
    ),
    "a call whose argument has no name": (
        json.dumps({"name": "Req_List", "arguments": {"x) or (": 3}}), "call",
    ),
    "more than is parsed": (
        "# <code>\n" * 9 + "x = 1\n" * 7_000 + "(\n" + "</code>\n" * 9, "too_much",
    ),
    "an interpreter called in XML": (
        f'<invoke name="python"><parameter name="code">{CODE}</parameter></invoke>', CODE,
    ),
    "a tool called in XML": (
        "<tool_call>\n<function=Req_List>\n<parameter=offset>\n3\n</parameter>\n</function>\n"
        "</tool_call>", "print(Req_List(offset=3))",
    ),
    "a tool called in XML with keys": (
        "<tool_call>Req_List\n<arg_key>offset</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
        "print(Req_List(offset=3))",
    ),
    "a tool called in JSON": (
        json.dumps({"name": "Req_List", "arguments": {"offset": 3, "text": "a"}}),
        "print(Req_List(offset=3, text='a'))",
    ),
    "a tool that does not exist": (json.dumps({"name": "Req_Fly", "arguments": {}}), "call"),
}  # fmt: skip


@pytest.mark.parametrize("row", WORKER.values(), ids=WORKER.keys())
def test_what_the_worker_runs(row: tuple[str, *tuple[str | None, ...]]) -> None:
    reply, *finish, expected = row
    try:
        read = find_code(clean(reply, *(finish or ["stop"])), ["Req_List"])
    except Misread as misread:
        read = misread.problem or NAMES[str(misread)]
    assert read == expected


GO = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: List it."
STEP = {"current_state": "s", "function": {"tool": "Req_List", "page_size": 3}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(STEP),
        "Sure: " + json.dumps({"NextStep": STEP}) + " ok?",
        json.dumps({"CurrentState": "s", "FUNCTION": {"Tool": "Req_List", "pageSize": 3}}),
        json.dumps({"name": "next", "arguments": json.dumps(STEP)}),
        "{current_state: 's', function: {tool: 'Req_List', page_size: 3,},}",
        '{"note": 1} ' + json.dumps([STEP]),
    ],
)
def test_an_object_is_found_by_its_keys(text: str) -> None:
    found = find_json(text, ["current_state", "function"], known=["tool", "page_size"])
    assert found == STEP


@pytest.mark.parametrize(
    "text",
    ["", "{}", json.dumps(STEP)[:-2], '{"current_state": 1}', "{" * 30_000,
     json.dumps([STEP, {**STEP, "current_state": "t"}]),
     json.dumps(STEP).replace("{", '{"current_state": "t", ', 1),
     repr(STEP).replace("{", "{'current_state': 't', ", 1)],
)  # fmt: skip
def test_an_object_that_is_not_there_or_not_the_only_one_is_none(text: str) -> None:
    assert find_json(text, ["current_state", "function"]) is None


def test_all_objects_are_told_in_their_order() -> None:
    assert [one["a"] for one in all_json('{"a": 1} {"b": 2} {"A": 3}', ["a"])] == [1, 3]


PIECES = [
    "<think>", "</think>", "<|channel|>", "<|message|>", "<|end|>", "<|start|>", "<|", "analysis",
    "assistant", "final", "<code>", "</code>", "</code", "```", "```python\n", "~~~", "`", "{", "}",
    '{"decision":', '{"a":', "[", "'", '"', "\\", "\n", "  ", "THOUGHT:", "DECISION: ", "PROCEED",
    "FINISH", "INSTRUCTION: ", "x = 1\n", "final_answer(", ")", "(", "&lt;code&gt;", "**", "_",
    "1.", "> ", "not ", "\ufeff", "\ud800", "\x00", "Observation:\n", "“", ",", ":", "-",
]  # fmt: skip
ANY_REPLY = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
)


def read_all(text: str, finish: str | None = None) -> Any:
    """Every reader on one text; only the typed error may come out."""
    find_json(text, ["decision"])
    problem, code, decision = None, None, None
    try:
        cleaned = clean(text, finish)
    except Misread as misread:
        problem = misread.problem
    else:
        with suppress(Misread):
            code = find_code(cleaned)
    with suppress(Misread):
        decision = read_decision(text, finish)
    return problem, code, decision


KEYS = ["decision", "DECISION", "deci_sion", "De ci*sion", "deci\\u0073ion", "deci\\\nsion", "b"]
OBJECTS = st.lists(
    st.sampled_from([*KEYS, "{", "}", "'", '"', ":", ",", "1", "\\", "{'a': ", "}} ", "decision:"]),
    max_size=25,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(OBJECTS | st.sampled_from(KEYS).map(lambda key: f'so: {{"{key}": 1}} and {{b: 2,}}'))
def test_what_is_not_read_holds_no_object_that_is_asked_for(text: str) -> None:
    # Behind a backslash any letter of a key may be hidden: then everything is read.
    assert all_json(text, ["decision"]) == all_json(f"{text} \\", ["decision"])


@settings(max_examples=300, deadline=None)
@given(ANY_REPLY, st.sampled_from([None, "stop", "length"]))
def test_any_text_gives_a_result_or_the_typed_error(text: str, finish: str | None) -> None:
    problem, code, decision = read_all(text, finish)
    if finish == "length":
        assert problem in ("truncated", "spent")
        assert code is None
        assert decision is None


@settings(max_examples=100, deadline=None)
@given(ANY_REPLY)
def test_reasoning_never_reaches_an_answer(text: str) -> None:
    hidden = text.replace("<", "").replace("|", "").replace("&", "")
    with pytest.raises(Misread) as caught:
        clean(f"<think>{hidden}ZEBRA")
    assert caught.value.problem == "reasoning"
    with suppress(Misread):
        assert "ZEBRA" not in clean(f"{hidden}ZEBRA</think>{GO}")


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_repeats_without_end_are_read_to_their_end(piece: str) -> None:
    read_all((piece * MAX_CHARS)[: MAX_CHARS - 1])
