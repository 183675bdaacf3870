"""The company as a world of the platform: one state a task, whose acts are its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from workshop.simulator.company.api import ROUTES, WRITES
from workshop.simulator.company.company_state import CompanyState
from workshop.simulator.company.pack import (
    BUNDLED_PACK,
    FORMAT,
    CompanyPack,
    CompanyScenario,
)
from workshop.simulator.company.plays import plays
from workshop.simulator.world import World


def _open_task(pack: CompanyPack, scenario: CompanyScenario) -> Callable[[], CompanyState]:
    return partial(CompanyState, scenario, pack.registry_of(scenario))


def _baselines(pack: CompanyPack) -> Mapping[str, float]:
    from workshop.simulator.company.baselines import baselines

    return baselines(pack)


COMPANY = World(
    name="company",
    format=FORMAT,
    benchmarks=("company", "erc3-dev", "erc3-test", "erc3-prod"),
    roots=("erc3-dev", "erc3", "company", "erc3-test", "erc3-prod"),
    module="erc3",
    description="Serve one user of a company by its wiki's rules, and answer exactly once.",
    routes=ROUTES,
    irreversible=WRITES,
    bundled=BUNDLED_PACK,
    pack=CompanyPack,
    open_task=_open_task,
    side_effects=lambda state: len(state.acts) - len(state.responses),
    expects=lambda scenario: str(scenario.expect.outcomes[0]),
    baselines=_baselines,
    plays=plays,
)
