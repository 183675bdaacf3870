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

Results = dict[str, list[str]]


def run_all(
    attacks: list[Attack], kind: SandboxKind, place: Path, terminal: DebugTerminal | None = None
) -> Results:
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


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    return {kind: run_all(ATTACKS, kind, tmp_path_factory.mktemp(kind)) for kind in KINDS}


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.id for attack in ATTACKS])
def test_it_is_contained(results: dict[str, Results], kind: str, attack: Attack) -> None:
    assert results[kind][attack.id] == []


@pytest.mark.nightly("a third round of all attacks, through the same walls")
@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize("kind", STANDING)
def test_it_is_contained_while_somebody_steps_through_it(kind: SandboxKind, tmp_path: Path) -> None:
    results = run_all(ATTACKS, kind, tmp_path / "range", Typist([]))
    assert {name: wrong for name, wrong in results.items() if wrong} == {}
