"""Opens the doors to the models of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from coordinator.beginning import DoorMaker
from models.door import Door, open_transport
from models.exchange import Transport
from models.model_call import CallObserver, Role
from models.models_file import Backend, Models


def doors_of(
    ids: Mapping[Role, str],
    models: Models | None = None,
    *,
    base_urls: Mapping[Role, str] | None = None,
    opener: Callable[[Backend], Transport] = open_transport,
    sleep: Callable[[float], None] = time.sleep,
) -> DoorMaker:
    """Doors to the model of each role; ``opener`` makes what answers for a backend."""

    def make(role: Role, observer: CallObserver) -> Door:
        return Door(
            ids[role],
            role,
            observer,
            base_url=(base_urls or {}).get(role),
            models=models,
            opener=opener,
            sleep=sleep,
        )

    return make
