"""Seeded mistakes: each is certain to cost its task, and a seed draws the same ones again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workshop.scripted.conftest import pack_at, play
from workshop.scripted import company, provider, store
from workshop.scripted.mistakes import (
    COMMON_KINDS,
    COMPANY_KINDS,
    KINDS,
    STORE_KINDS,
    Mistakes,
    fitting_company,
    fitting_store,
)
from workshop.simulator.company.pack import BUNDLED_PACK as COMPANY_PACK
from workshop.simulator.store.pack import BUNDLED_PACK as STORE_PACK
from workshop.simulator.worlds import load_pack


def fitting(benchmark: str) -> dict[str, tuple[str, ...]]:
    """The kinds that fit each bundled task."""
    if benchmark == "store":
        shops: Any = load_pack(STORE_PACK).scenarios
        return {one.spec_id: fitting_store(one, store.wish_of(one)) for one in shops}
    pack: Any = load_pack(COMPANY_PACK)
    return {
        one.spec_id: fitting_company(one, company.wish_of(one, pack.company_of(one).wiki))
        for one in pack.scenarios
    }


@pytest.mark.parametrize("benchmark", ["store", "company"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_mistake_costs_every_task_that_it_fits_and_no_other(
    benchmark: str, kind: str, strategy: str
) -> None:
    path, own = (STORE_PACK, STORE_KINDS) if benchmark == "store" else (COMPANY_PACK, COMPANY_KINDS)
    kinds = fitting(benchmark)
    spoilt = [spec for spec, some in kinds.items() if kind in some][:4]
    right = [spec for spec, some in kinds.items() if kind not in some][:2]
    assert bool(spoilt) is (kind in (*own, *COMMON_KINDS))
    model = f"scripted/{benchmark}?errors=1&kinds={kind}"
    raw = pack_at(path, [*spoilt, *right])
    played = play(benchmark, raw, strategy=strategy, model=model)
    assert played.failed.keys() == {*spoilt}
    assert {t.failure for t in played.trials.values()} <= {None, "reply"}


def test_about_the_share_that_is_asked_for_is_drawn() -> None:
    drawn = [Mistakes(0.1, "7").drawn(f"task {n}", 0, lambda: KINDS) for n in range(5_000)]
    share = sum(map(bool, drawn)) / len(drawn)
    assert 0.08 < share < 0.12
    assert {*drawn} == {"", *KINDS}


def test_seed_epoch_and_text_draw_anew_and_nothing_else_does() -> None:
    def drawn(seed: str, epoch: int) -> list[str]:
        return [Mistakes(0.5, seed).drawn(f"t{n}", epoch, lambda: KINDS) for n in range(50)]

    assert drawn("1", 0) == drawn("1", 0)
    assert len({tuple(drawn(seed, epoch)) for seed in "12" for epoch in (0, 1)}) == 4


def test_without_errors_nothing_is_looked_at() -> None:
    assert Mistakes().drawn("text", 0, lambda: pytest.fail("it was looked at")) == ""


@pytest.mark.parametrize(
    "name", ["store", "literal?errors=0", "company?errors=1&seed=x&kinds=unreadable"]
)
def test_models_that_there_are(name: str) -> None:
    provider.check(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("stor", "no scripted/stor"),
        ("store?errors=2", "from 0 to 1"),
        ("store?errors=no", "from 0 to 1"),
        ("store?rate=1", "unknown option 'rate'"),
        ("store?errors=1&kinds=wrong", "unknown kind 'wrong'"),
    ],
)
def test_models_that_there_are_not(name: str, why: str) -> None:
    with pytest.raises(LookupError, match=why):
        provider.check(name)
