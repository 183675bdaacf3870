"""The command ``generate``: a pack of fresh scenarios."""

from __future__ import annotations

import sys
from typing import Literal

import typer

from coordinator.config import option
from core.terminal.record_command import option_of, takes
from workshop.generators.company import generate as company
from workshop.generators.company.options import CompanyOptions
from workshop.generators.generating import PackOptions
from workshop.generators.store import scenario as store
from workshop.generators.store.scenario import StoreOptions


class GenerateOptions(CompanyOptions, StoreOptions):
    """What ``generate`` takes; those that begin with a benchmark's name are for it alone."""

    benchmark: Literal["store", "company"] = option("Of which benchmark.", "store")


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
    name, asked = f"generated-{options.seed}", (options.seed, options.count)
    if options.benchmark == "company":
        text = company.pack_text(name, company.blocks(*asked, options.people))
    else:
        text = store.pack_text(name, store.scenario_lines(*asked, options.shops))
    sys.stdout.writelines(text)
    return 0
