"""LiteLLM's exceptions as failures of an exchange: by class, status and cause, with a safe text."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path

import regex

from models.exchange import ErrorKind, ExchangeFailed
from models.model_call import Usage, plain_text
from models.redact import redact
from wire.bounded import AnswerRefused
from wire.retry_after import retry_after

TEXT_CHARS = 300
SAID_CHARS = 20_000
"""Characters of an error that are looked at."""
_TABLE = tomllib.loads(Path(__file__).with_name("errors.toml").read_text(encoding="utf-8"))
_SAYS = {name: regex.compile("|".join(any_), regex.I) for name, any_ in _TABLE["says"].items()}
_STATUS: dict[str, ErrorKind] = _TABLE["status"]
_PREFIX = regex.compile(r"^(?:litellm\.\w+: )?(?:\w+(?: \w+)?: )?(?:\w+Exception - )?")
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"}
_BROKEN = {"ReadError", "WriteError", "RemoteProtocolError", "ProxyError", "APIConnectionError"}
_SILENT: frozenset[ErrorKind] = frozenset({"authentication", "quota"})
"""Their texts are about the key and quote parts of it: only class and status are told."""


def failure_of(error: Exception) -> ExchangeFailed | None:
    """What an exception out of ``litellm.completion`` means; None: a programming error."""
    chain = list(_chain(error))
    refused = next((e for e in chain if isinstance(e, AnswerRefused)), None)
    if refused is not None:
        return ExchangeFailed("bad_answer", str(refused), status=200)
    names = {name for e in chain for name in (c.__name__ for c in type(e).__mro__)}
    status = getattr(error, "status_code", None)
    if "OpenAIError" not in names and not isinstance(status, int):
        return None
    said = str(error)[:SAID_CHARS]
    kind, sent = _kind(names, status if isinstance(status, int) else None, said)
    text = f"{type(error).__name__} (status {status})" if status else type(error).__name__
    quoted = "" if kind in _SILENT else _quoted(said)
    billed = None if kind in ("timeout", "network", "bad_answer") and sent else Usage.nothing()
    return ExchangeFailed(
        kind,
        f"{text}: {quoted}" if quoted else text,
        status=status if isinstance(status, int) else None,
        retry_after=_retry_after(chain),
        usage=billed,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _kind(names: set[str], status: int | None, said: str) -> tuple[ErrorKind, bool]:
    """The class of the failure, and whether the request may have reached the provider."""
    if names & _NOT_SENT:
        return "network", False
    if _SAYS["no_key"].search(said):
        return "authentication", False
    answered = "HTTPStatusError" in names
    if not answered and ("JSONDecodeError" in names or _SAYS["unreadable"].search(said)):
        return "bad_answer", True
    if names & {"APITimeoutError", "ReadTimeout", "WriteTimeout"}:
        return "timeout", True
    if names & _BROKEN and not answered:
        return "network", True
    kind = _by_status(status, said, names)
    if not answered and kind == "bad_request" and "BadRequestError" in names and status != 400:
        return "bad_answer", True  # HTTP 200 with an error in its body
    return kind, True


def _by_status(status: int | None, said: str, names: set[str]) -> ErrorKind:
    if "ContextWindowExceededError" in names:
        return "context_window"
    if status in (402, 403, 429) and _SAYS["quota"].search(said) and not _SAYS["soon"].search(said):
        return "quota"
    if status == 403 and _SAYS["flagged"].search(said):
        return "bad_request"
    if status in (400, 422) and _SAYS["no_model"].search(said):
        return "not_found"
    if (
        status in (400, 422)
        and _SAYS["context"].search(said)
        and "ContentPolicyViolationError" not in names
    ):
        return "context_window"
    if status is None:
        return "network"
    return _STATUS.get(str(status), "bad_request" if status < 500 else "overload")


def _quoted(said: str) -> str:
    """The provider's own words, short and without secrets; none where it sent a page."""
    said = plain_text(said)
    text = _PREFIX.sub("", said.splitlines()[0] if said else "").split("Traceback")[0].strip()
    if "<html" in said.casefold() or "<!doctype" in said.casefold():
        return "an HTML page"
    # Redacted before it is cut: half a key would not be recognised.
    return redact(text)[:TEXT_CHARS]


def _retry_after(chain: list[BaseException]) -> float | None:
    """Seconds that the provider asks to wait, from the headers of whichever error kept them."""
    for error in chain:
        for headers in (
            getattr(error, "litellm_response_headers", None),
            getattr(getattr(error, "response", None), "headers", None),
        ):
            low = {str(k).casefold(): str(v) for k, v in dict(headers or {}).items()}
            seconds = retry_after(low)
            if seconds is not None and math.isfinite(seconds):
                return seconds
    return None
