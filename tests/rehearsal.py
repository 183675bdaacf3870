"""How a run with scripted models plays on a served pack as on the real platform."""

from __future__ import annotations

from pathlib import Path

from workshop.simulator.server import Simulator


def rehearsal(simulator: Simulator, folder: Path) -> list[str]:
    """The options; the pack is written into the folder beside that of the run."""
    path = folder.parent / f"{folder.name}-pack.json"
    (served,) = simulator.platform.served
    path.write_text(served.pack.model_dump_json(exclude_defaults=True), encoding="utf-8")
    return ["--real", "--allow-scripted", "--pack", str(path)]
