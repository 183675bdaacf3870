"""What decides how a run goes, for the manifest: models, prompts, scenarios."""

from __future__ import annotations

import hashlib
import platform as machine
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from coordinator.journal import text_hash
from coordinator.manifest import Identity
from evaluator import Evaluator
from models.door import Door
from models.records import Role
from playbooks.library import prose
from simulator.pack import Pack
from store_tools.benchmark import RULES
from store_tools.offer import tools
from worker.worker import system_prompt

PACKAGES = ("litellm", "smolagents", "pydantic-monty", "pydantic", "erc3")


def prompts_of(ids: Mapping[Role, str]) -> dict[str, str]:
    """The text that all prompts of a role begin with."""
    eyes = Evaluator(Door(ids["evaluator"], "evaluator"), RULES, prose())
    return {"evaluator": eyes.system, "worker": system_prompt(tools())}


def identity_of(ids: Mapping[Role, str], pack: Pack | None) -> Identity:
    """The identity of a run with these models on this pack."""
    return Identity(
        models={str(role): model for role, model in ids.items()},
        prompts={role: text_hash(text) for role, text in prompts_of(ids).items()},
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
