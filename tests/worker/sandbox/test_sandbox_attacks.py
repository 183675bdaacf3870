"""Attacks are contained by every sandbox."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from worker.sandbox.contract import DebugTerminal, SandboxKind

from .attack_range import Attack, carry_out, from_folder, plant_secret
from .kinds import KINDS, STANDING
from .typist import Typist

ATTACKS = from_folder(Path(__file__).parent / "attacks")
_AT_ONCE = 4
_MOST_GROWTH_MB = 400


def run_all(
    attacks: list[Attack], kind: SandboxKind, place: Path, terminal: DebugTerminal | None = None
) -> dict[str, list[str]]:
    """All attacks, some at a time; what was wrong with each."""
    plant_secret()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        wrong = pool.map(
            lambda numbered: carry_out(numbered[1], kind, place / str(numbered[0]), terminal),
            enumerate(attacks),
        )
        by_attack = dict(zip((attack.id for attack in attacks), wrong, strict=True))
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    assert growth < _MOST_GROWTH_MB, f"the host grew by {growth} MB"
    return by_attack


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("kind", KINDS)
def test_every_attack_is_contained(kind: SandboxKind, tmp_path: Path) -> None:
    results = run_all(ATTACKS, kind, tmp_path / "range")
    assert {name: wrong for name, wrong in results.items() if wrong} == {}
    assert len(results) == len(ATTACKS)


@pytest.mark.nightly("a third round of all attacks, through the same walls")
@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("kind", STANDING)
def test_every_attack_is_contained_while_somebody_steps_through_it(
    kind: SandboxKind, tmp_path: Path
) -> None:
    results = run_all(ATTACKS, kind, tmp_path / "range", Typist([]))
    assert {name: wrong for name, wrong in results.items() if wrong} == {}
