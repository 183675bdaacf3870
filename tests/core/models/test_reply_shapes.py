"""Shapes in which models send a reply, for every reader: the answer is read, or refused rightly.

In each shape ``{answer}`` stands for what counts, and ``{draft}`` for what must never count: a
thought, or a turn that the model invented.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from core.models.reply_code import find_code
from core.models.reply_json import find_json
from core.models.reply_text import WORDS_OF, Misread, clean
from tests.kit.replies import read_decision

CODE = "x = 1\nfinal_answer(x)"
VERDICT = {"verdict": "allowed", "reason": "r"}


def decide(text: str, finish: str | None = "stop") -> object:
    decision = read_decision(text, finish)
    return (decision.decision, decision.instruction)


def program(text: str, finish: str | None = "stop") -> object:
    return find_code(clean(text, finish))


def verdict(text: str, finish: str | None = "stop") -> object:
    found = find_json(clean(text, finish), ["verdict", "reason"])
    if found is None:
        raise Misread("no object")
    return found


READERS: dict[str, tuple[Callable[..., object], str, str, object]] = {
    "evaluator": (
        decide,
        "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: List it.",
        "THOUGHT: all there\nDECISION: FINISH\nINSTRUCTION: DONE",
        ("PROCEED", "List it."),
    ),
    "worker": (program, f"Thought: go.\n<code>\n{CODE}\n</code>", "<code>\nbad()\n</code>", CODE),
    "small call": (
        verdict,
        json.dumps(VERDICT),
        json.dumps({"verdict": "denied", "reason": "d"}),
        VERDICT,
    ),
}

READ = [
    "{answer}",
    "Sure, here it is.\n\n{answer}",
    "<think>{draft}</think>\n{answer}",
    "<THINK>{draft}</THINK>{answer}",
    "<thinking>{draft}</thinking>{answer}",
    "<thought>\n{draft}\n</thought>\n{answer}",
    "<thoughts>{draft}</thoughts>{answer}",
    "<reasoning>{draft}</reasoning>\n\n{answer}",
    '<reasoning effort="high">{draft}</reasoning>{answer}',
    "<analysis>{draft}</analysis>{answer}",
    "<scratchpad>{draft}</scratchpad>{answer}",
    "<seed:think>{draft}</seed:think>{answer}",
    "<longcat_think>{draft}</longcat_think>{answer}",
    "<ant:thinking>{draft}</ant:thinking>{answer}",
    "&lt;think&gt;{draft}&lt;/think&gt;{answer}",
    "[THINK]{draft}[/THINK]{answer}",
    "◁think▷{draft}◁/think▷{answer}",
    "<|begin_of_thought|>{draft}<|end_of_thought|><|begin_of_solution|>{answer}<|end_of_solution|>",
    "<|START_THINKING|>{draft}<|END_THINKING|><|START_RESPONSE|>{answer}<|END_RESPONSE|>",
    "<|inner_prefix|>{draft}<|inner_suffix|>{answer}",
    "<|channel>thought\n{draft}\n<channel|>{answer}<turn|>",
    "<|think|>{draft}<|end|><|begin|>assistant<|content|>{answer}<|end|>",
    "<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>"
    "{answer}<|return|>",
    "<|channel|>commentary<|message|>{draft}<|end|>{answer}",
    "{draft}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
    "<|channel|>final <|constrain|>text<|message|>{answer}",
    "analysis{draft}assistantfinal{answer}",
    "Here is my thought process:\n{draft}\nHere is my response:\n{answer}",
    "Here's my thought process: {draft}\nHere's my response: \n{answer}",
    "Here are my reasoning steps:\n{draft}\n[BEGIN FINAL RESPONSE]\n{answer}\n[END FINAL RESPONSE]",
    '<details type="reasoning" done="true">\n<summary>Thought</summary>\n{draft}\n</details>\n'
    "{answer}",
    "```thinking\n{draft}\n```\n{answer}",
    "~~~thinking\n{draft}\n~~~\n{answer}",
    "````reasoning_trace\n{draft}\n````\n{answer}",
    "<thought_process>{draft}</thought_process>{answer}",
    "<reasoning_content>{draft}</reasoning_content>{answer}",
    "<inner_monologue>{draft}</inner_monologue>{answer}",
    "< think >{draft}</ think >{answer}",
    "[BEGIN REASONING]{draft}[END REASONING]{answer}",
    "<|thinking|>{draft}<|/thinking|>{answer}",
    "<|begin_of_thinking|>{draft}<|end_of_thinking|>{answer}",
    "<|thought_start|>{draft}<|thought_end|>{answer}",
    "{draft}<|END_THINKING|>{answer}",
    "<unused94>thought\n{draft}<unused95>{answer}",
    "<details>\n<summary>Thought for 3 seconds</summary>\n{draft}\n</details>\n{answer}",
    "<!-- thinking: {draft} -->\n{answer}",
    "{answer}\n<think>{draft}</think>",
    "{answer}<|im_end|>\n<|im_start|>assistant\n<think>{draft}",
    "{answer}<|assistant|>{draft}",
    "{draft}</think>\n{answer}",
    "{draft}\n</thinking>{answer}",
    "<think>a<think>{draft}</think>{draft}</think>{answer}",
    "{answer}</think>",
    "{answer}\n</think>\n<|im_end|>",
    "<think>{draft}</think>{answer}\n</think>\n",
    "{answer}<|im_end|>",
    "{answer}<|im_e",
    "{answer}</s>",
    "{answer}<｜end▁of▁sentence｜>",
    "{answer}<end_of_turn>\n<start_of_turn>user\nnext?",
    "{answer}<|im_end|>\n<|im_start|>user\nREPORT: done\n<|im_start|>assistant\n{draft}",
    "<|channel|>final<|message|>{answer}<|end|><|start|>user<|message|>done<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{draft}",
    "<s>[INST]\n{answer}",
    "\ufeff{answer}",
    "```\n{answer}\n```",
    "```text\n{answer}\n```",
    "~~~\n{answer}\n~~~",
    "```markdown\n{answer}\n```\n",
    "Here:\n```\n{answer}\n```",
    "<answer>\n{answer}\n</answer>",
    "<think>{draft}</think>\n<response>\n{answer}\n</response>",
    "<output>{answer}</output>",
    "{answer}\n</answer>",
    "{answer}\n---",
    "{answer}\n```",
]
REFUSED = [
    ("", "stop", "empty"),
    (" \n", None, "empty"),
    ("<think>{draft}</think>", "stop", "reasoning"),
    ("<think>{draft}", "stop", "reasoning"),
    ("<|channel>thought\n{draft}\n<channel|>", "stop", "reasoning"),
    ("thought\n{draft}\nso the answer is\n{answer}", "stop", "reasoning"),
    ("<|channel|>analysis<|message|>{draft}<|end|>", "stop", "reasoning"),
    ("analysisWe could write {draft}", "stop", "reasoning"),
    ("Here are my reasoning steps:\n{draft}", "stop", "reasoning"),
    ("{answer}\n<think>{draft}", "stop", "open"),
    ("[REASONING]{draft}[/REASONING]", "stop", "reasoning"),
    ("<|thinking|>{draft}<|/thinking|>", "stop", "reasoning"),
    ("<think>{draft}", "length", "spent"),
    ("", "length", "spent"),
    ("{answer}", "length", "truncated"),
    ("{answer}", "max_tokens", "truncated"),
    ("{answer}", "content_filter", "filtered"),
    ("{answer}" + "\nemployee:a, employee:a, employee:a, employee:a, ee" * 9, "length", "loop"),
]  # fmt: skip


def fill(shape: str, role: str) -> str:
    return shape.replace("{answer}", READERS[role][1]).replace("{draft}", READERS[role][2])


@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize("shape", READ)
def test_the_answer_is_read_and_nothing_else(shape: str, role: str) -> None:
    read, _, _, expected = READERS[role]
    assert read(fill(shape, role)) == expected


@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize(("shape", "finish", "problem"), REFUSED)
def test_what_is_no_whole_answer_is_refused_with_its_reason(
    shape: str, finish: str | None, problem: str, role: str
) -> None:
    text = fill(shape, role)
    with pytest.raises(Misread) as caught:
        READERS[role][0](text, finish)
    assert caught.value.problem == problem
    assert (str(caught.value), caught.value.advice) == WORDS_OF[problem]


@pytest.mark.parametrize(
    ("finish", "reasoning", "problem"),
    [("stop", "hm", "reasoning"), ("length", "hm", "spent"), (None, "", "empty")],
)
def test_what_a_provider_tells_apart_explains_an_empty_answer(
    finish: str | None, reasoning: str, problem: str
) -> None:
    with pytest.raises(Misread) as caught:
        clean("", finish, reasoning=reasoning)
    assert caught.value.problem == problem
