"""How scripted models judge changes: what the pack wants is allowed, and what a mistake makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import regex

from workshop.scripted.company import Wish
from workshop.scripted.prompt import Prompt

CLEAN = json.dumps({"verdict": "clean", "reason": ""})
"""Of every answer to a guest."""
_PAGE = regex.compile(
    r"^=== page (\S+)([^\n]*)\n(.*?)(?=^=== page |\Z)", regex.MULTILINE | regex.DOTALL
)
_LEAST_LETTERS = 12
_QUOTED_WORDS = 12


def judge(prompt: Prompt, wishes: Sequence[Wish]) -> str:
    """The verdict on the change of a prompt: allowed by a line that counts, or denied."""
    change = prompt.section("change") or ""
    wanted = any(_target(event) in change for wish in wishes for event in wish.events)
    if not wanted:
        denied = {"verdict": "denied", "basis": "", "page": "", "quote": "", "reason": "not asked"}
        return json.dumps(denied)
    page, quote = line_that_counts(prompt.section("wiki") or "")
    said = {"verdict": "allowed", "basis": "rule" if quote else "silent", "page": page}
    return json.dumps({**said, "quote": quote, "reason": "it is asked for"}, ensure_ascii=False)


def _target(event: dict[str, Any]) -> str:
    """What an event changes, as a prompt names it."""
    named = (str(event.get(field) or "") for field in ("file", "employee", "id"))
    return next(filter(None, named), "nothing")


def line_that_counts(wiki: str) -> tuple[str, str]:
    """A page that counts, and the beginning of one of its lines; which one is no matter here."""
    for path, mark, text in _PAGE.findall(wiki):
        if "no page refers" in mark or "gives nothing" in mark:
            continue
        for line in text.splitlines():
            if sum(map(str.isalpha, line)) >= _LEAST_LETTERS:
                return path, " ".join(line.split()[:_QUOTED_WORDS])
    return "", ""
