"""Shops that are drawn from a seed while they are read.

The options of a pack's name are those of ``submission.py generate``, such as ``difficulty=hard``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.runs.errors import CannotRun
from workshop.generators.store.command import define_generate
from workshop.generators.store.scenario import NoScenario, Options, scenario_lines
from workshop.lab.cores import cores
from workshop.lab.generated import parsed


def scenarios(asked: str) -> Iterator[dict[str, Any]]:
    """The scenarios, drawn as they are asked for.

    Raises CannotRun: no shop can be drawn.
    """
    found = parsed(asked, define_generate)
    options = Options(found.mechanics, found.difficulty, found.wording, found.page_limits)
    try:
        for line in scenario_lines(found.seed, found.count, options, cores()):
            yield json.loads(line)
    except NoScenario as error:
        raise CannotRun(f"{asked}: {error}") from None
