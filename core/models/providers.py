"""This project's own providers, which reply without network, key or LiteLLM.

The command line registers them. A provider is imported when one of its models is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from core.models.model_call import ErrorKind, ExchangeFailed, Message, Reply, Request, Usage
from core.models.redact import redact
from core.models.tokens import count_messages, count_text

GONKA = "gonka"
"""Prefix of ids that the Gonka network answers for, which LiteLLM knows nothing of."""
GONKA_KEY = "GONKA_PRIVATE_KEY"
"""The environment's variable that holds the private key, all that Gonka needs."""
SCRIPTED = "a scripted model, which knows what is asked"
SCRIPTED_NOTE = (
    "scripted model: it knows what is asked; the run shows the machinery, not a model's skill"
)
"""Stands wherever a person sees results of our own models."""
_ERROR_CHARS = 300


@dataclass(frozen=True, eq=False)
class Played:
    """What a run plays, for models that have to be told: its packs, and how often before."""

    packs: tuple[Any, ...] = ()
    epoch: int = 0


NOTHING_PLAYED = Played()


class Provider(Protocol):
    """Replies for all ids with one prefix; a module can be one."""

    def check(self, model: str, /) -> None:
        """Raises LookupError: there is no model of this name, or it cannot have these options."""

    def reply(self, model: str, messages: list[Message], played: Played, /) -> str | Reply:
        """Model name without its prefix, prompt -> reply; of a Reply without usage it is counted.

        Raises:
            LookupError: there is no such model, or it has no answer.
            ExchangeFailed: as a served model would fail.
        """


_known: dict[str, tuple[Callable[[], Provider], Callable[[str], str]]] = {}


def register(
    prefix: str,
    load: Callable[[], Provider],
    note: Callable[[str], str] = lambda _model: SCRIPTED_NOTE,
) -> None:
    """Have ``prefix/...`` answered by what ``load`` gives, which is called again and again.

    ``note``: what a reader of the results of a model, named without the prefix, has to know.
    """
    _known[prefix] = load, note


def provider(prefix: str) -> Provider:
    """Who answers for a prefix. Raises KeyError for one that is not ours."""
    return _known[prefix][0]()


def is_scripted(model: str) -> bool:
    """Whether a model id belongs to a provider of ours, which needs no key and costs nothing."""
    return model.split("/", 1)[0] in _known


def is_gonka(model: str) -> bool:
    """Whether the Gonka network answers for a model id."""
    return model.startswith(f"{GONKA}/")


def note_on(models: Iterable[str]) -> str:
    """What a reader of their results has to know of some models; "" for nothing."""
    parted = (model.partition("/") for model in models if is_scripted(model))
    notes = (_known[prefix][1](name) for prefix, _, name in parted)
    return "; ".join(dict.fromkeys(notes))


class DirectTransport:
    """The transport of our own providers."""

    def __init__(self, model: str, played: Played = NOTHING_PLAYED) -> None:
        """``model`` is the whole id."""
        prefix, _, self._name = model.partition("/")
        self._played = played
        self._provider = provider(prefix)

    def send(self, request: Request, timeout: float) -> Reply:
        """The provider's reply; it cannot be interrupted, so ``timeout`` is not used.

        Raises:
            ExchangeFailed: what the provider raised of it; ``not_found`` for a LookupError and
                ``bad_request`` for any other error, which the same prompt would meet again.
        """
        messages = list(request.messages)
        try:
            answer = self._provider.reply(self._name, messages, self._played)
        except ExchangeFailed:
            raise
        except Exception as error:
            is_missing = isinstance(error, LookupError)
            message = str(error.args[0] if is_missing and error.args else error)
            text = message if type(error) is LookupError else f"{type(error).__name__}: {message}"
            kind: ErrorKind = "not_found" if is_missing else "bad_request"
            safe = redact(text)[:_ERROR_CHARS]
            raise ExchangeFailed(kind, safe, usage=Usage.nothing()) from error
        reply = Reply(text=answer, finish_reason="stop") if isinstance(answer, str) else answer
        usage = reply.usage
        if usage == Usage():
            thought = count_text(reply.reasoning)
            usage = Usage(
                prompt=count_messages(messages),
                completion=count_text(reply.text) + thought,
                cached=0,
                reasoning=thought,
            )
        counted = {"usage": usage, "cost_usd": 0.0, "price_source": "provider"}
        return reply.model_copy(update=counted)
