"""``doctor``: what is configured and reachable, what is missing, and how to fix it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from rich.table import Table
from rich.text import Text

from cli import env_file
from cli.benchmarks import every_stage
from cli.checks import (
    OF_DOCTOR,
    OF_EVERY_RUN,
    Asked,
    Finding,
    State,
    announcement,
    ask_models,
    finding,
    look_at,
    problems_of,
    with_substitutes,
)
from cli.options import DoctorOptions
from cli.platform import REAL_URL, bare, is_address
from cli.registry import declared, names
from coordinator.clients import base_urls
from core.http.proxies import ProxyUnusable, is_loopback, proxy_of
from core.ledger import Record
from core.models.extras import install_sdk
from core.models.file_checks import FileError
from core.models.models_file import Models, ModelsError, load_models
from core.models.prices import refresh_prices
from core.models.providers import is_scripted
from core.terminal.console import answers
from core.terminal.figures import counted

KEY = "ERC3_API_KEY"
URL = "ERC3_BASE_URL"


def sandbox() -> Finding:
    """Check which isolation generated code gets."""
    from worker.sandbox.contract import SandboxUnavailable
    from worker.sandbox.isolation import chosen_kind, describe_sandbox

    choice, fix = "", "set WORKER_SANDBOX to auto"
    try:
        choice = chosen_kind()
        kind, text = describe_sandbox(choice)
    except (ValueError, SandboxUnavailable) as error:
        text = f"WORKER_SANDBOX={choice}: {error}" if choice else str(error)
        return finding("sandbox", "isolation", "problem", text, fix)
    text = text.removeprefix("sandbox: ")
    if kind == "landlock":
        return finding("sandbox", "isolation", "ok", text)
    need = "use Linux 5.13 or later with Landlock"
    fix = "unset WORKER_SANDBOX" if choice == "monty" else need
    return finding("sandbox", "isolation", "warning", text, fix)


def dotenv(path: Path, environ: Mapping[str, str]) -> Finding:
    """Whether a ``.env`` was read, and what it names; values are not looked at."""
    from dotenv.parser import parse_stream

    if not os.path.lexists(path):
        text = "no .env in the working folder; only environment variables are used"
        fix = "cp .env.example .env, then fill in keys and models"
        return finding("settings", ".env", "info", text, fix)
    try:
        bindings = list(parse_stream(StringIO(env_file.text_of(path))))
    except FileError as error:
        return finding("settings", ".env", "problem", str(error), env_file.FIX)
    if any(b.error or (b.key and b.value is None) for b in bindings):
        text = f"{path}: holds lines that cannot be read and are left out"
        return finding("settings", ".env", "problem", text, env_file.FIX)
    values = {b.key: b.value for b in bindings if b.key and b.value}
    text = f"read; it sets {', '.join(sorted(values)) or 'nothing'}"
    hidden = sorted(n for n, value in values.items() if environ.get(n) not in (value, None))
    if not hidden:
        return finding("settings", ".env", "ok", text)
    text += f"; the environment has different values, which take precedence: {', '.join(hidden)}"
    fix = f"unset {' '.join(hidden)}, to use the values of the file"
    return finding("settings", ".env", "warning", text, fix)


def client() -> Finding:
    """Check which client would speak to the platform, and why that one."""
    from core.erc3_client.switch import VARIABLE, chosen

    asked, of_client = os.environ.get(VARIABLE) or "auto", partial(finding, "platform", "client")
    try:
        kind = chosen()
    except ImportError as error:
        return of_client("problem", str(error), install_sdk())
    except ValueError as error:
        return of_client("problem", str(error), f"set {VARIABLE} to auto")
    player = "the official SDK" if kind == "sdk" else "the project's own client"
    if asked != "auto":
        return of_client("ok", f"{player} plays: {VARIABLE}={asked}")
    if kind == "sdk":
        return of_client("ok", f"{player} plays: it is installed")
    text = f"{player} plays: the official SDK (erc3) is not installed"
    return of_client("info", text, install_sdk())


def address(environ: Mapping[str, str]) -> Finding:
    """Check the address of the real platform."""
    url = environ.get(URL) or REAL_URL
    if not is_address(url):
        text = f"{URL} is not a valid address: {bare(url)[:80]}"
        fix = f"set it to {REAL_URL}, or leave it empty"
        return finding("platform", "address", "problem", text, fix)
    parts = urlsplit(url)
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        text = f"{bare(url)} is not encrypted, and every request contains the key"
        return finding("platform", "address", "warning", text, "use https")
    try:
        proxy_of(url)
    except ProxyUnusable as error:
        state: State = "problem" if environ.get(KEY) else "warning"
        return finding("platform", "address", state, f"{bare(url)}: {error}")
    return finding("platform", "address", "ok", bare(url))


def key(environ: Mapping[str, str], *, call: bool) -> Finding:
    """Whether the key is set, looks like one, and, with ``call``, is taken by a search."""
    value, look_up = environ.get(KEY, ""), "look the key up on the platform's site"
    of_key = partial(finding, "platform", "key")
    if not value:
        fix = f"for --real: put the account's key into {KEY}, in the environment or in .env"
        return of_key("info", f"{KEY} is not set; the bundled simulator needs none", fix)
    if not value.startswith("key-"):
        return of_key("warning", f"{KEY} is set but does not begin with key-", look_up)
    if not call:
        return of_key("info", f"{KEY} is set; not tried")
    if address(environ).state == "problem":
        return of_key("problem", f"{KEY} is set; not tried, because of the address")
    from core.erc3_client import ERC3, ApiException, transport_errors

    url = environ.get(URL) or REAL_URL
    try:
        sessions = ERC3(key=value, base_url=url).search_sessions().sessions or []
    except ApiException as error:
        status = error.api_error.status
        if status in (400, 401, 403):
            return of_key("problem", f"the platform refused {KEY} (status {status})", look_up)
        text = f"{bare(url)} does not answer like the platform (status {status})"
        return of_key("problem", text, f"correct {URL}, or try again later")
    except transport_errors() as error:
        text = f"{bare(url)} cannot be reached ({type(error).__name__})"
        return of_key("problem", text, f"check the network and {URL}")
    return of_key("ok", f"{KEY} is accepted by the platform ({len(sessions)} sessions found)")


class Diagnosis(Record):
    """All findings, ``doctor/1``."""

    format: Literal["doctor/1"] = "doctor/1"
    ok: bool
    """No finding is a problem."""
    announced: str
    """What was said before the first question: how many, at what price."""
    findings: tuple[Finding, ...]


STYLES = {"ok": "green", "info": "cyan", "warning": "yellow", "problem": "bold red"}


def doctor(options: DoctorOptions) -> int:
    """Look at everything and show it; 0 where a run can begin, 1 where something needed is missing.

    What questions may cost is said on standard error before the first one is put.
    """
    diagnosed = examine(options, os.environ, lambda text: print(text, file=sys.stderr, flush=True))
    if options.as_json:
        print(diagnosed.model_dump_json(indent=1))
    else:
        console = answers()
        console.print(table(diagnosed))
        console.print(summary_of(diagnosed), highlight=False, markup=False)
    return 0 if diagnosed.ok else 1


def examine(
    options: DoctorOptions, environ: Mapping[str, str], announce: Callable[[str], None]
) -> Diagnosis:
    """All findings; ``announce`` gets what is about to be spent, before it is."""
    played_by = client()
    findings = [
        sandbox(),
        dotenv(Path.cwd() / ".env", environ),
        played_by,
        address(environ),
        key(environ, call=not options.no_calls),
    ]
    announced = "no model is asked, because the settings of models cannot be used"
    try:
        models = load_models(options.models)
        # Of any benchmark: which one will be played is not said here.
        asked = _asked(models, options, environ)
        if not options.no_calls:
            known = (one for one in look_at(models, asked, OF_EVERY_RUN) if one.is_usable)
            refresh_prices(one.target for one in known)
        places = look_at(models, asked, OF_DOCTOR)
        if played_by.state != "problem":  # a benchmark is declared with its client's models
            findings += _stages(models, options)
    except ModelsError as error:
        fix = "correct the models file or the base URL"
        findings.append(finding("models", "settings", "problem", str(error), fix))
        places = []
    else:
        announced = announcement([] if options.no_calls else places)
        announce(announced)
        if not options.no_calls:
            ask_models(places, every=True)
    findings += with_substitutes(places)
    return Diagnosis(ok=not problems_of(findings), announced=announced, findings=tuple(findings))


def _asked(models: Models, options: DoctorOptions, environ: Mapping[str, str]) -> Asked:
    """The models of both roles and of the stages that have one of their own."""
    urls = base_urls(environ, options.ids)
    named = {**models.file.stages, **options.ids}
    return {role: (model, urls.get(role)) for role, model in named.items()}


def _stages(models: Models, options: DoctorOptions) -> Iterator[Finding]:
    """The model of each stage and, where nobody is named, how a model plays at all."""
    own, known = models.file.stages, every_stage()
    if strange := [name for name in own if name not in known]:
        text = f"{models.source}: there is no stage {strange[0]}; there are: {', '.join(known)}"
        yield finding("models", "stages", "problem", text, f"correct stages.{strange[0]} there")
    else:
        asking = (stage for name in names() for stage in declared(name).stages if stage.prompt)
        others = dict.fromkeys(stage.name for stage in asking if stage.name not in own)
        rows = [f"{name}: {model}" for name, model in own.items()]
        rows.append(f"{', '.join(others)}: the evaluator's ({options.evaluator})")
        yield finding("models", "stages", "ok", "; ".join(rows))
    if all(map(is_scripted, (*options.ids.values(), *own.values()))):
        text = "none is configured; recorded replies or a scripted model play, without a key"
        fix = "set the provider's key, such as NEBIUS_API_KEY, and EVALUATOR_MODEL to a LiteLLM id"
        yield finding("models", "LLM", "info", text, fix)


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
