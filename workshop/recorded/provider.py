"""``recorded/store``, ``recorded/company``: a task that has a recording is played by it alone.

Code and tools behind the replies are real, and so is the score. A task without a recording is
played by the scripted model of the same benchmark; within a task the two are never mixed.
"""

from __future__ import annotations

import regex

from core.models.model_call import Message
from core.models.providers import Played
from workshop.recorded.replies import RecordedTask, Recording, load
from workshop.scripted import provider as scripted
from workshop.scripted.prompt import Prompt, plain

_TURN = regex.compile(r"^</state>\nTurn (\d+) of \d+\.", regex.MULTILINE)
_CHALLENGE = regex.compile(r"^</state>\n.*^CHALLENGE", regex.MULTILINE | regex.DOTALL)
_ROLES = {"about": "entities", "rules": "rule_book", "ok": "verify", "answer": "wording"}
"""Small calls, by the first field of the form that their prompt asks for."""
_PAGE = regex.compile(r"^== \d+ (.*) ==$", regex.MULTILINE)


def check(model: str) -> None:
    """Raises LookupError: there is no recording of this name."""
    load(model)


def note(model: str) -> str:
    """What a reader of its results has to know. Raises LookupError: there is no such recording."""
    return (
        f"recorded replies of a language model, {load(model).recorded}; no model was called. A "
        "task without a recording is played by a scripted model, which knows what is asked"
    )


def reply(model: str, messages: list[Message], played: Played) -> str:
    """The recorded reply to a prompt of any role.

    Raises LookupError: its task is recorded, and this reply is not.
    """
    recording, prompt = load(model), Prompt.of(messages)
    if (instruction := prompt.section("instruction")) is not None:
        steps = sum(message["role"] == "assistant" for message in messages)
        if replies := recording.worker_replies(instruction):
            return _nth(replies, steps, f"step {steps + 1} of the worker")
        return scripted.reply(model, messages, played)
    if (text := prompt.section("task")) is None:
        return _rules(recording, prompt) or scripted.reply(model, messages, played)
    task = recording.task_of(text)
    if task is None:
        return scripted.reply(model, messages, played)
    return _of_evaluator(task, prompt) if prompt.strategy == "Turn" else _small(task, prompt)


def _of_evaluator(task: RecordedTask, prompt: Prompt) -> str:
    match = _TURN.search(prompt.user)
    number = int(match[1]) if match else 1
    if number > len(task.turns):
        raise LookupError(f"{task.id}: turn {number} is not recorded")
    challenged = _CHALLENGE.search(prompt.user) is not None
    return _nth(task.turns[number - 1].evaluator, int(challenged), f"{task.id}: turn {number}")


def _small(task: RecordedTask, prompt: Prompt) -> str:
    """The reply to the call of a stage. Raises LookupError: it is not recorded."""
    if prompt.form == "verdict":
        change = prompt.section("change") or ""
        alike = [one.reply for one in task.verdicts if one.change == change]
        # Of one change alone there is no doubt, however its prompt is worded now.
        replies = alike or [one.reply for one in task.verdicts if len(task.verdicts) == 1]
        return _nth(tuple(replies), 0, f"{task.id}: the verdict on this change")
    role = _ROLES.get(prompt.form, "")
    return _nth((task.calls[role],) if role in task.calls else (), 0, f"{task.id}: the call {role}")


def _rules(recording: Recording, prompt: Prompt) -> str | None:
    """What was named as the rules of the pages of a prompt."""
    pages = pages_of(prompt)
    return next((wiki.reply for wiki in recording.wikis if wiki.pages == pages), None)


def pages_of(prompt: Prompt) -> tuple[str, ...]:
    """The paths of the pages that a prompt on the rules of a wiki shows."""
    return tuple(plain(path) for path in _PAGE.findall(prompt.user))


def _nth(replies: tuple[str, ...], number: int, what: str) -> str:
    if number >= len(replies):
        raise LookupError(f"{what} is not recorded")
    return replies[number]
