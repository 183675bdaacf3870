"""Before anything begins: are the models known, are their keys there, and does each answer?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from cli import doctor_models
from cli.doctor_models import PROMPT, Finding
from cli.platform import real_key
from core.http.waits import begin_in_thread
from core.models.model_call import KeptCalls, ModelCall, Role
from core.models.model_client import ModelClient, ModelFailed
from core.models.model_ids import missing_keys
from core.models.models_file import Models, Settings
from core.models.providers import is_scripted
from core.models.redact import redact
from core.runs.errors import CannotRun, Usage
from core.terminal.console import say
from core.terminal.figures import dollars, number, tokens

if TYPE_CHECKING:
    from rich.console import Console

    from cli.options import Options
    from cli.run_models import RunModels

SECONDS = 40.0
"""Seconds for all models, which are called concurrently; one of several backends gets half."""
GRACE = 2.0
"""Seconds by which the transport's own limit may be late."""
ATTEMPTS = 2
TOKENS = 200
"""Maximum tokens of an answer; reasoning models need some before they answer."""
Asked: TypeAlias = Mapping[Role, tuple[str, str | None]]
"""By role the id of its model, and the base URL of a server of one's own."""


def check_ids(models: Models, asked: Asked) -> None:
    """Whether somebody answers to every id; sends nothing. Raises ModelsError, Usage."""
    places = doctor_models.places(models, asked)
    known = (doctor_models.identity(place) for place in places)
    if unknown := [one for one in known if one.state == "problem"]:
        raise Usage(_listed("unknown model", unknown))


def ready(run: RunModels, options: Options, note: Console) -> tuple[ModelCall, ...]:
    """Whether all models can do their work: their keys and, with ``real``, one answer of each.

    Returns every attempt. Raises CannotRun: a key is missing, or because a model does not answer.
    """
    if options.playback or (options.resume and options.submit_as_is):
        return ()
    check_keys(run.models, run.asked, note)
    if not options.real or options.no_preflight:
        return ()
    real_key()  # without it nothing needs to be asked
    try:
        return ask(run.models, run.asked, note, only_failures=options.as_json)
    except CannotRun as error:
        way = "`doctor` has details; --no-preflight skips this check"
        raise CannotRun(f"{error}\n{way}") from None


def check_keys(models: Models, asked: Asked, note: Console) -> None:
    """Whether every model has its key and a way to it; sends nothing. Raises CannotRun."""
    places = doctor_models.places(models, asked)
    keys = doctor_models.with_substitutes(
        [(place, [doctor_models.key(place, os.environ)]) for place in places]
    )
    if missing := [one for one in keys if one.state == "problem"]:
        raise CannotRun(_listed("a key is missing", missing))
    ways = doctor_models.with_substitutes([(place, doctor_models.proxy(place)) for place in places])
    if unusable := [one for one in ways if one.state == "problem"]:
        raise CannotRun(_listed("a model cannot be reached", unusable))
    for one in keys:
        if one.state == "warning":
            say(note, f"warning: {_line(one)}")


def ask(
    models: Models, asked: Asked, note: Console, *, only_failures: bool = False
) -> tuple[ModelCall, ...]:
    """Every attempt of asking each model once. Raises CannotRun: one does not answer."""
    questions = _questions(models, asked)
    threads = [begin_in_thread(question.put) for question in questions]
    # Wait until every outcome is certain or the time is up.
    for put in wait(threads, SECONDS + GRACE).done:
        put.result()
    if failed := [f for question in questions for f in question.problems()]:
        raise CannotRun(_listed("no task was started, because a model does not answer", failed))
    calls = [call for question in questions for call in question.calls]
    for call in calls:
        if call.error_kind:
            what = f"{call.backend}: {call.error}; {call.next or 'not asked again'}"
            say(note, redact(f"warning: preflight: {what}"))
        elif not only_failures:
            spent = f"{number(tokens(call.usage))} tokens, {dollars(call.cost_usd)}"
            text = f"preflight: {call.backend} answers in {call.seconds:.2f} s, {spent}"
            say(note, redact(text))
    return tuple(calls)


class _Brief(Models):
    """The settings of a run, for a short question: little time, and usable backends alone."""

    def settings(self, model: str, role: Role, base_url: str | None = None) -> Settings:
        """Copy the run's models with the limits of a preflight."""
        settings = super().settings(model, role, base_url)
        served = (t for t in settings.targets if not is_scripted(t.backend.model))
        usable = [t for t in served if not missing_keys(t.backend)]
        seconds = SECONDS if len(usable) == 1 else SECONDS / 2
        targets = []
        for target in usable:
            params = dict(target.params)
            if "max_tokens" in params:
                params["max_tokens"] = min(TOKENS, params["max_tokens"])
            attempts, bound = min(ATTEMPTS, target.attempts), min(seconds, target.timeout_seconds)
            update = {"params": params, "attempts": attempts, "timeout_seconds": bound}
            targets.append(target.model_copy(update=update))
        return settings.model_copy(update={"targets": tuple(targets), "deadline_seconds": SECONDS})


@dataclass
class _Question:
    model: str
    role: Role
    base_url: str | None
    models: Models
    calls: list[ModelCall] = field(default_factory=list)
    answered: bool = False

    def __post_init__(self) -> None:
        asked: Asked = {self.role: (self.model, self.base_url)}
        self.places = doctor_models.places(self.models, asked)  # its usable backends

    def put(self) -> None:
        """Ask the model; store the outcome in the question. Raises errors of this program."""
        with suppress(ModelFailed):  # every attempt has been noted
            ModelClient(
                self.model,
                self.role,
                KeptCalls(self.calls),
                base_url=self.base_url,
                models=self.models,
            ).complete(PROMPT)
            self.answered = True

    def problems(self) -> list[Finding]:
        """Say for each backend why there is no answer."""
        if self.answered:
            return []
        last = {call.backend: call for call in self.calls}
        findings = []
        for place in [p for p in self.places if p.target.backend.name in last] or self.places[:1]:
            call = last.get(place.target.backend.name)
            if call and call.error_kind != "timeout":
                text = call.error or "no answer"
                findings.append(doctor_models.refused(place, call.error_kind, text))
                continue
            text = f"no answer within {call.seconds if call else SECONDS:.0f} s"
            fix = "try again when its server has loaded the model, or use --no-preflight"
            findings.append(doctor_models.found(place, "answer", "problem", text, fix))
        return findings


def _questions(models: Models, asked: Asked) -> list[_Question]:
    """One question for each backend that is asked first; a smaller group covers a larger."""
    brief = _Brief(models.file, models.source)
    smallest: dict[tuple[object, ...], _Question] = {}
    for role, (model, base_url) in asked.items():
        targets = models.settings(model, role, base_url).targets
        if any(is_scripted(target.backend.model) for target in targets):
            continue  # one that always answers stands behind the others
        question = _Question(model, role, base_url, brief)
        first = question.places[0].key
        if first not in smallest or len(question.places) < len(smallest[first].places):
            smallest[first] = question
    return list(smallest.values())


def _listed(what: str, findings: Sequence[Finding]) -> str:
    return "\n  ".join([f"{what}:", *map(_line, findings)])


def _line(one: Finding) -> str:
    return f"{redact(one.subject)}: {one.text}{f'; {one.fix}' if one.fix else ''}"
