"""The worker's report on one instruction, a record with two renderings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import regex
from pydantic import BeforeValidator

from core.ledger import Record, ToolCall, shortened
from core.ledger.calls import shorten
from core.models.prompt_json import compact, packed
from core.models.tokens import count_text, cut_text
from core.runs.fit import fit

RESULT_TOKENS = 6_000
OLD_RESULT_TOKENS = 320
RESULT_OF_CALL = 160
SHOWN_CALLS = 12
"""Calls that are shown with their answers, the latest ones."""
SHORT_CALLS = 60
"""Writes that are shown at all, the rest is counted."""
ANSWERED_CALLS = 8
"""The same where an answer tells what they were for."""
_ERROR_LINE = regex.compile(r"\s*line (\d+)\b")
"""A line of a traceback, as the sandbox words it."""
_AROUND_ERROR = regex.compile(r"\s|line \d+: |Code |Hint: |Python was started again")
"""The lines around the message in the text of a failed step."""
ERROR_CHARS = 200
_HEADS = {"done": "EFFECT done", "unknown": "EFFECT unknown", "failed": "FAILED"}

RETURNED = "RETURNED by "
"""Begins the line of a tool that was called and changed nothing."""
LINE_TOKENS = 60
TURN_TOKENS, OLD_TURN_TOKENS = 400, 150
"""Maximum tokens of all lines of the latest turn and of an older one; newest lines stay."""
ARGUMENT_TOKENS, LEAST_TOKENS = 14, 20
"""Maximum tokens of a line's arguments; what its answer has at least."""


class StepRecord(Record):
    """One snippet of the worker: code, prints, and the error that ended it."""

    code: str
    prints: str = ""
    error: str | None = None
    error_kind: str | None = None
    sandbox: str | None = None
    """Where it ran: landlock or monty; None when it was refused before it ran."""
    seconds: float = 0.0

    @property
    def failed_line(self) -> int | None:
        """The line in which it failed, as its error tells; None: it did not, or nobody knows."""
        places = [
            match[1] for match in map(_ERROR_LINE.match, (self.error or "").splitlines()) if match
        ]
        return int(places[-1]) if places else None


@dataclass(frozen=True)
class CallOutcome:
    """What calls of tools came to that no code has made."""

    result: object = None
    error: str | None = None


class WorkReport(Record):
    """The outcome of one instruction."""

    steps: tuple[StepRecord, ...] = ()
    result: Annotated[object, BeforeValidator(lambda value: _without_sets(value))] = None
    """The argument of final_answer, as plain data."""
    answered: bool = False
    error: str | None = None
    failure: Literal["model"] | None = None
    """The external failure that ended the work: the worker's model gave no answer."""
    sandbox: Literal["landlock", "monty"] | None = None
    """The sandbox that was opened, also for a replay; None: no code ran."""
    pins: tuple[float, int] | None = None
    """Clock (seconds since 1970) and seed of the sandbox: what a repetition needs to be equal."""
    calls: tuple[ToolCall, ...] = ()
    requests: int = 0
    seconds: float = 0.0

    @property
    def fault(self) -> str | None:
        """What went wrong, in a few words; None: nothing that matters.

        A read that failed does not matter behind the last effect, or where the same read was
        answered later.
        """
        if self.failure or self.error or not self.answered:
            return self.error or self.failure or "there is no report"
        ignored = self._harmless_calls()
        for number, step in reversed(list(enumerate(self.steps, start=1))):
            errors = [str(call.error) for call in ignored if call.step == number and call.error]
            if step.error and not any(error in step.error for error in errors):
                return step.error
        for call in reversed(self.calls):
            if call.outcome != "done" and call not in ignored:
                return f"{call.name}: {call.error or call.outcome}"
        return _error_in(shortened(self.result), [call.error for call in ignored if call.error])

    def _harmless_calls(self) -> list[ToolCall]:
        last_effect = max((call.number for call in self.calls if _had_effect(call)), default=None)
        answered = [call for call in self.calls if call.outcome == "done"]

        def is_answered_later(read: ToolCall) -> bool:
            later = (one for one in answered if one.number > read.number)
            return any((one.name, one.arguments) == (read.name, read.arguments) for one in later)

        return [
            call
            for call in self.calls
            if call.kind == "read"
            and call.outcome == "failed"
            and ((last_effect is not None and call.number > last_effect) or is_answered_later(call))
        ]

    @property
    def program_error(self) -> str | None:
        """How its program failed, on one line with the line of code; None: it came to an end."""
        last = self.steps[-1] if self.steps and not self.answered else None
        if last is None or not (last.error or "").strip():
            return None
        lines = [line for line in (last.error or "").splitlines() if line.strip()]
        messages = [line for line in lines if not _AROUND_ERROR.match(line)]
        text = f"worker code failed: {(messages or lines)[0][:ERROR_CHARS]}"
        return text if last.failed_line is None else f"{text}, line {last.failed_line}"

    def prompt(self, *, latest: bool) -> str:
        """Render the report for the evaluator; an older one keeps only errors and effects.

        The worker's own words come before what its tools returned.
        """
        limit = RESULT_TOKENS if latest else OLD_RESULT_TOKENS
        result = fit(self.result, limit) if self.answered else ""
        lines = [f"TOOL CALLS: {len(self.calls)}", *_log(self.calls, result)]
        if latest:
            judged = (one for call in self.calls for one in call.judged)
            lines += [f"POLICY: {one.line}" for one in judged if one.sent]  # else the error has it
        if self.error:
            lines.append(f"ERROR: {self.error[:1500]}")
        if not self.answered and self.steps and self.steps[-1].prints:
            lines.append(f"PRINTED: {self.steps[-1].prints[:1500]}")
        lines.append(f"RESULT: {result or 'none'}")
        prints = [step.prints for step in self.steps[: None if self.answered else -1]]
        tokens = TURN_TOKENS if latest else OLD_TURN_TOKENS
        # What an older report was cut down from was told while it was the latest.
        text = result if latest or not result else fit(self.result, RESULT_TOKENS)
        return "\n".join([*lines, *observations(self.calls, prints, text, tokens)])


