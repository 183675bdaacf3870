"""Records of tool calls and requests, the fault of a tool, and how prompts say them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict

FaultKind = Literal["ValueError", "KeyError", "TypeError", "RuntimeError", "TimeoutError"]


class FailedRequest(BaseModel):
    """A request to the benchmark's API that failed for good, as the result of a tool shows it."""

    model_config = ConfigDict(frozen=True)

    method: str
    """Name of the request model, such as ``Req_ViewThing``."""
    status: int
    """HTTP status; 200: the response was unusable; 0: no response, or not sent."""
    code: str
    """The API's own code of the error, often empty."""
    text: str
    parameters: dict[str, Any]


class ToolFault(Exception):
    """A tool refused or failed; the text is safe and useful for generated code.

    ``kind`` names the built-in exception that generated code sees (``except ValueError``
    works there); ``text`` is stable and contains the API's own words, never a secret.
    ``fatal`` says that no later call of the same instruction can succeed; ``lost``, that the
    request behind it is known to have had no effect and was not refused either.
    """

    def __init__(
        self,
        text: str,
        *,
        kind: FaultKind = "ValueError",
        fatal: bool = False,
        lost: bool = False,
    ) -> None:
        super().__init__(text)
        self.text = text
        self.kind: FaultKind = kind
        self.fatal = fatal
        self.lost = lost
        self.request: FailedRequest | None = None
        """The failed request; None for a misuse, a budget, and a write that may have taken
        effect, which are never part of a result."""
        self.rows: list[Any] | None = None
        """The records of a listing that were read before it failed."""
        self.found: list[Any] | None = None
        """The rows of a Combo tool's result that were given before it failed; None: it is none."""

    def after(self, earlier: ToolFault) -> Self:
        """The same with the failed request, the records and the rows of an earlier fault."""
        self.request, self.rows, self.found = earlier.request, earlier.rows, earlier.found
        return self


ShortForm: TypeAlias = Callable[[Sequence[Any]], list[str] | None]
"""Texts for the entries of a list, or None for a list of another kind."""
_forms: list[ShortForm] = []
Kind = Literal["read", "write"]
Outcome = Literal["done", "failed", "unknown"]
WireOutcome = Literal["done", "failed", "unknown", "lost"]
"""``unknown``: sent, and no answer came back. ``lost``: known to have had no effect, without
being refused: it never arrived or was turned away unread, and may have been sent again."""


class Record(BaseModel):
    """Freeze a value: a copy without figures that JSON cannot represent."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class WireCall(Record):
    """One request to the benchmark's API and what became of it."""

    path: str
    body: dict[str, object]
    kind: Kind
    outcome: WireOutcome
    error: str | None = None
    seconds: float = 0.0
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""


class Intent(Record):
    """A request that is irreversible, or must not be repeated, and is about to be sent."""

    path: str
    body: dict[str, object]
    about: object = None
    """The purpose, as plain data: enough to find out later whether it took effect."""


class Resolved(Record):
    """The outcome of a request without a response, derived from the state."""

    path: str
    took_effect: bool
    refused: bool = False
    """Whether the state shows that it was refused."""


class Notice(Record):
    """A note about a response for readers of the journal, such as a cut text."""

    text: str


class Judgement(Record):
    """What a model said of a set of requests, or of an answer, before anything of it was sent."""

    key: str
    """SHA-256 of all that was judged: the same set has the same word, and is not asked twice."""
    kind: str
    targets: tuple[str, ...] = ()
    requests: tuple[tuple[str, dict[str, object]], ...] = ()
    """Path and body of each request of the set; none for an answer."""
    verdict: str
    basis: str = ""
    page: str = ""
    quote: str = ""
    reason: str = ""
    sent: bool
    """Whether what was judged may be sent."""

    @property
    def line(self) -> str:
        """It in a line: kind, targets, verdict, basis, page with the quoted words, reason."""
        where = f"{self.kind} {', '.join(self.targets)}".strip()
        said = f"{self.verdict} ({self.basis})" if self.basis else self.verdict
        words = f' {self.page}: "{self.quote}";' if self.quote else ""
        not_sent = "" if self.sent else " (not sent)"
        return f"{where}: {said}{not_sent};{words} {self.reason}".rstrip("; ")


LedgerEntry = Intent | WireCall | Resolved | Judgement
"""Entries about effects: enough to rebuild an environment's memory."""
EntryObserver: TypeAlias = Callable[[LedgerEntry | Notice], None]
"""Called at once, to write the entry down; an exception ends the work."""


class ToolCall(Record):
    """One call of a tool by generated code: arguments, answer, and the requests behind it."""

    number: int
    name: str
    kind: Kind
    arguments: dict[str, object]
    outcome: Outcome
    result: object = None
    error: str | None = None
    fault: FaultKind | None = None
    """The built-in exception that generated code saw, where the call failed."""
    fatal: bool = False
    step: int | None = None
    """The snippet of the instruction that made the call, where the sandbox knows it."""
    line: int | None = None
    seconds: float = 0.0
    started: float = 0.0
    """Unix seconds; 0 in records from before it was kept."""
    requests: tuple[WireCall, ...] = ()
    kept: tuple[WireCall, ...] = ()
    """Reads of a stage whose answers it was given; nothing was sent for them."""
    judged: tuple[Judgement, ...] = ()
    """What a model was asked about its requests, and said."""

    def prompt(self, result_chars: int = 160, told: str = "") -> str:
        """Render the call as one line for a prompt; results may be cut or omitted, errors never.

        ``told`` is a text of the same prompt: an error that it contains is not repeated.
        """
        arguments = ", ".join(f"{k}={shorten(v, 160)}" for k, v in self.arguments.items())
        if self.outcome == "done":
            result = f" -> {shorten(self.result, result_chars)}" if result_chars else ""
            return f"{self.name}({arguments}){result}"
        again = self.error and json.dumps(self.error, ensure_ascii=False)[1:-1] in told
        error = "told in RESULT" if again else self.error
        return f"{self.name}({arguments}) -> {self.outcome.upper()}: {error}"


def shorten(value: object, limit: int) -> str:
    """JSON text of ``value``, cut to ``limit`` characters with a note of what is missing."""
    text = json.dumps(shortened(value), ensure_ascii=False, default=str)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


def say_short(form: ShortForm) -> None:
    """Render lists with ``form`` from now on; the owner of the tools knows their data."""
    _forms.append(form)


def shortened(value: object) -> object:
    """A value with its lists in their short forms; other data stay as they are."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        short = next((texts for form in _forms if (texts := form(value)) is not None), None)
        return [shortened(inner) for inner in value] if short is None else short
    return value
