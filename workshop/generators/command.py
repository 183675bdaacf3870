"""The command ``generate``: a pack of fresh scenarios."""

from __future__ import annotations

import json
from typing import Literal

import typer

from core.options import option
from core.terminal.record_command import option_of, takes
from workshop.generators.company.scenario import CompanyOptions
from workshop.generators.generating import PackOptions, generator_of
from workshop.generators.store.scenario import StoreOptions
from workshop.simulator.worlds import FORMATS, world_of


class GenerateOptions(CompanyOptions, StoreOptions):
    """What ``generate`` takes; those that begin with a benchmark's name are for it alone."""

    benchmark: Literal["store", "company"] = option(
        "Generate scenarios of this benchmark.", "store"
    )


_KINDS: dict[str, type[PackOptions]] = {"store": StoreOptions, "company": CompanyOptions}


@takes(GenerateOptions)
def generate(options: GenerateOptions, _context: typer.Context) -> int:
    """Write a pack of fresh scenarios to standard output.

    Each has a known best answer. Options that begin with a benchmark's name are for it alone.
    """
    theirs = {*_KINDS[options.benchmark].model_fields, "benchmark"}
    if foreign := sorted(options.model_fields_set - theirs):
        names = ", ".join(option_of(GenerateOptions, name) for name in foreign)
        raise typer.BadParameter(f"not for --benchmark {options.benchmark}: {names}")
    world, generator = world_of(FORMATS[options.benchmark]), generator_of(options.benchmark)
    assert generator
    name = f"generated-{options.seed}"
    body = json.loads(world.pack_text(name, list(generator.scenarios(options))))
    print(json.dumps(body, ensure_ascii=False, indent=1))
    return 0
