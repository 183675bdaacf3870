"""A backend behind LiteLLM: one request, one attempt, one wall-clock limit.

LiteLLM's exceptions become failures of an exchange: by class, status and cause, with a safe text.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import regex

from core.http.bounded import AnswerRefused
from core.http.waits import TooLate, retry_after, within
from core.models.chat_http import LONGEST_TEXT, PROVIDERS, count, money
from core.models.litellm_module import load
from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Request, Usage
from core.models.model_ids import missing_keys
from core.models.models_file import Backend
from core.models.redact import redact, remember
from core.models.reply_text import MAX_CHARS
from core.text import printable

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
"""Their texts may quote parts of the key, so only class and status are shown."""


class LiteLLMTransport:
    """Asks one backend through LiteLLM, without any of LiteLLM's own repetitions."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._provider = backend.model.split("/", 1)[0]
        self._key_seen = False

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt. Raises ExchangeFailed: whatever the provider or the way to it does."""
        litellm = load()
        arguments = self._arguments(request, timeout, self._key())
        try:
            if self._provider in PROVIDERS:  # a session holds the time, without a thread for it
                response = litellm.completion(**arguments)
            else:
                response = within(timeout, lambda: litellm.completion(**arguments))
        except TooLate:
            text = f"no answer within {timeout:.1f} s"
            raise ExchangeFailed("timeout", text, status=408) from None
        except Exception as error:
            failure = self._failure(error)
            if failure is None:  # no word of a provider: a fault of ours
                raise
            raise failure from None
        return self._reply(response)

    def _failure(self, error: Exception) -> ExchangeFailed | None:
        return failure_of(error)

    def _arguments(self, request: Request, timeout: float, key: str | None) -> dict[str, Any]:
        params = dict(request.params)
        if "reasoning_effort" in params:
            # Where LiteLLM does not know that a provider takes it, it drops it without a word.
            params["allowed_openai_params"] = ["reasoning_effort"]
        return {
            "model": self._backend.model,
            "messages": [dict(m) for m in request.messages],
            "api_base": self._backend.base_url,
            "api_key": key,
            # In steps: LiteLLM keeps one client for each value.
            "timeout": math.ceil(timeout) if timeout > 1 else max(round(timeout, 1), 0.1),
            "max_retries": 0,
            "drop_params": True,
            **params,
        }

    def _key(self) -> str | None:
        """The key, or None where LiteLLM finds the right one by itself."""
        variable = self._backend.key_variable
        if variable is not None:
            key = os.environ.get(variable, "").strip()
            remember(key)
            if key:
                return key
        if not self._key_seen and (missing := missing_keys(self._backend)):
            text = f"{' or '.join(missing)} is not set"
            raise ExchangeFailed("authentication", text, usage=Usage.nothing())
        self._key_seen = True
        own_server = self._provider == "openai" and self._backend.base_url
        # The client insists on a key, also for a server of the user's own.
        return "none" if own_server and not os.environ.get("OPENAI_API_KEY") else None

    def _reply(self, response: Any) -> Reply:
        usage = _usage(getattr(response, "usage", None))
        choice = response.choices[0] if response.choices else None
        if choice is None:
            raise ExchangeFailed(
                "bad_answer", "a response without choices", status=200, usage=usage
            )
        fields = getattr(choice, "provider_specific_fields", None) or {}
        content = choice.message.content or ""
        if isinstance(fields.get("error"), dict) and not content:
            raise ExchangeFailed("bad_answer", "an error as a choice", status=200, usage=usage)
        if not isinstance(content, str):
            raise ExchangeFailed("bad_answer", "content that is not text", status=200, usage=usage)
        cost, source = self._cost(response, usage)
        finish = choice.finish_reason
        return Reply(
            text=printable(content[:MAX_CHARS]),
            reasoning=_said(getattr(choice.message, "reasoning_content", None), LONGEST_TEXT),
            finish_reason=_said(finish, 40) if finish is not None else None,
            usage=usage,
            cost_usd=cost,
            price_source=source,
            answered_by=_said(response.model, 200),
        )

    def _cost(self, response: Any, usage: Usage) -> tuple[float | None, str | None]:
        """The provider's own figure, else LiteLLM's; unknown where its prices are not this
        server's or there is nothing to count."""
        cost = money(getattr(getattr(response, "usage", None), "cost", None))
        if cost is not None:
            return cost, "provider"
        counted = money(getattr(response, "_hidden_params", {}).get("response_cost"))
        if counted is None or usage.prompt is None or self._backend.base_url:
            return None, None
        return counted, "litellm"


def _said(value: Any, chars: int) -> str:
    return printable(value[:chars]) if isinstance(value, str) else ""


