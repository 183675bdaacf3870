"""Model text as it arrives: reasoning, channels, fences."""

import pytest

from models.text import find_code, strip_reasoning

CODE = "x = 1\nfinal_answer(x)"
FENCES = {
    "tags": f"Thought: go.\n<code>\n{CODE}\n</code>",
    "upper-case tags": f"<CODE>\n{CODE}\n</CODE>",
    "no closing tag": f"<code>\n{CODE}",
    "half a closing tag": f"<code>\n{CODE}\n</code",
    "python fence": f"```python\n{CODE}\n```",
    "python3 fence": f"```python3\n{CODE}\n```",
    "py fence": f"```py\n{CODE}\n```",
    "capital fence": f"```Python\n{CODE}\n```",
    "bare fence": f"```\n{CODE}\n```",
    "fence with a blank": f"``` python\n{CODE}\n```",
    "open fence": f"Here:\n```python\n{CODE}\n",
    "windows fence": f"```python\r\n{CODE}\r\n```",
    "fence inside of tags": f"<code>\n```python\n{CODE}\n```\n</code>",
    "tags inside of a fence": f"```\n<code>\n{CODE}\n</code>\n```",
    "the last of two": f"<code>\ny = 0\n</code>\nor better\n<code>\n{CODE}\n</code>",
    "tags named in the prose": f"I write between <code> and </code>.\n```python\n{CODE}\n```",
    "code in the thoughts": f"<think><code>bad()</code></think><code>\n{CODE}\n</code>",
    "thoughts without an opener": f"<code>bad()</code></think>\n<code>\n{CODE}\n</code>",
    "code in another channel": "<|channel|>analysis<|message|><code>bad()</code><|end|>"
    f"<|channel|>final<|message|><code>\n{CODE}\n</code>",
}


@pytest.mark.parametrize("reply", FENCES.values(), ids=FENCES.keys())
def test_code_is_found(reply: str) -> None:
    found = find_code(reply)
    assert found is not None
    assert found.replace("\r", "") == CODE


@pytest.mark.parametrize(
    "reply",
    ["", "no code here", "<think><code>bad()</code>", "<code>\n</code>", "```python\n```"],
)
def test_no_code_is_none(reply: str) -> None:
    assert find_code(reply) is None


def test_code_that_is_no_python_is_still_handed_on() -> None:
    assert find_code("<code>\nfor x in\n</code>") == "for x in"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("<Thinking>a</Thinking>b<reasoning>c</reasoning>", "b"),
        ("<think>never closed", ""),
        ("a</think>b</think>c", "c"),
        ("<|channel|>analysis<|message|>a", ""),
        ("<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>", "{}"),
        ("b<|end|>", "b"),
    ],
)
def test_reasoning_is_never_the_answer(text: str, left: str) -> None:
    assert strip_reasoning(text) == left
