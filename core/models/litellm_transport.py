"""A backend behind LiteLLM: one request, one attempt, one wall-clock limit."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import httpx
import regex

from core.http.bounded import AnswerRefused
from core.http.proxies import ProxyUnusable, variable_of
from core.http.waits import TooLate, within
from core.models.asked_waits import asked_wait
from core.models.chat_http import IN_ANSWER, LONGEST_TEXT, PROVIDERS, called, count, money
from core.models.errors import kind_of
from core.models.litellm_module import load
from core.models.model_call import ErrorKind, ExchangeFailed, Reply, Request, Usage
from core.models.model_ids import missing_keys
from core.models.models_file import Backend
from core.models.redact import redact, redact_parts, remember
from core.models.reply_text import MAX_CHARS
from core.text import printable

TEXT_CHARS = 300
SAID_CHARS = 20_000
"""Characters of an error that are looked at."""
_NOT_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"}
_PREFIX = regex.compile(r"^(?:litellm\.\w+: )?(?:\w+(?: \w+)?: )?(?:\w+Exception - )?")
_QUOTING = frozenset({"input", "messages", "prompt", "body"})
"""Fields in which a server repeats what it was sent."""
_SAYING = ("message", "detail", "msg", "error", "title", "reason")
_SILENT: frozenset[ErrorKind] = frozenset({"authentication"})
"""Kinds whose texts may quote parts of the key, so only class and status are shown."""
_DEPTH = 12


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
        content = choice.message.content or ""
        if not isinstance(content, str):
            raise ExchangeFailed("bad_answer", "content that is not text", status=200, usage=usage)
        if not content.strip():  # of a provider whose answers LiteLLM puts into this form
            content = called([c.model_dump() for c in choice.message.tool_calls or ()])
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
    unusable = next((e for e in chain if isinstance(e, ProxyUnusable)), None)
    if unusable is not None:
        return ExchangeFailed("proxy", redact(str(unusable)), usage=Usage.nothing())
    names = {name for e in chain for name in (c.__name__ for c in type(e).__mro__)}
    answer = next((e.response for e in chain if isinstance(e, httpx.HTTPStatusError)), None)
    code = answer.status_code if answer is not None else getattr(error, "status_code", None)
    status = code if isinstance(code, int) else None
    if "OpenAIError" not in names and status is None:
        return None
    said = answer.text[:SAID_CHARS] if answer is not None else str(error)[:SAID_CHARS]
    fields = list(_fields(said))
    kind = kind_of(names, status, fields, answered=answer is not None)
    sent = answer is not None or names.isdisjoint(_NOT_SENT)
    text = f"{type(error).__name__} (status {status})" if status else type(error).__name__
    if kind == "network":  # nobody has answered: the status is LiteLLM's own
        dropped = "the connection was dropped before an answer had come"
        text, status = dropped if sent else "no connection to the server", None
        text += _way(chain)
    quoted = "" if kind in silent else _quoted(fields)
    headers = answer.headers if answer is not None else {}
    unclear = kind in ("timeout", "network", "bad_answer") or bool(headers.get(IN_ANSWER))
    return ExchangeFailed(
        kind,
        f"{text}: {quoted}" if quoted else text,
        status=status,
        retry_after=asked_wait(headers, fields),
        usage=None if unclear and sent else Usage.nothing(),
    )


def _way(chain: Sequence[BaseException]) -> str:
    """The proxy that a lost request went through, by the name of its variable."""
    requests = (getattr(e, "_request", None) for e in chain if isinstance(e, httpx.RequestError))
    url = next((str(request.url) for request in requests if request is not None), "")
    variable = variable_of(url)
    return f" (through the proxy that {variable} names)" if variable else ""


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """An exception, what it was raised from, and so on."""
    visited: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in visited:
        visited.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of an error in JSON, also of JSON within its texts; else the text itself."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    yield from _walked("", value, _DEPTH)


def _walked(name: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and depth and value.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, dict):
        for key, inner in value.items() if depth else ():
            if key == "failed_generation":
                yield key, ""
            elif key not in _QUOTING:
                yield from _walked(str(key), inner, depth - 1)
    elif isinstance(value, list):
        for inner in value if depth else ():
            yield from _walked(name, inner, depth - 1)
    elif value is not None:
        yield name, printable(str(value))


def _quoted(fields: list[tuple[str, str]]) -> str:
    """The provider's own words, short and without secrets; no page of HTML."""
    said = [value for name, value in fields if name in _SAYING] or [v for n, v in fields if not n]
    message = ": ".join(dict.fromkeys(" ".join(text.split()) for text in said if text.strip()))
    if "<html" in message.casefold() or "<!doctype" in message.casefold():
        return "an HTML page"
    text = _PREFIX.sub("", message).split("Traceback")[0].strip()
    # Redacted before it is cut: half a key would not be recognised.
    return redact_parts(redact(text))[:TEXT_CHARS]