def _log(calls: Sequence[ToolCall], result: str) -> list[str]:
    """List what took effect, may have, or failed, in order.

    ``result`` is the answer that follows the log, or "". Effects are listed even if
    the code failed later, and none is omitted: of older ones and those before an answer the
    results are omitted, and very many are counted by tool. An unknown effect always has its
    own line. Only the last failures are listed.
    """
    failed = [c for c in calls if c.outcome == "failed"]
    done = [c for c in calls if c.outcome == "done" and _had_effect(c)]
    most = ANSWERED_CALLS if result else SHORT_CALLS
    shown = {c.number for c in (*failed[-SHOWN_CALLS:], *done[-most:])}
    full = set() if result else {c.number for c in done[-SHOWN_CALLS:]}
    tools = Counter(c.name for c in done[:-most])
    lines = [f"EFFECT done: {n} earlier calls of {name}" for name, n in tools.items()]
    if len(failed) > SHOWN_CALLS:
        lines.append(f"FAILED: {len(failed) - SHOWN_CALLS} calls before these")
    for call in calls:
        if call.outcome == "unknown" or call.number in shown:
            chars = RESULT_OF_CALL if call.number in full else 0
            text = call.prompt(result_chars=chars, told=result)
            lines.append(f"{_HEADS[call.outcome]}: {text}")
    return lines


def _had_effect(call: ToolCall) -> bool:
    """Whether a call changed something; one that found all as it should be did not."""
    writes = (one for one in call.requests if one.kind == "write")
    return call.kind == "write" and any(one.outcome == "done" for one in writes)


def _error_in(value: object, ignored: Sequence[str]) -> str | None:
    """An error that a report names in one of its fields, other than those of ``ignored`` texts."""
    if isinstance(value, dict):
        named = (k for k, v in value.items() if v and regex.search("error|fail", str(k), regex.I))
        told = (key for key in named if _text_of(value[key]) not in ignored)
        error = next((f"{key}: {compact(value[key])}" for key in told), None)
        inner = (one for one in value.values() if _text_of(one) not in ignored)
        return error or next(filter(None, (_error_in(one, ignored) for one in inner)), None)
    if isinstance(value, list | tuple):
        return next(filter(None, (_error_in(one, ignored) for one in value)), None)
    return None


def _text_of(error: object) -> object:
    return error.get("text") if isinstance(error, dict) else error


def _without_sets(value: object) -> object:
    """Sets as sorted lists: their own order is another in the next run of Python."""
    if isinstance(value, dict):
        return {key: _without_sets(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_without_sets, value), key=lambda v: json.dumps(v, default=str))
    if isinstance(value, list | tuple):
        return type(value)(map(_without_sets, value))
    return value


def observations(
    calls: Sequence[ToolCall], prints: Sequence[str], result: str, tokens: int
) -> list[str]:
    """A line for each call that was answered and changed nothing, and for each printed text.

    ``result`` is the report as text: what it contains is not repeated. If the
    lines have more than ``tokens`` tokens, older ones are omitted. Both are counted.
    """
    reads = [call for call in calls if call.outcome == "done" and not _had_effect(call)]
    kept: list[str] = []
    left_out = len(reads)

    def newest_first() -> Iterator[tuple[str, bool]]:
        """Lines, and whether each is of a read; of one that the report tells it is empty."""
        for printed in reversed(prints):
            text = " ".join(printed[: 40 * LINE_TOKENS].split())
            if text and text not in result:
                yield cut_text(f"PRINTED: {text}", LINE_TOKENS), False
        for call in reversed(reads):
            yield "" if _is_told(call, result) else _line(call), True

    for line, is_read in newest_first():
        tokens -= count_text(line)
        if tokens < 0:
            break
        left_out -= is_read
        if line:
            kept.insert(0, line)
    return [*([f"{RETURNED}{left_out} other calls: left out"] if left_out else []), *kept]


def _is_told(call: ToolCall, rendered: str) -> bool:
    """Whether a report has the result of a call: it is whole there, or texts of it that were found.

    A program that reports is believed to report what matters: in 95 tasks that were answered by
    hand no line beside such a report was used.
    """
    short = shortened(call.result)
    whole = compact(packed(short))
    if len(whole) > 2 and whole in rendered:
        return True
    asked = set(_texts(call.arguments))
    return any(text in rendered for text in _texts(short) if text not in asked)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield compact(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _line(call: ToolCall) -> str:
    named = ", ".join(f"{key}={shorten(value, 100)}" for key, value in call.arguments.items())
    begin = f"{RETURNED}{call.name}({cut_text(named, ARGUMENT_TOKENS)}): "
    return begin + fit(call.result, max(LINE_TOKENS - count_text(begin), LEAST_TOKENS))
