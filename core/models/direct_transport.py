"""Providers of our own as a transport: a function from prompt to reply, and counted usage."""

from __future__ import annotations

from core.models.exchange import ExchangeFailed, Reply, Request
from core.models.model_call import Message, Usage
from core.models.providers import provider
from core.models.redact import redact
from core.models.tokens import count_messages, count_text

ERROR_CHARS = 300


class DirectTransport:
    """Answers by calling a provider of ours."""

    def __init__(self, model: str) -> None:
        """``model`` is the whole id."""
        prefix, _, self._name = model.partition("/")
        self._provider = provider(prefix)

    def send(self, request: Request, timeout: float) -> Reply:
        """The provider's reply; it cannot be interrupted, so ``timeout`` is not used.

        Raises:
            ExchangeFailed: what the provider raised of it; ``not_found`` for a LookupError and
                ``bad_request`` for any other error, which the same prompt would meet again.
        """
        messages = list(request.messages)
        try:
            answer = self._provider.reply(self._name, messages)
        except ExchangeFailed:
            raise
        except Exception as error:
            plain = type(error) is LookupError
            said = error.args[0] if isinstance(error, LookupError) and error.args else error
            text = f"{said}" if plain else f"{type(error).__name__}: {said}"
            raise ExchangeFailed(
                "not_found" if isinstance(error, LookupError) else "bad_request",
                redact(text)[:ERROR_CHARS],
                usage=Usage.nothing(),
            ) from error
        reply = Reply(text=answer, finish_reason="stop") if isinstance(answer, str) else answer
        usage = _counted(messages, reply) if reply.usage == Usage() else reply.usage
        told = {"usage": usage, "cost_usd": 0.0, "price_source": "provider"}
        return reply.model_copy(update=told)


def _counted(messages: list[Message], reply: Reply) -> Usage:
    thought = count_text(reply.reasoning) if reply.reasoning else 0
    return Usage(
        prompt=count_messages(messages),
        completion=count_text(reply.text) + thought,
        cached=0,
        reasoning=thought,
    )
