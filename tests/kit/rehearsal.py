"""How a run with scripted models plays on a served pack as on the real platform."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from coordinator.clients import ClientFactory, client_factory
from core.models.model_call import Role
from core.models.model_client import open_transport
from core.models.providers import Played
from workshop.simulator.server import Simulator


def rehearsal(simulator: Simulator, folder: Path) -> list[str]:
    """The options; the pack is written into the folder beside that of the run."""
    path = folder.parent / f"{folder.name}-pack.json"
    (served,) = simulator.platform.served
    path.write_text(served.pack.model_dump_json(exclude_defaults=True), encoding="utf-8")
    return ["--real", "--allow-scripted", "--pack", str(path)]


def clients_for(ids: Mapping[Role, str], *packs: object) -> ClientFactory:
    """The ways to these models, which know the tasks of these packs."""
    opened = partial(open_transport, played=Played(packs))
    return client_factory(ids, transport_factory=opened)
