"""How many functions of ours a write passes between the tool that is called and the socket."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import benchmark_named, world_named
from coordinator.benchmark import TaskOptions
from coordinator.config import RunConfig
from coordinator.session import Session, Watcher
from core.erc3_client import ERC3
from core.http import bounded
from tests.kit.rehearsal import clients_for
from workshop.simulator.server import serve
from workshop.simulator.worlds import load_pack

STORE = {"/basket/add", "/basket/remove", "/coupon/apply", "/coupon/remove", "/basket/checkout"}
COMPANY = {
    "/time/log", "/time/update", "/employees/update", "/projects/team/update",
    "/projects/status/update", "/wiki/update",
}  # fmt: skip
ROOT = Path(__file__).parents[2]
OURS = tuple(
    f"{ROOT}/{name}/" for name in ("coordinator", "core", "store_tools", "company_tools", "tests")
)
TOOL, ROWS = str(ROOT / "core/ledger/tool.py"), str(ROOT / "core/ledger/combo.py")
AT_MOST = 10
SEARCHES = (
    "Combo_Test_Coupons_For_Product_Combinations", "Combo_Set_Cheapest_Basket_For_Query"
)  # fmt: skip
"""They move the basket from within an algorithm of their own."""


def passed_by(stack: traceback.StackSummary) -> list[str]:
    """Our functions from the innermost tool on to the one that writes to the socket."""
    ours = [
        one
        for one in stack
        if one.filename.startswith(f"{ROOT}/") and "/.venv/" not in one.filename
    ]
    begins = [i for i, one in enumerate(ours) if (one.name, one.filename) == ("run", TOOL)]
    after = ours[begins[-1] + 1 :] if begins else []
    # What gives a Combo tool's rows their shape calls the tool, and stands before it.
    return [one.name for one in after if one.filename != ROWS]


def is_head(buffer: bytes) -> bool:
    """Whether this is the head of a request, and not its body."""
    return buffer.startswith(b"POST ")


def writing_part(pack: Any) -> Any:
    """Of a company's pack the tasks that change something; of a shop's all."""
    changing = [one for one in pack.scenarios if getattr(one.expect, "events", None)]
    return pack.model_copy(update={"scenarios": changing or pack.scenarios})


@pytest.mark.parametrize(("name", "written"), [("store", STORE), ("erc3-test", COMPANY)])
def test_a_write_passes_few_functions(
    name: str, written: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, longest = bounded._Stream.write, dict[str, list[str]]()

    def seen(self: Any, buffer: bytes, timeout: float | None = None) -> None:
        path = "/" + buffer.split(b" ", 2)[1].decode().split("/", 3)[-1] if is_head(buffer) else ""
        if path in written:
            *passed, _ = passed_by(traceback.extract_stack()) or [""]
            is_longer = len(passed) >= len(longest.get(path, []))
            if passed and not {*passed} & {*SEARCHES} and is_longer:
                longest[path] = passed
        return write(self, buffer, timeout)

    monkeypatch.setattr(bounded._Stream, "write", seen)
    model = "scripted/store" if name == "store" else "scripted/company"
    config = RunConfig(benchmark=name, evaluator=model, worker=model)
    pack = writing_part(load_pack(world_named(name).bundled))
    with serve(pack) as simulator, ERC3(key="key-frames", base_url=simulator.base_url) as client:
        session = Session(
            client, config, benchmark_named(name, TaskOptions()), tmp_path, Watcher(),
            clients_for(config.ids, pack),
        )  # fmt: skip
        session.run(session.plans(session.tasks()))
    assert longest.keys() == written
    # Behind the tool itself; the last one is that which this test stands for.
    assert {path: passed for path, passed in longest.items() if len(passed) > AT_MOST} == {}
