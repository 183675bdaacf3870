"""What decides how a run goes, for the manifest: models, prompts, scenarios."""

from __future__ import annotations

import hashlib
import platform as machine
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from coordinator.config import StrategyName
from evaluator import Evaluator
from models.config import Models
from models.door import Door
from models.records import Role
from nextstep import Agent
from playbooks.store.library import prose, prose_of_steps
from runs.journal import text_hash
from runs.manifest import Identity
from simulator.store.pack import Pack
from store_tools.benchmark import RULES
from store_tools.workbench import tools
from worker.worker import system_prompt

PACKAGES = ("litellm", "smolagents", "pydantic-monty", "pydantic", "erc3")


def prompts_of(
    ids: Mapping[Role, str],
    strategy: StrategyName = "evaluator-worker",
    models: Models | None = None,
    base_url: str | None = None,
) -> dict[str, str]:
    """The text that all prompts of a role begin with; ``next-step`` has one role.

    ``models`` and ``base_url`` are of the evaluator: they tell whether it takes a schema.
    """
    if strategy == "next-step":
        door = Door(ids["evaluator"], "evaluator", base_url=base_url, models=models)
        return {strategy: Agent(door, RULES, prose_of_steps(), tools()).system}
    eyes = Evaluator(Door(ids["evaluator"], "evaluator"), RULES, prose())
    return {"evaluator": eyes.system, "worker": system_prompt(tools())}


def identity_of(ids: Mapping[Role, str], pack: Pack | None, prompts: Mapping[str, str]) -> Identity:
    """The identity of a run with these models and prompts on this pack."""
    return Identity(
        models={str(role): model for role, model in ids.items()},
        prompts={role: text_hash(text) for role, text in prompts.items()},
        pack=pack.name if pack else None,
        scenarios=_scenarios(pack) if pack else {},
    )


def _scenarios(pack: Pack) -> dict[str, str]:
    return {
        s.spec_id: hashlib.sha256(s.model_dump_json().encode()).hexdigest() for s in pack.scenarios
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide how a run goes."""
    found = {"python": machine.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
