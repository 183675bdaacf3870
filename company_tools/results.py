"""The words of the company for its results: groups of tasks, and a state in short."""

from __future__ import annotations

import json

import regex

GROUPS = ("answer", "deny", "clarify", "other")
_WANTED = regex.compile(r"expected outcomes? '([^']+)'")
_GROUP = {"ok_answer": "answer", "denied_security": "deny", "none_clarification_needed": "clarify"}


def group_of(eval_log: str, verdict: str | None = None) -> str | None:
    """The group of a task by the platform's evaluator, which says nothing of a task that passed.

    There the outcome that was sent, the ``verdict``, is one that was wanted.
    """
    match = _WANTED.search(eval_log)
    wanted = match[1].split(",")[0].strip() if match else verdict
    return _GROUP.get(wanted, "other") if wanted else None


def changes_line(state: str) -> str:
    """The changes so far in a few words, "" where there are none."""
    try:
        shown = json.loads(state)
    except ValueError:
        return ""
    if shown.get("answered"):
        return f"answered {shown['answered'][-1].get('outcome', '')}"
    changes = shown.get("changes")
    return f"{len(changes)} changes" if isinstance(changes, list) else ""
