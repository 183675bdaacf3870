"""``doctor``: what is configured and reachable, what is missing, and how to fix it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli import doctor_calls, doctor_checks, doctor_models
from cli.caches import cache_folder
from cli.doctor_finding import Diagnosis, Finding, diagnosis, finding
from cli.doctor_models import Place
from cli.options import DoctorOptions
from coordinator.beginning import base_urls
from core.models import openrouter_prices
from core.models.models_file import Models, ModelsError, load_models
from core.models.openrouter_prices import OpenRouterPrices
from core.models.redact import redact
from core.terminal.console import PIPE_WIDTH

STYLES = {"ok": "green", "info": "cyan", "warning": "yellow", "problem": "bold red"}


def doctor(options: DoctorOptions) -> int:
    """Look at everything and show it; 0 where a run can begin, 1 where something needed is missing.

    What tiny calls may cost is said on standard error before the first one is made.
    """
    found = examine(options, os.environ, lambda text: print(text, file=sys.stderr, flush=True))
    if options.as_json:
        print(found.model_dump_json(indent=1))
    else:
        _show(found)
    return 0 if found.ok else 1


def examine(
    options: DoctorOptions, environ: Mapping[str, str], announce: Callable[[str], None]
) -> Diagnosis:
    """All findings; ``announce`` gets what is about to be spent, before it is."""
    findings = _machine(environ, calls=not options.no_calls)
    if options.no_calls:
        openrouter_prices.use(OpenRouterPrices(cache_folder(), None))
    urls = base_urls(environ)
    try:
        models = load_models(options.models)
        # Of any benchmark: which one will be played is not said here.
        named = {**models.file.stages, **options.ids}
        asked = {role: (model, urls.get(role)) for role, model in named.items()}
        places = doctor_models.places(models, asked)
    except ModelsError as error:
        announced = "no call will be made: the models' settings cannot be used"
        fix = "correct the models file or the base URL"
        findings.append(finding("models", "settings", "problem", str(error), fix))
        return diagnosis(map(_redacted, findings), announced)
    known = [(place, _still(place, models, environ)) for place in places]
    well = [(place, found) for place, found in known if not doctor_models.ill(found)]
    called = [] if options.no_calls else well
    announced = doctor_models.announcement([p for p, _ in called if p.kind == "served"])
    announce(announced)
    for place, found in called:
        found += _asked(place)
    findings += [*doctor_models.spared(known), *doctor_models.baseline(places)]
    return diagnosis(map(_redacted, findings), announced)


def _machine(environ: Mapping[str, str], *, calls: bool) -> list[Finding]:
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.isolation import find_isolation, used_kind

    missing = ""
    try:
        used_kind()
    except ValueError:
        pass  # no kind at all, which the finding says
    except SandboxUnavailable as error:
        missing = str(error)
    return [
        doctor_checks.python_version(sys.version_info[:3]),
        *doctor_checks.packages(doctor_checks.requirements(), doctor_checks.installed),
        doctor_checks.sandbox(find_isolation(), environ.get("WORKER_SANDBOX", "auto"), missing),
        doctor_checks.dotenv(Path.cwd() / ".env", environ),
        doctor_checks.variables(environ),
        doctor_checks.client(),
        doctor_checks.address(environ),
        doctor_checks.key(environ, call=calls),
    ]


def _still(place: Place, models: Models, environ: Mapping[str, str]) -> list[Finding]:
    """What can be said of a place without asking it."""
    identity = doctor_models.identity(place, models)
    if identity.state == "problem":
        return [identity]
    key = doctor_models.key(place, environ)
    return [identity, key, doctor_models.price(place), doctor_models.schema(place)]


def _asked(place: Place) -> list[Finding]:
    """What a place says itself; one whose server cannot be used is not asked further."""
    server = doctor_calls.served(place)
    found = [server] if server else []
    return found if doctor_models.ill(found) else [*found, *doctor_calls.tiny_call(place)]


def _redacted(found: Finding) -> Finding:
    """Servers may quote what they were sent."""
    clean = {"text": redact(found.text), "fix": redact(found.fix)}
    return found.model_copy(update=clean | {"details": _without_keys(found.details)})


def _without_keys(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _without_keys(part) for name, part in value.items()}
    return [_without_keys(part) for part in value] if isinstance(value, list) else value


def _show(found: Diagnosis) -> None:
    """Print a table of all findings, each with its fix, and whether a run can begin."""
    # A pipe has no width of its own.
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    console.print(table(found))
    console.print(closing(found), highlight=False, markup=False)


def table(found: Diagnosis) -> Table:
    """One row for each finding; an area and a subject are named once, before their findings."""
    made = Table(box=None, pad_edge=False)
    made.add_column("area", no_wrap=True)
    made.add_column("what", overflow="fold")
    made.add_column("state", no_wrap=True)
    made.add_column("finding", overflow="fold", ratio=1)
    area = subject = ""
    for one in found.findings:
        named = Text("" if one.area == area else one.area, style="bold")
        if one.subject not in ("", subject):
            made.add_row(named, "", "", Text(one.subject, style="bold"))
            named = Text()
        # Servers and files have a say in these texts: they are never markup.
        said = Text(one.text)
        if one.fix:
            said.append(f"\n-> {one.fix}", style="dim")
        made.add_row(named, Text(one.name), Text(one.state, style=STYLES[one.state]), said)
        area, subject = one.area, one.subject
    return made


def closing(found: Diagnosis) -> str:
    """The last line: can a run begin?"""
    problems = sum(f.state == "problem" for f in found.findings)
    warnings = sum(f.state == "warning" for f in found.findings)
    also = f" ({warnings} warnings)" if warnings > 1 else " (1 warning)" if warnings else ""
    if found.ok:
        return f"a run can begin{also}"
    return f"{problems} problem{'s' if problems > 1 else ''}: a run would fail{also}"
