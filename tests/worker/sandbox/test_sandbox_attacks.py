"""Attacks, ours and those of the pack beside the project, are contained by every sandbox."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from worker.sandbox.contract import SandboxKind

from .attack_range import Attack, carry_out, from_folder, from_pack, plant_secret
from .kinds import KINDS

PACK = Path(__file__).parents[3].parent / "shared" / "packs" / "attacks.json"
OURS = from_folder(Path(__file__).parent / "attacks")
_AT_ONCE = 4
_MOST_GROWTH_MB = 400

Results = dict[str, list[str]]


def run_all(attacks: list[Attack], kind: SandboxKind, place: Path) -> Results:
    """All attacks, some at a time; what was wrong with each."""
    plant_secret()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        wrong = pool.map(
            lambda numbered: carry_out(numbered[1], kind, place / str(numbered[0])),
            enumerate(attacks),
        )
        found = dict(zip((attack.id for attack in attacks), wrong, strict=True))
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    assert growth < _MOST_GROWTH_MB, f"the host grew by {growth} MB"
    return found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    pack = from_pack(PACK) if PACK.exists() else []
    return {kind: run_all([*OURS, *pack], kind, tmp_path_factory.mktemp(kind)) for kind in KINDS}


def check(results: dict[str, Results], kind: str, attack: Attack) -> None:
    assert results[kind][attack.id] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attack", OURS, ids=[attack.id for attack in OURS])
def test_ours(results: dict[str, Results], kind: str, attack: Attack) -> None:
    check(results, kind, attack)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pack", [PACK] if PACK.exists() else [], ids=str)
def test_the_pack(results: dict[str, Results], kind: str, pack: Path) -> None:
    wrong = {attack.id: results[kind][attack.id] for attack in from_pack(pack)}
    assert {name: what for name, what in wrong.items() if what} == {}
