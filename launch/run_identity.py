"""What decides how a run goes, for the manifest: models, prompts, scenarios."""

from __future__ import annotations

import hashlib
import platform as machine
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from coordinator.benchmark import Guest
from evaluator import Evaluator
from launch.brains import Brains
from launch.options import Options
from models.door import Door
from models.model_call import Role
from nextstep import Agent
from runs.journal import text_hash
from runs.manifest import Identity
from simulator.store.pack import Pack
from worker.worker import system_prompt

PACKAGES = ("litellm", "smolagents", "pydantic-monty", "pydantic", "erc3")


def prompts_of(guest: Guest, options: Options, brains: Brains) -> dict[str, str]:
    """The text that all prompts of a role begin with; ``next-step`` has one role."""
    url = brains.base_urls.get("evaluator")
    # Its settings tell whether it takes a schema.
    door = Door(options.evaluator, "evaluator", base_url=url, models=brains.models)
    if options.strategy == "next-step":
        agent = Agent(door, guest.rules, guest.guide_of_steps(), guest.tools())
        return {options.strategy: agent.system}
    evaluator = Evaluator(door, guest.rules, guest.guide(), guest.ending)
    return {"evaluator": evaluator.system, "worker": system_prompt(guest.tools())}


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
