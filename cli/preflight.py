"""Before anything begins: are the models known, are their keys there, and does each answer?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cli import doctor_models
from cli.doctor_finding import Finding
from cli.doctor_models import Place
from cli.platform import real_key
from core.models.api_keys import missing_keys
from core.models.model_call import KeptCalls, Message, ModelCall, Role
from core.models.model_client import ModelClient, ModelFailed
from core.models.model_ids import near_ids
from core.models.models_file import Models, Settings, Target
from core.models.providers import is_served
from core.models.redact import redact
from core.models.retries import HINTS
from core.runs.errors import CannotRun, Usage
from core.terminal.console import say

if TYPE_CHECKING:
    from rich.console import Console

    from cli.options import Options
    from cli.run_models import RunModels

SECONDS = 40.0
"""For all models, which are asked side by side; one of several backends gets half of it."""
GRACE = 2.0
"""What a limit of the transport may be late."""
LATE = "try again when its server has loaded the model, or begin with --no-preflight"
ATTEMPTS = 2
TOKENS = 200
"""Of an answer at most: models that think first need some."""
PROMPT: tuple[Message, ...] = ({"role": "user", "content": "Reply with OK."},)
Asked = Mapping[Role, tuple[str, "str | None"]]
"""Id and base URL of each role that is asked at all."""


def check_ids(models: Models, asked: Asked) -> None:
    """Whether somebody answers to every id; sends nothing.

    Raises:
        ModelsError: settings that do not fit together.
        Usage: an id that nobody answers to.
    """
    places = doctor_models.places(models, asked)
    if unknown := _problems(doctor_models.identity(place, models) for place in places):
        raise Usage(_listed("unknown model", unknown))


def ready(brains: RunModels, options: Options, note: Console) -> tuple[ModelCall, ...]:
    """Whether all models can do their work: their keys and, with ``real``, one answer of each.

    Every distinct backend that the run would ask first is asked once, all side by side; a group
    of backends as the run would ask it, one after the other until one answers. Models of ours and
    recordings are not asked. Nothing of it holds up a run that is to be handed in as it is.

    Returns:
        Every attempt, with its tokens and dollars.

    Raises CannotRun: a key is missing, or a model does not answer; in the words of the doctor.
    """
    if options.replay or (options.resume and options.submit_as_is):
        return ()
    for text in _check_keys(brains):
        say(note, redact(f"warning: {text}"))
    if not options.real or options.no_preflight:
        return ()
    real_key()  # without it nothing needs to be asked
    questions = _questions(brains)
    _put(questions)
    if failed := [f for question in questions for f in question.problems()]:
        raise CannotRun(
            _listed("no task was started, a model does not answer", failed)
            + "\n`doctor` tells more; --no-preflight asks no model before the run"
        )
    calls = [call for question in questions for call in question.calls]
    for call in calls:
        if call.error_kind or not options.as_json:
            say(note, redact(_told(call)))
    return tuple(calls)


def _check_keys(brains: RunModels) -> list[str]:
    """What is amiss with backends in whose place others serve.

    Raises CannotRun where a role is left without any.
    """
    places = doctor_models.places(brains.models, brains.asked)
    keys = doctor_models.spared([(p, [doctor_models.key(p, os.environ)]) for p in places])
    if missing := _problems(keys):
        raise CannotRun(_listed("a key is missing", missing))
    return [_line(f) for f in keys if f.state == "warning"]


class _Brief(Models):
    """The settings of a run, for a short question: little time, and usable backends alone."""

    def settings(self, model: str, role: Role, base_url: str | None = None) -> Settings:
        """As the run has them, within the bounds of a preflight."""
        found = super().settings(model, role, base_url)
        served = (t for t in found.targets if is_served(t.backend.model))
        usable = [t for t in served if not missing_keys(t.backend)]
        seconds = SECONDS if len(usable) == 1 else SECONDS / 2
        targets = tuple(_brief(target, seconds) for target in usable)
        return found.model_copy(update={"targets": targets, "deadline_seconds": SECONDS})


def _brief(target: Target, seconds: float) -> Target:
    params = dict(target.params)
    if "max_tokens" in params:
        params["max_tokens"] = min(TOKENS, params["max_tokens"])
    update = {
        "params": params,
        "attempts": min(ATTEMPTS, target.attempts),
        "timeout_seconds": min(seconds, target.timeout_seconds),
    }
    return target.model_copy(update=update)


class _Question:
    """One model that is asked, and what came of it."""

    def __init__(self, model: str, role: Role, base_url: str | None, models: Models) -> None:
        self.places = doctor_models.places(models, {role: (model, base_url)})
        """Its usable backends, in order of preference."""
        self.calls: list[ModelCall] = []
        kept = KeptCalls(self.calls)
        self._door = ModelClient(model, role, kept, base_url=base_url, models=models)
        self._answered = False
        self._fault: Exception | None = None

    @property
    def first(self) -> tuple[object, ...]:
        """Which backend is asked before any other."""
        return self.places[0].key

    def put(self) -> None:
        """Ask; what comes of it stands in the question."""
        try:
            self._door.complete(PROMPT)
            self._answered = True
        except ModelFailed:
            pass  # every attempt has been noted
        except Exception as error:
            self._fault = error

    def problems(self) -> list[Finding]:
        """Why there is no answer, backend by backend, as the doctor says it.

        Raises whatever was a fault of ours.
        """
        if self._fault:
            raise self._fault
        if self._answered:
            return []
        last = {call.backend: call for call in self.calls}
        failed = [p for p in self.places if p.target.backend.name in last] or self.places[:1]
        return [_problem(place, last.get(place.target.backend.name)) for place in failed]


def _questions(brains: RunModels) -> list[_Question]:
    """One question for each backend that is asked first; the smaller group stands for a larger."""
    models = _Brief(brains.models.file, brains.models.source)
    found: dict[tuple[object, ...], _Question] = {}
    for role, (model, base_url) in brains.asked.items():
        targets = brains.models.settings(model, role, base_url).targets
        if not all(is_served(target.backend.model) for target in targets):
            continue  # one that always answers stands behind the others
        question = _Question(model, role, base_url, models)
        known = found.get(question.first)
        if known is None or len(question.places) < len(known.places):
            found[question.first] = question
    return list(found.values())


def _put(questions: Sequence[_Question]) -> None:
    """Ask all side by side and wait for them as long as it is worth."""
    # Nobody waits at the end of the process for one that hangs.
    threads = [threading.Thread(target=q.put, name="preflight", daemon=True) for q in questions]
    for thread in threads:
        thread.start()
    until = time.monotonic() + SECONDS + GRACE
    for thread in threads:
        thread.join(max(until - time.monotonic(), 0.0))


def _problem(place: Place, call: ModelCall | None) -> Finding:
    if call is None or call.error_kind == "timeout":
        text = f"no answer within {call.seconds if call else SECONDS:.0f} s"
        return doctor_models.found(place, "answer", "problem", text, LATE)
    if call.error_kind == "network":
        from cli.doctor_calls import served

        server = served(place)
        if server and server.state == "problem":
            return server
    fix = next((hint for kind, hint in HINTS.items() if kind == call.error_kind), "")
    near = near_ids(place.target.backend.model) if call.error_kind == "not_found" else []
    fix += f"; LiteLLM knows {', '.join(near)}" if near else ""
    return doctor_models.found(place, "answer", "problem", call.error or "no answer", fix)


def _problems(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.state == "problem"]


def _listed(what: str, findings: Sequence[Finding]) -> str:
    return "\n  ".join([f"{what}:", *map(_line, findings)])


def _line(finding: Finding) -> str:
    fix = f"; {finding.fix}" if finding.fix else ""
    return redact(f"{finding.subject}: {finding.text}{fix}")


def _told(call: ModelCall) -> str:
    if call.error_kind:
        return f"warning: preflight: {call.backend}: {call.error}; {call.next or 'not asked again'}"
    used = call.usage
    known = used.prompt is not None
    tokens = f"{used.prompt} + {used.completion} tokens" if known else "tokens unknown"
    price = "price unknown" if call.cost_usd is None else f"${call.cost_usd:.6f}"
    return f"preflight: {call.backend} answers in {call.seconds:.2f} s, {tokens}, {price}"
