"""A backend behind LiteLLM: one request, one attempt, one wall-clock limit."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from models.api_keys import missing_keys
from models.chat_http import LONGEST_TEXT, PROVIDERS, count, money
from models.exchange import ExchangeFailed, Reply, Request
from models.litellm_errors import failure_of
from models.litellm_module import load
from models.model_call import Usage, plain_text
from models.models_file import Backend
from models.redact import remember
from models.reply_text import MAX_CHARS

T = TypeVar("T")
NO_KEY = "none"
"""Sent to a server of the user's own where no key is named; the client insists on one."""


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
            response = self._complete(litellm, arguments, timeout)
        except TooLate:
            text = f"no answer within {timeout:.1f} s"
            raise ExchangeFailed("timeout", text, status=408) from None
        except Exception as error:
            failure = failure_of(error)
            if failure is None:  # no word of a provider: a fault of ours
                raise
            raise failure from None
        return self._reply(response)

    def _complete(self, litellm: Any, arguments: dict[str, Any], timeout: float) -> Any:
        """The response, within the time. Where a session holds it, no thread is needed for it."""
        if self._provider in PROVIDERS:
            return litellm.completion(**arguments)
        return within(timeout, lambda: litellm.completion(**arguments))

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
            if not key:
                raise _no_key(variable)
            remember(key)
            return key
        if not self._key_seen and (missing := missing_keys(self._backend)):
            raise _no_key(" or ".join(missing))
        self._key_seen = True
        own_server = self._provider == "openai" and self._backend.base_url
        return NO_KEY if own_server and not os.environ.get("OPENAI_API_KEY") else None

    def _reply(self, response: Any) -> Reply:
        usage = _usage(getattr(response, "usage", None))
        choice = response.choices[0] if response.choices else None
        if choice is None:
            raise ExchangeFailed("bad_answer", "an answer without choices", status=200, usage=usage)
        fields = getattr(choice, "provider_specific_fields", None) or {}
        content = choice.message.content or ""
        if isinstance(fields.get("error"), dict) and not content:
            raise ExchangeFailed("bad_answer", "an error as a choice", status=200, usage=usage)
        if not isinstance(content, str):
            raise ExchangeFailed("bad_answer", "a content that is no text", status=200, usage=usage)
        cost, source = self._cost(response, usage)
        finish = choice.finish_reason
        return Reply(
            text=plain_text(content[:MAX_CHARS]),
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
        told = money(getattr(getattr(response, "usage", None), "cost", None))
        if told is not None:
            return told, "provider"
        counted = money(getattr(response, "_hidden_params", {}).get("response_cost"))
        if counted is None or usage.prompt is None or self._backend.base_url:
            return None, None
        return counted, "litellm"


class TooLate(Exception):
    """The time is over; the call goes on, and its outcome will be thrown away."""


def within(seconds: float, action: Callable[[], T]) -> T:
    """What ``action`` returns or raises, where it does so in time. Raises TooLate.

    For calls that have no limit on the clock of their own: it is made in a thread that is left
    behind, and that nobody waits for at the end of the process.
    """
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(action())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=work, name="model-call", daemon=True).start()
    if not wait([outcome], seconds).done:
        raise TooLate
    return outcome.result()


def _no_key(variable: str) -> ExchangeFailed:
    return ExchangeFailed("authentication", f"{variable} is not set", usage=Usage.nothing())


def _said(found: Any, chars: int) -> str:
    return plain_text(found[:chars]) if isinstance(found, str) else ""


def _usage(raw: Any) -> Usage:
    """Told tokens; LiteLLM says (0, 0) where a provider told nothing."""
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
