"""Model text as it arrives: reasoning cut off, code found."""

from __future__ import annotations

import ast

import regex

_THINK = regex.compile(
    r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE
)
_CHANNEL = regex.compile(
    r"<\|channel\|>(\w+)[^<]*(?:<\|constrain\|>\w+)?<\|message\|>(.*?)"
    r"(?=<\|end\|>|<\|return\|>|<\|start\|>|<\|channel\|>|\Z)",
    regex.DOTALL,
)
_BARE_CHANNEL = regex.compile(r"\Aanalysis.*?assistant\s*final", regex.DOTALL)
"""A channel change whose marks were dropped by a server."""
_END_OF_THOUGHT = regex.compile(r"</(?:think|thinking|reasoning)>", regex.IGNORECASE)
_MARK = regex.compile(r"<\|[a-z_]+\|>")
_CODE = [
    regex.compile(r"<code>(.*?)</code", regex.DOTALL | regex.IGNORECASE),
    regex.compile(r"```[ \t]*(?:python3?|py)?[ \t]*\r?\n(.*?)```", regex.DOTALL | regex.IGNORECASE),
]
_OPEN_CODE = [
    regex.compile(r"<code>((?:(?!</code).)*)\Z", regex.DOTALL | regex.IGNORECASE),
    regex.compile(
        r"```[ \t]*(?:python3?|py)?[ \t]*\r?\n((?:(?!```).)*)\Z", regex.DOTALL | regex.IGNORECASE
    ),
]
_FENCE = regex.compile(r"\A\s*```\w*\n(.*?)(?:\n```)?\s*\Z", regex.DOTALL)


def strip_reasoning(text: str) -> str:
    """A reply without reasoning blocks and channel marks; reasoning never counts as the answer."""
    if "<|channel|>" in text:
        text = "\n".join(body for channel, body in _CHANNEL.findall(text) if channel == "final")
    text = _BARE_CHANNEL.sub("", _THINK.sub("", text))
    # Some servers swallow the opening tag: everything up to the last closing one was reasoning.
    text = _END_OF_THOUGHT.split(text)[-1]
    return _MARK.sub("", text).strip()


def find_code(reply: str) -> str | None:
    """The last code block of a reply, or None; an unclosed one counts, a quoted tag does not.

    Between a tagged block and a fence, what is Python is preferred to what is not.
    """
    text = strip_reasoning(reply)
    found = [_last_block(pattern, text) for pattern in (*_CODE, *_OPEN_CODE)]
    blocks = [code for code in found if code]
    return next((code for code in blocks if _is_python(code)), blocks[0] if blocks else None)


def _last_block(pattern: regex.Pattern[str], text: str) -> str:
    blocks = [str(b) for b in pattern.findall(text) if b.strip()]
    if not blocks:
        return ""
    fenced = _FENCE.match(blocks[-1])
    return (fenced[1] if fenced else blocks[-1]).strip("\n\r ")


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
