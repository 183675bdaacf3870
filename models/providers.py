"""Our own providers as a transport: a function from prompt to reply, and counted usage."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from models.exchange import ExchangeFailed, Reply, Request
from models.litellm_module import KEYLESS
from models.model_call import Message, Usage
from models.redact import redact
from models.tokens import count_messages, count_text

ERROR_CHARS = 300
Answer = Callable[[str, list[Message]], "str | Reply"]
"""Model name without its prefix, prompt -> reply. A Reply without usage gets it counted."""


class DirectTransport:
    """Answers by calling a function: no network, no key, no LiteLLM."""

    def __init__(self, model: str) -> None:
        """``model`` is the whole id; its provider's module is imported here."""
        prefix, _, self._name = model.partition("/")
        self._answer: Answer = importlib.import_module(KEYLESS[prefix]).reply

    def send(self, request: Request, timeout: float) -> Reply:
        """The function's reply; it cannot be interrupted, so ``timeout`` is not used.

        Raises:
            ExchangeFailed: what the function raised of it; ``not_found`` for a LookupError and
                ``bad_request`` for any other error, which the same prompt would meet again.
        """
        messages = list(request.messages)
        try:
            answer = self._answer(self._name, messages)
        except ExchangeFailed:
            raise
        except LookupError as error:
            said = str(error.args[0]) if error.args else type(error).__name__
            text = said if type(error) is LookupError else f"{type(error).__name__}: {said}"
            raise ExchangeFailed(
                "not_found", redact(text[:ERROR_CHARS]), usage=Usage.nothing()
            ) from error
        except Exception as error:
            text = f"{type(error).__name__}: {error}"[:ERROR_CHARS]
            raise ExchangeFailed("bad_request", redact(text), usage=Usage.nothing()) from error
        reply = Reply(text=answer, finish_reason="stop") if isinstance(answer, str) else answer
        return reply.model_copy(
            update={
                "usage": _counted(messages, reply) if reply.usage == Usage() else reply.usage,
                "cost_usd": 0.0,
                "price_source": "provider",
            }
        )


def _counted(messages: list[Message], reply: Reply) -> Usage:
    thought = count_text(reply.reasoning) if reply.reasoning else 0
    return Usage(
        prompt=count_messages(messages),
        completion=count_text(reply.text) + thought,
        cached=0,
        reasoning=thought,
    )
