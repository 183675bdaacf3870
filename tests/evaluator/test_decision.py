"""The reader of decisions, on replies as models really send them."""

import json

import pytest

from core.models.reprompt import Misread
from core.runs.task import Decision
from evaluator.evaluator import read_decision

GO = Decision(thought="look first", decision="PROCEED", instruction="List the products.")
STOP = Decision(thought="all there", decision="FINISH", instruction="DONE")
PLAIN = "THOUGHT: look first\nDECISION: PROCEED\nINSTRUCTION: List the products."
OBJECT = {"thought": "look first", "decision": "PROCEED", "instruction": "List the products."}
PASCAL = {"Thought": "look first", "Decision": "proceed", "Instruction": "List the products."}
END = "THOUGHT: all there\nDECISION: FINISH\nINSTRUCTION: DONE"

READABLE = {
    "as asked": (PLAIN, GO),
    "finish": (END, STOP),
    "lower case": (PLAIN.replace("THOUGHT", "thought").replace("DECISION", "decision"), GO),
    "title case": (
        "Thought: look first\nDecision: Proceed\nInstruction: List the products.",
        GO,
    ),
    "lower-case word": (PLAIN.replace("PROCEED", "proceed"), GO),
    "plural labels": (
        "Thoughts: look first\nDecision: PROCEED\nInstructions: List the products.",
        GO,
    ),
    "reasoning as label": (PLAIN.replace("THOUGHT", "REASONING"), GO),
    "bold labels": (
        "**THOUGHT:** look first\n**DECISION:** PROCEED\n**INSTRUCTION:** List the products.",
        GO,
    ),
    "bold with the colon outside": (
        "**Thought**: look first\n\n**Decision**: **PROCEED**\n\n**Instruction**: "
        "List the products.",
        GO,
    ),
    "underlined": ("__THOUGHT__: look first\n__DECISION__: FINISH\n__INSTRUCTION__: x", None),
    "headings": (
        "## THOUGHT\nlook first\n\n## DECISION\nPROCEED\n\n## INSTRUCTION\nList the products.",
        GO,
    ),
    "headings with a colon": (
        "### Thought:\nlook first\n### Decision:\nPROCEED\n### Instruction:\nList the products.",
        GO,
    ),
    "bold headings without a sign": (
        "**Thought**\nlook first\n\n**Decision**\nPROCEED\n\n**Instruction**\nList the products.",
        GO,
    ),
    "numbered headings": (
        "### 1. Thought\nlook first\n### 2. Decision\nPROCEED\n### 3. Instruction\n"
        "List the products.",
        GO,
    ),
    "numbered list": (
        "1. THOUGHT: look first\n2. DECISION: PROCEED\n3. INSTRUCTION: List the products.",
        GO,
    ),
    "bullets": (
        "- THOUGHT: look first\n- DECISION: PROCEED\n- INSTRUCTION: List the products.",
        GO,
    ),
    "quoted": ("> THOUGHT: look first\n> DECISION: PROCEED\n> INSTRUCTION: List it.", None),
    "dashes for colons": (
        "THOUGHT - look first\nDECISION - PROCEED\nINSTRUCTION - List the products.",
        GO,
    ),
    "equal signs": ("THOUGHT = look first\nDECISION = PROCEED\nINSTRUCTION = List it.", None),
    "label and text on lines of their own": (
        "THOUGHT:\nlook first\n\nDECISION:\nPROCEED\n\nINSTRUCTION:\nList the products.\n",
        GO,
    ),
    "windows lines": (PLAIN.replace("\n", "\r\n"), GO),
    "text before": (f"Sure! Here is my decision.\n\n{PLAIN}", GO),
    "whole reply in a fence": (f"```\n{PLAIN}\n```", None),
    "instruction in a fence": (
        "THOUGHT: look first\nDECISION: PROCEED\nINSTRUCTION:\n```text\nList the products.\n```",
        GO,
    ),
    "decision with a full stop and a reason": (
        "THOUGHT: look first\nDECISION: PROCEED. I need facts.\nINSTRUCTION: List the products.",
        GO,
    ),
    "decision in backticks": (PLAIN.replace("PROCEED", "`PROCEED`"), GO),
    "one line": (PLAIN.replace("\n", " "), GO),
    "json": (json.dumps(OBJECT), GO),
    "json in a fence": (f"Here:\n```json\n{json.dumps(OBJECT, indent=2)}\n```\nThanks.", GO),
    "json with pascal case keys in a wrapper": (
        f"```json\n{json.dumps({'Answer': PASCAL})}\n```",
        GO,
    ),
    "json with upper keys": (json.dumps({k.upper(): v for k, v in OBJECT.items()}), GO),
    "json behind another object": (f'{{"note": 1, "b": 2}} then {json.dumps(OBJECT)}', GO),
    "json with a raw line break": (
        '{"thought": "look first", "decision": "PROCEED", "instruction": "List\nall."}',
        None,
    ),
    "think block": (f"<think>DECISION: FINISH, surely\nINSTRUCTION: DONE</think>\n{PLAIN}", GO),
    "only the closing think tag": (f"DECISION: FINISH maybe\n</think>\n{PLAIN}", GO),
    "upper-case think block": (f"<THINK>DECISION: FINISH</THINK>{PLAIN}", GO),
    "channels": (
        "<|channel|>analysis<|message|>DECISION: FINISH<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{PLAIN}<|return|>",
        GO,
    ),
    "channels without their marks": (f"analysisDECISION: FINISH ok?assistantfinal{PLAIN}", GO),
    "tags": (
        "<thought>look first</thought>\n<decision>PROCEED</decision>\n"
        "<instruction>List the products.</instruction>",
        GO,
    ),
    "decision after the instruction": (
        "THOUGHT: look first\nINSTRUCTION: List the products.\nDECISION: PROCEED",
        GO,
    ),
    "decision first": (
        "DECISION: PROCEED\nTHOUGHT: look first\nINSTRUCTION: List the products.",
        GO,
    ),
    "no thought": ("DECISION: PROCEED\nINSTRUCTION: List the products.", None),
    "continue": (PLAIN.replace("PROCEED", "CONTINUE"), GO),
    "finished": (END.replace("FINISH", "FINISHED"), STOP),
    "finish without an instruction": ("THOUGHT: nothing to do\nDECISION: FINISH", None),
}


