"""``doctor``: what is configured and reachable, what is missing, and how to fix it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.table import Table
from rich.text import Text

from cli import doctor_checks as checks
from cli import doctor_models
from cli.caches import cache_folder
from cli.doctor_checks import Diagnosis, diagnosis, finding, has_problem
from cli.options import DoctorOptions
from coordinator.beginning import base_urls
from core.models import openrouter_prices
from core.models.models_file import ModelsError, load_models
from core.models.openrouter_prices import OpenRouterPrices
from core.terminal.console import answers
from core.terminal.figures import counted

STYLES = {"ok": "green", "info": "cyan", "warning": "yellow", "problem": "bold red"}


def doctor(options: DoctorOptions) -> int:
    """Look at everything and show it; 0 where a run can begin, 1 where something needed is missing.

    What short calls may cost is said on standard error before the first one is made.
    """
    diagnosed = examine(options, os.environ, lambda text: print(text, file=sys.stderr, flush=True))
    if options.as_json:
        print(diagnosed.model_dump_json(indent=1))
        return 0 if diagnosed.ok else 1
    console = answers()
    console.print(table(diagnosed))
    console.print(summary_of(diagnosed), highlight=False, markup=False)
    return 0 if diagnosed.ok else 1


def examine(
    options: DoctorOptions, environ: Mapping[str, str], announce: Callable[[str], None]
) -> Diagnosis:
    """All findings; ``announce`` gets what is about to be spent, before it is."""
    findings = [
        checks.sandbox(),
        checks.dotenv(Path.cwd() / ".env", environ),
        checks.client(),
        checks.address(environ),
        checks.key(environ, call=not options.no_calls),
    ]
    if options.no_calls:
        openrouter_prices.use(OpenRouterPrices(cache_folder(), None))
    try:
        models = load_models(options.models)
        # Of any benchmark: which one will be played is not said here.
        named, urls = {**models.file.stages, **options.ids}, base_urls(environ)
        places_by_role = {role: (model, urls.get(role)) for role, model in named.items()}
        places = doctor_models.places(models, places_by_role)
    except ModelsError as error:
        fix = "correct the models file or the base URL"
        findings.append(finding("models", "settings", "problem", str(error), fix))
        return diagnosis(findings, "no model was called, because the models' settings are invalid")
    known = [(place, [doctor_models.identity(place, models)]) for place in places]
    for place, of_place in known:
        if not has_problem(of_place):
            of_place += [doctor_models.key(place, environ), doctor_models.price(place)]
    usable = [] if options.no_calls else known
    called = [(place, of_place) for place, of_place in usable if not has_problem(of_place)]
    announced = doctor_models.announcement([p for p, _ in called if p.is_served])
    announce(announced)
    for place, of_place in called:
        of_place.append(doctor_models.tiny_call(place))
    findings += [*doctor_models.with_substitutes(known), *doctor_models.baseline(places)]
    return diagnosis(findings, announced)


def table(diagnosed: Diagnosis) -> Table:
    """One row for each finding, with its fix."""
    rows = Table(box=None, pad_edge=False)
    for heading in ("area", "what", "state"):
        rows.add_column(heading, overflow="fold", no_wrap=heading != "what")
    rows.add_column("finding", overflow="fold", ratio=1)
    subject = ""
    for one in diagnosed.findings:
        if one.subject not in ("", subject):
            rows.add_row("", "", "", Text(one.subject, style="bold"))
        # Servers and files have a say in these texts: they are never markup.
        text = Text(one.text)
        if one.fix:
            text.append(f"\n-> {one.fix}", style="dim")
        rows.add_row(one.area, Text(one.name), Text(one.state, style=STYLES[one.state]), text)
        subject = one.subject
    return rows


def summary_of(diagnosed: Diagnosis) -> str:
    """The last line: can a run begin?"""
    counts = Counter(one.state for one in diagnosed.findings)
    also = f" ({counted(counts['warning'], 'warning')})" if counts["warning"] else ""
    failing = f"{counted(counts['problem'], 'problem')}: a run would fail"
    return ("a run can begin" if diagnosed.ok else failing) + also
