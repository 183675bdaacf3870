"""The clients of the models that play: by role, with the servers that the environment names."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from core.models.model_call import CallObserver, Role, Transport
from core.models.model_client import ModelClient, open_transport
from core.models.models_file import Backend, Models

BASE_URLS: dict[Role, str] = {
    "evaluator": "EVALUATOR_BASE_URL",
    "worker": "WORKER_BASE_URL",
    "reflection": "REFLECTION_BASE_URL",
}
"""By role the variable that names a server of one's own; the last is of ``evolve``."""
ClientFactory: TypeAlias = Callable[[Role, CallObserver], ModelClient]
"""Opens the client of the model of a role, for one who watches its calls."""


def base_urls(
    environ: Mapping[str, str] = os.environ, ids: Mapping[Role, str] = {}
) -> dict[Role, str]:
    """The addresses of servers of their own that the environment names, by role of a run.

    ``ids``: the model of each role. A worker of the evaluator's model is asked at the evaluator's
    address where it has none of its own.
    """
    roles = ("evaluator", "worker")
    urls: dict[Role, str] = {r: url for r in roles if (url := environ.get(BASE_URLS[r]))}
    shared = urls.get("evaluator")
    if shared and "worker" in ids and ids["worker"] == ids["evaluator"]:
        return {"worker": shared, **urls}
    return urls


def client_factory(
    ids: Mapping[Role, str],
    models: Models | None = None,
    *,
    base_urls: Mapping[Role, str] | None = None,
    transport_factory: Callable[[Backend], Transport] = open_transport,
    sleep: Callable[[float], None] = time.sleep,
) -> ClientFactory:
    """Clients to the model of each role; ``transport_factory`` makes what answers for a backend.

    A role without a model of its own asks that of the evaluator.
    """

    def make(role: Role, observer: CallObserver) -> ModelClient:
        whose = role if role in ids else "evaluator"
        return ModelClient(
            ids[whose],
            role,
            observer,
            base_url=(base_urls or {}).get(whose),
            models=models,
            transport_factory=transport_factory,
            sleep=sleep,
        )

    return make