@pytest.mark.parametrize(("reply", "expected"), READABLE.values(), ids=READABLE.keys())
def test_replies_are_read(reply: str, expected: Decision | None) -> None:
    decision = read_decision(reply)
    if expected is not None:
        assert decision == expected
    else:
        wanted = "FINISH" if "FINISH" in reply else "PROCEED"
        assert decision.decision == wanted
        assert decision.instruction.startswith("List") or wanted == "FINISH"


def test_the_table_is_long_enough() -> None:
    assert len(READABLE) >= 30


def test_an_instruction_keeps_labels_and_lines_of_its_own() -> None:
    text = "Report this:\nTHOUGHT: copied\nDECISION: FINISH\nand the price."
    decision = read_decision(f"THOUGHT: a\nDECISION: PROCEED\nINSTRUCTION: {text}")
    assert decision.decision == "PROCEED"
    assert decision.instruction == text


def test_several_lines_of_thought_are_kept() -> None:
    decision = read_decision("THOUGHT: one\ntwo\n\nthree\nDECISION: FINISH\nINSTRUCTION: DONE")
    assert decision.thought == "one\ntwo\n\nthree"


def test_a_json_instruction_that_is_an_object_is_text() -> None:
    reply = json.dumps({"decision": "PROCEED", "instruction": {"do": "list"}})
    assert json.loads(read_decision(reply).instruction) == {"do": "list"}


UNREADABLE = {
    "": ["THOUGHT", "DECISION", "INSTRUCTION"],
    "I would rather list the products first.": ["THOUGHT", "DECISION", "INSTRUCTION"],
    "THOUGHT: hm": ["DECISION", "INSTRUCTION"],
    "THOUGHT: hm\nINSTRUCTION: List.": ["DECISION"],
    "THOUGHT: hm\nDECISION: perhaps\nINSTRUCTION: List.": ["PROCEED or FINISH"],
    "THOUGHT: hm\nDECISION: PROCEED": ["no INSTRUCTION"],
    "THOUGHT: hm\nDECISION: PROCEED\nINSTRUCTION:": ["no INSTRUCTION"],
    "<think>DECISION: FINISH": ["DECISION"],
    "<|channel|>analysis<|message|>DECISION: FINISH<|end|>": ["DECISION"],
    '{"thought": "x"}': ["DECISION"],
}


@pytest.mark.parametrize(("reply", "named"), UNREADABLE.items())
def test_what_is_missing_is_named(reply: str, named: list[str]) -> None:
    with pytest.raises(Misread) as caught:
        read_decision(reply)
    for word in named:
        assert word in str(caught.value)


@pytest.mark.parametrize("deep", ["{" * 20_000, '{"a":' * 3_000 + "1" + "}" * 3_000])
def test_nested_nonsense_is_only_unreadable(deep: str) -> None:
    with pytest.raises(Misread):
        read_decision(deep)
