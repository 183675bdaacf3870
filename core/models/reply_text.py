"""Model text as it arrives, made plain: reasoning, channels and stray marks are taken off.

Both roles begin here, whatever they look for in a reply. Every pattern is linear in the text, and
the text is bounded, so that no reply can keep a run busy.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from core.models.model_call import Message

MAX_CHARS = 50_000
"""Longer replies are cut here and count as cut off."""
QUOTED_CHARS = 1_500
"""How much of the reply is quoted: a reply without an end must not be paid for again."""
_CUT_REASONS = frozenset({"length", "max_tokens", "content_filter"})

Problem = Literal["empty", "reasoning", "spent", "truncated"]
WORDS: dict[str, str] = {
    "empty": "it was empty",
    "reasoning": "it held only reasoning and no answer; think less, then write the answer",
    "spent": "all of its room went into thinking and nothing was answered; think briefly",
    "truncated": "it was cut off before its end; be much shorter",
}

_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\x00"))
_ESCAPED = regex.compile(
    r"&lt;/?(?:code|think|thinking|reasoning|thought|decision|instruction)&gt;", regex.IGNORECASE
)
_NAMES = r"(?:seed:)?(?:think|thinking|reasoning|analysis|scratchpad|reflection)"
_OPEN = rf"<{_NAMES}(?:\s[^<>]{{0,80}}+)?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
_CLOSE = rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
_THINK = regex.compile(rf"(?:{_OPEN}).*?(?:{_CLOSE}|\Z)", regex.DOTALL | regex.IGNORECASE)
_END_OF_THOUGHT = regex.compile(_CLOSE, regex.IGNORECASE)
_HARMONY = regex.compile(r"<\|(channel|message|start|end|return|call|constrain)\|>")
_BARE_CHANNEL = regex.compile(
    r"\A(?:analysis.*?assistant\s*final|(?:analysis|commentary)(?=[A-Z]|\s+to=).*)", regex.DOTALL
)
"""A channel change whose marks were dropped by a server; without a final channel, all of it."""
_MARK = regex.compile(r"<[|｜][^<>|｜\s]{1,40}+[|｜]>|</?s>|\[/?INST\]|<[|｜][a-z_]{0,20}+[|｜]?\Z")
"""Marks of chat templates, also one that was cut off at the end."""


@dataclass(frozen=True)
class Cleaned:
    """A cleaned reply, and what is wrong with it as a whole."""

    text: str
    """Never reasoning; "" where nothing else came."""
    problem: Problem | None = None
    """``spent``: nothing but thinking until the room was used up; ``truncated``: cut off, so that
    nothing in it can be trusted to be whole."""

    @property
    def words(self) -> str:
        """The problem in words for the model; "" without one."""
        return WORDS[self.problem] if self.problem else ""


def clean(text: str, finish_reason: str | None = None, reasoning: str = "") -> Cleaned:
    """Remove reasoning, channels and marks from a reply; reasoning never counts as the answer.

    ``reasoning`` is what the provider returned separately; it explains an empty answer.
    """
    cut = finish_reason in _CUT_REASONS or len(text) >= MAX_CHARS
    left = text[:MAX_CHARS].translate(_INVISIBLE).replace("\r\n", "\n")
    thought = bool(left.strip() or reasoning.strip())
    if _ESCAPED.search(left):
        left = html.unescape(left)
    if "<|channel|>" in left or "<|message|>" in left:
        # A call in the commentary channel is no answer either, because no tool was offered.
        left = "\n".join(body for name, body in _channels(left) if name in ("final", ""))
    bare = _BARE_CHANNEL.sub("", left)
    # Some servers swallow the opening tag: everything up to the last closing one was reasoning.
    answer = _END_OF_THOUGHT.split(_THINK.sub("", bare))[-1]
    plain = _MARK.sub("", answer).strip()
    problem: Problem | None
    if plain:
        problem = "truncated" if cut else None
    elif cut:
        problem = "spent"
    else:
        problem = "reasoning" if thought else "empty"
    return Cleaned(plain, problem)


def repair(messages: Sequence[Message], reply: str, question: str) -> list[Message]:
    """Append the model's reply, without its reasoning, and a question to the prompt."""
    text = clean(reply).text
    if len(text) > QUOTED_CHARS:
        text = f"{text[: QUOTED_CHARS // 2]}\n[...]\n{text[-QUOTED_CHARS // 2 :]}"
    return [
        *messages,
        {"role": "assistant", "content": text or "(empty)"},
        {"role": "user", "content": question},
    ]


def _channels(text: str) -> Iterator[tuple[str, str]]:
    """Channel name and body, in order; the name is "" behind the end of a message."""
    marks = list(_HARMONY.finditer(text))
    # What stands before the first mark was begun in the prompt: it is reasoning.
    name, body = "analysis", ""
    for index, mark in enumerate(marks):
        follows = marks[index + 1] if index + 1 < len(marks) else None
        message = text[mark.end() : follows.start() if follows else len(text)]
        if mark[1] == "channel":
            head = regex.match(r"\s*(\w*)", message)
            name = head[1] if head else ""
            # Where the mark of the message itself was dropped, the body stands behind the name.
            whole = follows is None or follows[1] not in ("message", "constrain")
            body = message[head.end() :] if head and whole else ""
        elif mark[1] in ("end", "return", "call"):
            name, body = "", message
        elif mark[1] == "message":
            body = message
        else:
            name, body = "" if mark[1] == "start" else name, ""
        if body.strip():
            yield name, body
