"""The one way to a model: a call by id, with attempts, backends, usage and cost recorded."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tenacity import RetryCallState, Retrying, retry_if_exception

from core.models.errors import FOLLOWS, hint_of
from core.models.model_call import (
    CallObserver,
    ErrorKind,
    ExchangeFailed,
    Message,
    ModelCall,
    PromptPart,
    Reply,
    Request,
    Role,
    Transport,
    sha256_of,
)
from core.models.model_ids import key_variable
from core.models.models_file import Backend, Models, Target, default_models
from core.models.price_lists import mapped_id, price_map
from core.models.prices import dollars, failure_fields
from core.models.providers import (
    NOTHING_PLAYED,
    DirectTransport,
    Played,
    is_gonka,
    is_scripted,
)
from core.models.retries import RETRY_SECONDS, attempts_of, is_passing, pause_of
from core.text import printable

ANSWER_CHARS = 50_000
REASONING_CHARS = 2_000


class ModelFailed(Exception):
    """No answer could be had from a model; the text says why and holds no key."""

    def __init__(self, text: str, kind: ErrorKind | None = None) -> None:
        super().__init__(text)
        self.kind = kind
        """Class of the last failure; None where nothing was tried."""


@dataclass
class _Call:
    messages: tuple[Message, ...]
    params: dict[str, Any]
    until: float
    """Its deadline, by the client's clock."""
    prompt: tuple[PromptPart, ...]
    prompt_sha256: str
    number: int = 0
    failed: ModelCall | None = None
    """The last failed attempt, until it is known what follows it."""
    tried: dict[str, ExchangeFailed] = field(default_factory=dict)
    """Backends that are of no more use to this call, each with its last failure."""


def open_transport(backend: Backend, played: Played = NOTHING_PLAYED) -> Transport:
    """Return a backend's transport: our own function, or LiteLLM, imported at its first use.

    ``played``: what the run plays, for our own.
    LiteLLM also calls nodes of Gonka, with requests that Gonka's library signs.
    """
    if is_scripted(backend.model):
        return DirectTransport(backend.model, played)
    if is_gonka(backend.model):
        from core.models.gonka import GonkaTransport

        return GonkaTransport(backend)
    from core.models.litellm_transport import LiteLLMTransport

    return LiteLLMTransport(backend)


