"""The one way to a model: a call by id, with usage, cost and errors recorded."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from typing import Any

from tenacity import (
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from models.litellm_module import is_keyless, load
from models.records import Message, ModelCall, Role, Usage

ATTEMPTS = 3
WAIT = wait_exponential(multiplier=1, max=20) + wait_random(0, 1)
TIMEOUT_SECONDS = 120.0
MAX_TOKENS = 6000
ANSWER_CHARS = 50_000
TIMED_OUT = 408
_PERMANENT = frozenset({400, 401, 402, 403, 404, 413, 422})


class ModelFailed(Exception):
    """No answer could be had from a model; the text says why and holds no key."""


class _Transient(Exception):
    """An error that another attempt may not meet."""


class Door:
    """A model by LiteLLM id, for one role. Safe to use from several threads.

    ``on_call`` gets the record of every call, also of failed ones.
    """

    def __init__(
        self,
        model: str,
        role: Role,
        on_call: Callable[[ModelCall], None] | None = None,
        *,
        base_url: str | None = None,
    ) -> None:
        self.model = model
        self.role: Role = role
        self._on_call = on_call
        self._base_url = base_url

    def complete(self, messages: list[Message]) -> ModelCall:
        """Ask the model once; passing faults are tried again, at most three times in all.

        Raises:
            ModelFailed: no attempt gave an answer.
        """
        try:
            for attempt in Retrying(
                retry=retry_if_exception_type(_Transient),
                stop=stop_after_attempt(ATTEMPTS),
                wait=WAIT,
                reraise=True,
            ):
                with attempt:
                    return self._ask(messages)
        except _Transient as error:
            raise ModelFailed(f"{self.model}: {error}") from None
        raise AssertionError("unreachable")

    def _ask(self, messages: list[Message]) -> ModelCall:
        litellm = load()
        began = time.perf_counter()
        digest = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        try:
            response = litellm.completion(
                model=self.model,
                messages=messages,
                max_tokens=MAX_TOKENS,
                temperature=0.0,
                timeout=TIMEOUT_SECONDS,
                max_retries=0,
                drop_params=True,
                api_base=self._base_url,
            )
        except Exception as error:
            raise self._failed(error, digest, time.perf_counter() - began) from None
        call = self._read(response, digest, time.perf_counter() - began)
        self._note(call)
        return call

    def _failed(self, error: Exception, digest: str, seconds: float) -> Exception:
        """Record a call without an answer; whether another attempt is worth it."""
        status = getattr(error, "status_code", None)
        text = _error_text(error)
        if is_keyless(self.model):
            # No key can be in it, and it is the only trace of a fault in a brain of ours.
            text = f"{text}: {str(error)[:300]}"
        # A refusal is not billed; after a timeout nobody knows.
        refused = status is not None and status != TIMED_OUT
        self._note(
            ModelCall(
                role=self.role,
                model=self.model,
                seconds=round(seconds, 6),
                error=text,
                prompt_sha256=digest,
                usage=Usage(prompt=0, completion=0, cached=0) if refused else Usage(),
                cost_usd=0.0 if refused else None,
            )
        )
        if status in _PERMANENT:
            return ModelFailed(f"{self.model}: {text}")
        return _Transient(text)

    def _read(self, response: Any, digest: str, seconds: float) -> ModelCall:
        choice = response.choices[0] if response.choices else None
        text = (choice.message.content or "") if choice is not None else ""
        usage = _usage(getattr(response, "usage", None))
        cost = getattr(response, "_hidden_params", {}).get("response_cost")
        if usage.prompt is None:
            cost = None  # computed from a count that is not there
        return ModelCall(
            role=self.role,
            model=self.model,
            text=clean_text(text),
            finish_reason=getattr(choice, "finish_reason", None),
            usage=usage,
            cost_usd=0.0 if is_keyless(self.model) else cost,
            seconds=round(seconds, 6),
            error=None if text else "empty answer",
            prompt_sha256=digest,
        )

    def _note(self, call: ModelCall) -> None:
        if self._on_call is not None:
            self._on_call(call)


def clean_text(text: str) -> str:
    """A model's text within bounds and without lone surrogates, which no log can take."""
    return text[:ANSWER_CHARS].encode("utf-8", "replace").decode("utf-8")


def _usage(raw: Any) -> Usage:
    if raw is None or not (raw.prompt_tokens or raw.completion_tokens):
        return Usage()
    details = getattr(raw, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    return Usage(prompt=raw.prompt_tokens, completion=raw.completion_tokens, cached=cached)


def _error_text(error: Exception) -> str:
    """Class and status only: provider texts may quote the request, and with it a key."""
    status = getattr(error, "status_code", None)
    return type(error).__name__ + (f" (status {status})" if status else "")
