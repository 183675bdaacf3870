"""``doctor``: what is configured and reachable, what is missing, and how to fix it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

from rich.table import Table
from rich.text import Text

from cli import doctor_models, env_file
from cli.doctor_models import Diagnosis, Finding, State, diagnosis, finding, has_problem
from cli.options import DoctorOptions
from cli.platform import REAL_URL, bare, is_address
from coordinator.clients import base_urls
from core.http.proxies import ProxyUnusable, is_loopback, proxy_of
from core.models.extras import install_sdk
from core.models.file_checks import FileError
from core.models.models_file import ModelsError, load_models
from core.models.prices import refresh_prices
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
    if typos := env_file.misspelt(sorted(values)):
        text += f"; nothing reads {', '.join(typos)}"
        fix = f"did you mean {', '.join(typos.values())}?"
        return finding("settings", ".env", "warning", text, fix)
    hidden = sorted(n for n, value in values.items() if environ.get(n) not in (value, None))
    if not hidden:
        return finding("settings", ".env", "ok", text)
    text += f"; the environment has different values, which take precedence: {', '.join(hidden)}"
    fix = f"unset {' '.join(hidden)}, to use the values of the file"
    return finding("settings", ".env", "warning", text, fix)


def client() -> Finding:
    """Check which client would speak to the platform."""
    from core.erc3_client.switch import VARIABLE, chosen

    try:
        kind = chosen()
    except (ValueError, ImportError) as error:
        return finding("platform", "client", "problem", str(error), f"set {VARIABLE} to auto")
    if kind == "sdk":
        return finding("platform", "client", "ok", "the official SDK (erc3) is used")
    text = "the project's own client is used; it speaks the protocol of the official SDK (erc3)"
    return finding("platform", "client", "info", text, install_sdk())


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
        sandbox(),
        dotenv(Path.cwd() / ".env", environ),
        client(),
        address(environ),
        key(environ, call=not options.no_calls),
    ]
    try:
        models = load_models(options.models)
        # Of any benchmark: which one will be played is not said here.
        named = {**models.file.stages, **options.ids}
        urls = base_urls(environ, options.ids)
        places_by_role = {role: (model, urls.get(role)) for role, model in named.items()}
        places = doctor_models.places(models, places_by_role)
    except ModelsError as error:
        fix = "correct the models file or the base URL"
        findings.append(finding("models", "settings", "problem", str(error), fix))
        return diagnosis(findings, "no model was called, because the models' settings are invalid")
    known = [(place, [doctor_models.identity(place)]) for place in places]
    if not options.no_calls:
        refresh_prices(place.target for place, found in known if not has_problem(found))
    for place, of_place in known:
        if not has_problem(of_place):
            of_place += [doctor_models.key(place, environ), doctor_models.price(place)]
            of_place += doctor_models.proxy(place)
    usable = [] if options.no_calls else known
    called = [(place, of_place) for place, of_place in usable if not has_problem(of_place)]
    announced = doctor_models.announcement([p for p, _ in called if p.is_served])
    announce(announced)
    for place, of_place in called:
        of_place[:] = doctor_models.called(place, of_place)
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
