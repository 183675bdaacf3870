"""``doctor``: what is configured and reachable, what is missing, and how to fix it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from launch import doctor_calls, doctor_checks, doctor_models, doctor_platform
from launch.doctor_finding import Diagnosis, Finding, diagnosis
from launch.doctor_models import Place
from launch.options import DoctorOptions
from models.model_call import Role
from models.models_file import Models, ModelsError, load_models
from models.redact import redact


def doctor(options: DoctorOptions) -> int:
    """Look at everything and show it; 0 where a run can begin, 1 where something needed is missing.

    What tiny calls may cost is said on standard error before the first one is made.
    """
    from launch.doctor_screen import show

    found = examine(options, os.environ, lambda text: print(text, file=sys.stderr, flush=True))
    if options.as_json:
        print(found.model_dump_json(indent=1))
    else:
        show(found)
    return 0 if found.ok else 1


def examine(
    options: DoctorOptions, environ: Mapping[str, str], announce: Callable[[str], None]
) -> Diagnosis:
    """All findings; ``announce`` gets what is about to be spent, before it is."""
    findings = [*_machine(environ), *_platform(environ, not options.no_calls)]
    asked: dict[Role, tuple[str, str | None]] = {
        "evaluator": (options.evaluator, environ.get("EVALUATOR_BASE_URL") or None),
        "worker": (options.worker, environ.get("WORKER_BASE_URL") or None),
    }
    try:
        models = load_models(options.models)
        places = doctor_models.places(models, asked)
    except ModelsError as error:
        announced = "no call will be made: the models' settings cannot be used"
        findings.append(doctor_models.unusable(error))
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


def _machine(environ: Mapping[str, str]) -> list[Finding]:
    from worker.sandbox import walls

    return [
        doctor_checks.python_version(sys.version_info[:3]),
        *doctor_checks.packages(doctor_checks.requirements(), doctor_checks.installed),
        doctor_checks.sandbox(walls(), environ.get("WORKER_SANDBOX", "auto")),
        doctor_checks.dotenv(Path.cwd() / ".env", environ),
        doctor_checks.variables(environ),
    ]


def _platform(environ: Mapping[str, str], calls: bool) -> list[Finding]:
    return [
        doctor_platform.client(),
        doctor_platform.address(environ),
        doctor_platform.key(environ, call=calls),
    ]


def _still(place: Place, models: Models, environ: Mapping[str, str]) -> list[Finding]:
    """What can be said of a place without asking it."""
    identity = doctor_models.identity(place, models)
    if identity.state == "problem":
        return [identity]
    return [
        identity,
        doctor_models.key(place, environ),
        doctor_models.price(place),
        doctor_models.schema(place),
    ]


def _asked(place: Place) -> list[Finding]:
    """What a place says itself; one whose server cannot be used is not asked further."""
    server = doctor_calls.served(place)
    found = [server] if server else []
    return found if doctor_models.ill(found) else [*found, *doctor_calls.tiny_call(place)]


def _redacted(finding: Finding) -> Finding:
    """Servers may quote what they were sent."""
    clean = {"text": redact(finding.text), "fix": redact(finding.fix)}
    return finding.model_copy(update=clean | {"details": _without_keys(finding.details)})


def _without_keys(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _without_keys(part) for name, part in value.items()}
    return [_without_keys(part) for part in value] if isinstance(value, list) else value