class ModelClient:
    """A model by id or configured name, for one role. Thread-safe.

    Args:
        model: a LiteLLM id, one of our own (``scripted/...``), or a name of the models file.
        base_url: the address of an id without configured backends.
        models: settings and the state of the backends; share one in a run.
        transport_factory: makes a backend's transport, once, at its first call.

    Raises ModelsError: settings that do not fit together.
    """

    def __init__(
        self,
        model: str,
        role: Role,
        observer: CallObserver | None = None,
        *,
        base_url: str | None = None,
        models: Models | None = None,
        transport_factory: Callable[[Backend], Transport] = open_transport,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = model
        self.role: Role = role
        config = models or default_models()
        settings = config.settings(model, role, base_url)
        self._targets = {t.backend.name: t for t in settings.targets}
        self._backends = config.backends(model, base_url)
        self._deadline = settings.deadline_seconds
        self._observer = observer or CallObserver()
        self._sleep = sleep
        self._clock = clock
        self._transport_factory = transport_factory
        self._opened: dict[str, Transport] = {}

    @property
    def takes_schema(self) -> bool:
        """Whether every backend is known to keep to a JSON schema that is sent along."""
        return all(
            # Unknown for a self-hosted server.
            not t.backend.base_url and supports_schema(t.backend.model)
            if t.response_schema is None
            else t.response_schema
            for t in self._targets.values()
        )

    def complete(self, messages: Sequence[Message], **params: Any) -> ModelCall:
        """Ask the model once: attempts and backends until one answers or the deadline is reached.

        ``params`` go over the configured ones (``max_tokens``, ``response_format``...).

        Raises ModelFailed: no attempt gave an answer.
        """
        self._observer.on_prompt(messages)
        call = _Call(
            messages=tuple(messages),
            params=params,
            until=self._clock() + self._deadline,
            prompt=tuple(
                PromptPart(role=m["role"], sha256=sha256_of(m["content"])) for m in messages
            ),
            prompt_sha256=sha256_of(json.dumps(list(messages))),
        )
        first = self._backends.choose()
        if first is None:
            exhausted = self._backends.exhausted
            text = "; ".join(f"{name} ({why})" for name, why in exhausted.items())
            kind = next(iter(exhausted.values()), None)
            raise ModelFailed(f"{self.model}: disabled for the rest of this run: {text}", kind)
        target = self._targets[first]
        while True:
            try:
                answer = self._ask(target, call)
            except ExchangeFailed as error:
                target = self._after(target, error, call)
            else:
                self._backends.answered(target.backend.name)
                return answer

    def _ask(self, target: Target, call: _Call) -> ModelCall:
        """Attempts at one backend. Raises the ExchangeFailed of the last one.

        There is no other attempt if the pause before it would last until the deadline, or is long
        while another backend works.
        """

        def is_over(state: RetryCallState) -> bool:
            pause = state.upcoming_sleep
            if pause >= call.until - self._clock():
                return True
            if self._backends.has_other(target.backend.name, call.tried):
                return pause > RETRY_SECONDS or state.attempt_number >= target.attempts
            return state.attempt_number >= attempts_of(state, target.attempts)

        def note(state: RetryCallState) -> None:
            self._note_failure(call, f"again in {state.upcoming_sleep:.1f} s")

        retrying = Retrying(
            retry=retry_if_exception(is_passing),
            wait=pause_of,
            stop=is_over,
            sleep=self._sleep,
            before_sleep=note,
            reraise=True,
        )
        answer: ModelCall = retrying(self._attempt, target, call)
        return answer

    def _attempt(self, target: Target, call: _Call) -> ModelCall:
        self._observer.gate()
        name = target.backend.name
        call.number += 1
        request = Request(
            model=target.backend.model, messages=call.messages, params=target.params | call.params
        )
        started, began = time.time(), time.perf_counter()
        left = max(call.until - self._clock(), 0.001)

        def record(**fields: Any) -> ModelCall:
            return ModelCall(
                role=self.role,
                model=self.model,
                backend=name,
                slug=target.slug,
                attempt=call.number,
                prompt=call.prompt,
                prompt_sha256=call.prompt_sha256,
                started=started,
                seconds=round(time.perf_counter() - began, 6),
                **fields,
            )

        try:
            if name not in self._opened:
                self._opened[name] = self._transport_factory(target.backend)
            reply = self._opened[name].send(request, min(target.timeout_seconds, left))
        except ExchangeFailed as error:
            call.failed = record(**failure_fields(target, error))
            raise
        except BaseException as error:
            # Whatever it was, the provider may have been asked.
            self._observer.on_call(record(error=type(error).__name__))
            raise
        answer = record(**_answer_fields(target, reply))
        self._observer.on_call(answer)
        return answer

    def _after(self, target: Target, error: ExchangeFailed, call: _Call) -> Target:
        """Return what the last failure means for the backend, and the backend to call next.

        Raises ModelFailed: there is none.
        """
        name, leads_to = target.backend.name, FOLLOWS[error.kind]
        follows = []
        if leads_to == "lost":
            if self._backends.exhaust(name, error.kind):
                follows.append(f"{name} is disabled for the rest of this run")
        elif leads_to in ("again", "pause"):
            self._backends.failed(name, error.retry_after)
        call.tried[name] = error
        over = leads_to == "end" or call.until <= self._clock()
        other = None if over else self._backends.choose(call.tried)
        if other is not None:
            follows.append(f"next backend: {other}")
        self._note_failure(call, "; ".join(follows) or None)
        if other is None:
            raise ModelFailed(self._explain(call.tried), error.kind) from None
        return self._targets[other]

    def _explain(self, failures: Mapping[str, ExchangeFailed]) -> str:
        """What each backend said, and what the person can do about it."""
        several = len(self._targets) > 1
        said = [f"{name}: {e.text}" if several else e.text for name, e in failures.items()]
        text = f"{self.model}: {'; '.join(said)}"
        if is_scripted(self.model):
            return text
        hints = [
            hint_of(e.kind, e.text, key_variable(self._targets[name].backend))
            for name, e in failures.items()
        ]
        told = "; ".join(dict.fromkeys(filter(None, hints)))
        return f"{text} ({told})" if told else text

    def _note_failure(self, call: _Call, follows: str | None) -> None:
        if call.failed is not None:
            self._observer.on_call(call.failed.model_copy(update={"next": follows}))
        call.failed = None


def _answer_fields(target: Target, reply: Reply) -> dict[str, Any]:
    cost, source = dollars(target, reply)
    return {
        "text": printable(reply.text[:ANSWER_CHARS]),
        "finish_reason": reply.finish_reason,
        "usage": reply.usage,
        "cost_usd": cost,
        "price_source": source,
        "error": None if reply.text else "empty answer",
        "reasoning": printable(reply.reasoning[:REASONING_CHARS]),
        "reasoning_chars": len(reply.reasoning),
    }


@lru_cache(maxsize=256)
def supports_schema(model: str) -> bool:
    """Whether an id accepts ``response_format`` with a schema; False if unknown.

    Only the map's entry for this id counts: another provider of the model may differ.
    """
    mapped = None if is_scripted(model) else mapped_id(model)
    return mapped is not None and bool(price_map()[mapped].get("supports_response_schema"))


def response_format(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The parameter by which a model is held to a schema.

    It is not sent as strict: strict schemas know no optional arguments and no open objects.
    """
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": schema, "strict": False},
    }