def _usage(raw: Any) -> Usage:
    """Reported tokens; LiteLLM gives (0, 0) if a provider reported nothing."""
    if raw is None or not (raw.prompt_tokens or raw.completion_tokens):
        return Usage()
    prompt = getattr(raw, "prompt_tokens_details", None)
    completion = getattr(raw, "completion_tokens_details", None)
    return Usage(
        prompt=count(raw.prompt_tokens),
        completion=count(raw.completion_tokens),
        cached=count(getattr(prompt, "cached_tokens", None)),
        reasoning=count(getattr(completion, "reasoning_tokens", None)),
    )


def failure_of(error: Exception, silent: frozenset[ErrorKind] = _SILENT) -> ExchangeFailed | None:
    """Classify an exception of ``litellm.completion``; None: a programming error.

    ``silent``: kinds whose texts are not quoted.
    """
    chain = list(chain_of(error))
    refused = next((e for e in chain if isinstance(e, AnswerRefused)), None)
    if refused is not None:
        return ExchangeFailed("bad_answer", str(refused), status=200)
    names = {name for e in chain for name in (c.__name__ for c in type(e).__mro__)}
    code = getattr(error, "status_code", None)
    status = code if isinstance(code, int) else None
    if "OpenAIError" not in names and status is None:
        return None
    message = str(error)[:SAID_CHARS]
    kind, sent = _kind(names, status, message)
    text = f"{type(error).__name__} (status {status})" if status else type(error).__name__
    if kind == "network":  # nobody has answered: the status is LiteLLM's own
        dropped = "the connection was dropped before an answer had come"
        text, status = dropped if sent else "no connection to the server", None
    quoted = "" if kind in silent else _quoted(message)
    billed = None if kind in ("timeout", "network", "bad_answer") and sent else Usage.nothing()
    return ExchangeFailed(
        kind,
        f"{text}: {quoted}" if quoted else text,
        status=status,
        retry_after=_retry_after(chain),
        usage=billed,
    )


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """An exception, what it was raised from, and so on."""
    visited: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in visited:
        visited.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _kind(names: set[str], status: int | None, text: str) -> tuple[ErrorKind, bool]:
    """The class of the failure, and whether the request may have reached the provider."""
    if names & _NOT_SENT:
        return "network", False
    if _SAYS["no_key"].search(text):
        return "authentication", False
    answered = "HTTPStatusError" in names
    if not answered and ("JSONDecodeError" in names or _SAYS["unreadable"].search(text)):
        return "bad_answer", True
    if names & {"APITimeoutError", "ReadTimeout", "WriteTimeout"}:
        return "timeout", True
    if names & _BROKEN and not answered:
        return "network", True
    kind = _by_status(status, text, names)
    if not answered and kind == "bad_request" and "BadRequestError" in names and status != 400:
        return "bad_answer", True  # HTTP 200 with an error in its body
    return kind, True


def _by_status(status: int | None, text: str, names: set[str]) -> ErrorKind:
    if "ContextWindowExceededError" in names:
        return "context_window"
    flagged = "ContentPolicyViolationError" in names
    if status in (402, 403, 429) and _SAYS["quota"].search(text) and not _SAYS["soon"].search(text):
        return "quota"
    if status == 403 and _SAYS["flagged"].search(text):
        return "bad_request"
    if status in (400, 401) and _SAYS["clock"].search(text):
        return "clock"
    if status in (400, 422) and _SAYS["no_model"].search(text):
        return "not_found"
    if status in (400, 422) and not flagged and _SAYS["context"].search(text):
        return "context_window"
    if status is None:
        return "network"
    return _STATUS.get(str(status), "bad_request" if status < 500 else "overload")


def _quoted(message: str) -> str:
    """The provider's own words, short and without secrets; empty if it sent an HTML page."""
    message = printable(message)
    if "<html" in message.casefold() or "<!doctype" in message.casefold():
        return "an HTML page"
    text = _PREFIX.sub("", message.splitlines()[0] if message else "").split("Traceback")[0].strip()
    # Redacted before it is cut: half a key would not be recognised.
    return redact(text)[:TEXT_CHARS]


def _retry_after(chain: list[BaseException]) -> float | None:
    """Seconds that the provider asks to wait, from the headers of whichever error kept them."""
    for error in chain:
        of_response = getattr(getattr(error, "response", None), "headers", None)
        for headers in (getattr(error, "litellm_response_headers", None), of_response):
            low = {str(k).casefold(): str(v) for k, v in dict(headers or {}).items()}
            seconds = retry_after(low)
            if seconds is not None and math.isfinite(seconds):
                return seconds
    return None
