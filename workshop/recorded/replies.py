"""The recorded replies of a benchmark: a TOML file that a person can read, and a task's part of it.

A reply is found by what a person would look for: the task, the turn and the role. No prompt is kept
or hashed, so a prompt may be edited without a recording getting lost.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

_FOLDER = Path(__file__).parent


class RecordedTurn(BaseModel):
    """What evaluator and worker replied in one turn of a task, each list in its order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    evaluator: tuple[str, ...]
    """The second is the answer to a challenge."""
    worker: tuple[str, ...] = ()
    """One for each step of the instruction."""


class RecordedVerdict(BaseModel):
    """What the policy replied on a change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    change: str
    """As its prompt shows it; "" for the answer to a guest."""
    reply: str


class RecordedTask(BaseModel):
    """One task as a language model played it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    """The scenario's; for readers of the file."""
    text: str
    """What the task says, by which it is found."""
    calls: Mapping[str, str] = {}
    """Replies to the small calls of stages, by role."""
    verdicts: tuple[RecordedVerdict, ...] = ()
    turns: tuple[RecordedTurn, ...]


class RecordedWiki(BaseModel):
    """What a model named as the rules of some pages, which no task is part of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pages: tuple[str, ...]
    """Their paths, in the order of the prompt."""
    reply: str


class Recording(BaseModel):
    """All recorded replies of a benchmark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    recorded: date
    model: str
    """Who replied, in words."""
    wikis: tuple[RecordedWiki, ...] = ()
    tasks: tuple[RecordedTask, ...]

    def task_of(self, text: str) -> RecordedTask | None:
        """The task with this text; None: it has no recording."""
        return next((task for task in self.tasks if task.text == text), None)

    def worker_replies(self, instruction: str) -> tuple[str, ...]:
        """The replies to an instruction; () for one that no recorded turn gives.

        A worker's prompt has nothing but its instruction, which stands in the reply of the
        evaluator that gave it.
        """
        plain = instruction.strip()
        for turn in (turn for task in self.tasks for turn in task.turns):
            if turn.worker and plain and plain in turn.evaluator[-1]:
                return turn.worker
        return ()


@lru_cache(maxsize=8)
def load(name: str, folder: Path = _FOLDER) -> Recording:
    """The recording of a benchmark. Raises LookupError: there is none."""
    try:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
    except OSError:
        raise LookupError(f"there are no recorded replies for {name}") from None
    return Recording.model_validate(tomllib.loads(text))


def has_recording(name: str) -> bool:
    """Whether tasks of a benchmark are recorded."""
    return (_FOLDER / f"{name}.toml").is_file()


def written(recording: Recording) -> str:
    """The file of a recording."""
    lines = [
        f"recorded = {recording.recorded.isoformat()}",
        f"model = {_basic(recording.model)}",
    ]
    for wiki in recording.wikis:
        lines += ["", "[[wikis]]", f"pages = [{', '.join(map(_basic, wiki.pages))}]"]
        lines.append(f"reply = {_quoted(wiki.reply)}")
    for task in recording.tasks:
        lines += ["", "", "[[tasks]]", f"id = {_basic(task.id)}"]
        lines.append(f"text = {_quoted(task.text)}")
        lines += [f"calls.{role} = {_quoted(text)}" for role, text in task.calls.items()]
        for one in task.verdicts:
            lines += ["", "[[tasks.verdicts]]", f"change = {_quoted(one.change)}"]
            lines.append(f"reply = {_quoted(one.reply)}")
        for turn in task.turns:
            lines += ["", "[[tasks.turns]]", f"evaluator = {_listed(turn.evaluator)}"]
            lines += [f"worker = {_listed(turn.worker)}"] if turn.worker else []
    return "\n".join(lines) + "\n"


def _listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    """A string of TOML: over several lines as it is, where that is possible."""
    plain = "'''" not in text and not text.endswith("'") and "\r" not in text
    if plain and not text.isprintable() and all(c.isprintable() or c in "\n\t" for c in text):
        return f"'''\n{text}'''"
    return _basic(text)


def _basic(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
