"""Model text as it arrives: reasoning cut off, code found."""

from __future__ import annotations

import regex

_THINK = regex.compile(
    r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE
)
_CHANNEL = regex.compile(
    r"<\|channel\|>(\w+)[^<]*(?:<\|constrain\|>\w+)?<\|message\|>(.*?)"
    r"(?=<\|end\|>|<\|return\|>|<\|start\|>|<\|channel\|>|\Z)",
    regex.DOTALL,
)
_MARK = regex.compile(r"<\|[a-z_]+\|>")
_CODE = [
    regex.compile(r"<code>(.*?)</code", regex.DOTALL | regex.IGNORECASE),
    regex.compile(r"```[ \t]*(?:python3?|py)?[ \t]*\r?\n(.*?)```", regex.DOTALL | regex.IGNORECASE),
]
_OPEN_CODE = [
    regex.compile(r"<code>(.*)\Z", regex.DOTALL | regex.IGNORECASE),
    regex.compile(r"```[ \t]*(?:python3?|py)?[ \t]*\r?\n(.*)\Z", regex.DOTALL | regex.IGNORECASE),
]
_FENCE = regex.compile(r"\A\s*```\w*\n(.*?)(?:\n```)?\s*\Z", regex.DOTALL)


def strip_reasoning(text: str) -> str:
    """A reply without reasoning blocks and channel marks; reasoning never counts as the answer."""
    if "<|channel|>" in text:
        text = "\n".join(body for channel, body in _CHANNEL.findall(text) if channel == "final")
    text = _THINK.sub("", text)
    if "</think>" in text:
        text = text.rsplit("</think>", 1)[1]
    return _MARK.sub("", text).strip()


def find_code(reply: str) -> str | None:
    """The last code block of a reply, or None; an unclosed one counts, a quoted tag does not."""
    text = strip_reasoning(reply)
    for pattern in (*_CODE, *_OPEN_CODE):
        blocks = [b for b in pattern.findall(text) if b.strip()]
        if blocks:
            code: str = blocks[-1]
            fenced = _FENCE.match(code)
            return (fenced[1] if fenced else code).strip("\n\r ")
    return None
