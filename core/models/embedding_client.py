"""Vectors by a model behind LiteLLM: the door's attempts, backends, prices and cassettes.

To the door an embedding is a reply like any other: a request's messages are the texts, the reply's
text is a JSON list of vectors.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from core.models.embeddings import EmbeddingFailed
from core.models.exchange import ExchangeFailed, Reply, Request, Transport
from core.models.litellm_module import load
from core.models.litellm_transport import LiteLLMTransport, TooLate, failure_of, within
from core.models.model_call import KeptCalls, ModelCall, Usage, total_cost
from core.models.model_client import ModelClient, ModelFailed
from core.models.models_file import Backend, Models

TEXTS_AT_ONCE = 64
CHARS_OF_A_VECTOR = 100_000
DIGITS = 6
_OF_CHATS = frozenset({"temperature", "top_p", "max_tokens", "reasoning_effort"})
"""Parameters of the models file that embeddings know nothing of."""


class EmbeddingTransport(LiteLLMTransport):
    """Asks one backend for vectors."""

    def send(self, request: Request, timeout: float) -> Reply:
        """One attempt. Raises ExchangeFailed: whatever the provider or the way to it does."""
        litellm = load()
        arguments = self._of_embedding(request, timeout, self._key())
        try:
            response = within(timeout, lambda: litellm.embedding(**arguments))
        except TooLate:
            text = f"no answer within {timeout:.1f} s"
            raise ExchangeFailed("timeout", text, status=408) from None
        except Exception as error:
            failure = failure_of(error)
            if failure is None:
                raise
            raise failure from None
        usage = _usage(response)
        vectors = _vectors(response, len(request.messages))
        if vectors is None:
            raise ExchangeFailed("bad_answer", "no vector for each text", status=200, usage=usage)
        cost, source = self._cost(response, usage)
        return Reply(
            text=json.dumps(vectors, separators=(",", ":")),
            finish_reason="stop",
            usage=usage,
            cost_usd=cost,
            price_source=source,
        )

    def _of_embedding(self, request: Request, timeout: float, key: str | None) -> dict[str, Any]:
        params = {k: v for k, v in request.params.items() if k not in _OF_CHATS}
        return {
            "model": self._backend.model,
            "input": [m["content"] for m in request.messages],
            "api_base": self._backend.base_url,
            "api_key": key,
            "timeout": timeout,
            "max_retries": 0,
            "drop_params": True,
            "encoding_format": "float",
            **params,
        }


class EmbeddingClient:
    """An embedding model by LiteLLM id or configured name. Safe to use from several threads."""

    def __init__(
        self,
        model: str,
        models: Models | None = None,
        opener: Callable[[Backend], Transport] = EmbeddingTransport,
    ) -> None:
        """Raises ModelsError: settings that do not fit together."""
        self.model = model
        self.calls: list[ModelCall] = []
        """Every attempt so far, without the vectors."""
        self._lost = ""
        self._lock = threading.Lock()
        chars = TEXTS_AT_ONCE * CHARS_OF_A_VECTOR
        self._door = ModelClient(
            model, "worker", _Tally(self.calls), models=models, opener=opener, answer_chars=chars
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text.

        Raises EmbeddingFailed; after all attempts of one call have failed the model is not asked
        again, or every task would wait for it.
        """
        found: list[list[float]] = []
        with self._lock:  # who asks beside another one mostly asks for the same
            for at in range(0, len(texts), TEXTS_AT_ONCE):
                found += self._embed(texts[at : at + TEXTS_AT_ONCE])
        return found

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._lost:
            raise EmbeddingFailed(f"not asked any more in this run: {self._lost}")
        try:
            call = self._door.complete([{"role": "user", "content": text} for text in texts])
            vectors: list[list[float]] = json.loads(call.text)
        except ModelFailed as error:
            self._lost = "" if error.kind == "missing" else str(error)
            raise EmbeddingFailed(str(error)) from None
        except ValueError:
            raise EmbeddingFailed(f"{self.model}: an answer that holds no vectors") from None
        return vectors

    def note(self) -> str:
        """What was asked so far, for the user; "" for nothing."""
        if not self.calls:
            return ""
        tokens = sum(call.usage.prompt or 0 for call in self.calls)
        cost = total_cost(self.calls)
        dollars = "price unknown" if cost is None else f"${cost:.6f}"
        return f"{self.model}: {len(self.calls)} embedding calls, {tokens} tokens, {dollars}"


class _Tally(KeptCalls):
    def on_call(self, call: ModelCall) -> None:
        super().on_call(call.model_copy(update={"text": ""}))


def _usage(response: Any) -> Usage:
    tokens = getattr(getattr(response, "usage", None), "prompt_tokens", None)
    known = isinstance(tokens, int) and tokens > 0
    return Usage(prompt=tokens, completion=0, cached=0, reasoning=0) if known else Usage()


def _vectors(response: Any, texts: int) -> list[list[float]] | None:
    """A vector for each text, in their order; None where the answer is no such thing."""
    rows = getattr(response, "data", None)
    if not isinstance(rows, list) or len(rows) != texts:
        return None
    found: dict[int, list[float]] = {}
    for place, row in enumerate(rows):
        vector = row["embedding"] if isinstance(row, dict) else getattr(row, "embedding", None)
        index = row.get("index") if isinstance(row, dict) else getattr(row, "index", None)
        if not isinstance(vector, list) or not all(isinstance(n, int | float) for n in vector):
            return None
        found[index if isinstance(index, int) else place] = [round(n, DIGITS) for n in vector]
    lengths = {len(vector) for vector in found.values()}
    whole = len(found) == texts and set(found) == set(range(texts)) and len(lengths) == 1
    return [found[n] for n in range(texts)] if whole and lengths != {0} else None
