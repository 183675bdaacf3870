"""The checks of models: ``doctor`` makes all of them, a run those it needs.

Each model is asked what a run would ask it: one that decides for a decision, one that works for a
program. The run's own readers read the replies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import AfterValidator

from coordinator.clients import BASE_URLS
from core.http.proxies import ProxyUnusable, proxy_of
from core.http.waits import begin_in_thread
from core.ledger import Record
from core.models.errors import hint_of
from core.models.extras import ExtraMissing
from core.models.litellm_module import load
from core.models.model_call import KeptCalls, ModelCall, Role, known_sum, total_cost, total_usage
from core.models.model_client import ModelClient, ModelFailed
from core.models.model_ids import UnknownModel, address_of, check_id, key_variable, missing_keys
from core.models.models_file import Models, ModelsFile, Settings, Target
from core.models.price_lists import Price
from core.models.prices import openrouter_id, target_price
from core.models.providers import is_gonka, is_scripted
from core.models.redact import redact
from core.models.reply_code import find_code
from core.models.reply_text import Misread
from core.models.reprompt import answer_of, reprompt
from core.models.tokens import count_messages
from core.runs.errors import CannotRun, Usage
from core.terminal.console import say
from evaluator.reply import FORM, read_decision

if TYPE_CHECKING:
    from rich.console import Console

    from cli.options import Options
    from cli.run_models import RunModels

SECONDS = 40.0
"""Seconds for each reply; one of several backends gets half."""
GRACE = 2.0
"""Seconds by which the transport's own limit may be late."""
ATTEMPTS = 2
TOKENS = 600
"""Maximum tokens of a reply: enough for some thinking, too little to cost anything."""
State = Literal["ok", "info", "warning", "problem"]
"""``info``: not there and not needed for what is configured; ``problem``: a run would fail."""
Redacted = Annotated[str, AfterValidator(redact)]
"""Servers may quote what they were sent."""
Asked: TypeAlias = Mapping[Role, tuple[str, str | None]]
"""By role the id of its model, and the base URL of a server of one's own."""


class Finding(Record):
    """One thing that was looked at."""

    area: str
    subject: str = ""
    """The roles and the backend of a model."""
    name: str
    state: State
    text: Redacted
    """The finding; it names variables but never contains the value of a key."""
    fix: Redacted = ""

    @property
    def line(self) -> str:
        """The finding in a line, as a run shows it."""
        return f"{redact(self.subject)}: {self.text}{f'; {self.fix}' if self.fix else ''}"


def finding(area: str, name: str, state: State, text: str, fix: str = "") -> Finding:
    """A finding by its parts in their order."""
    return Finding(area=area, name=name, state=state, text=text, fix=fix)


def problems_of(findings: Iterable[Finding]) -> list[Finding]:
    """Those that would make a run fail."""
    return [one for one in findings if one.state == "problem"]


@dataclass(frozen=True)
class Question:
    """What a model is asked, and how its reply is read."""

    name: str
    text: str
    again: str
    """What a second prompt says after a reply that cannot be read."""
    read: Callable[[ModelCall], object]
    """Raises Misread."""


DECISION = Question(
    "decision",
    "You decide for an agent that buys in a shop. The task: buy one pencil, SKU pencil-1. The "
    "basket is empty. A worker carries out your instruction. Reply with three lines:\n"
    f"{FORM}the word DONE",
    "Reply with THOUGHT, DECISION and INSTRUCTION, each on a line of its own.",
    # A short task may rightly be repeated as its instruction; the form may not.
    partial(read_decision, form=FORM),
)
PROGRAM = Question(
    "program",
    'Carry out one instruction in Python. Reply with one line "Thought: ..." and then one code '
    "block between <code> and </code>, which ends with final_answer(report).\n"
    "<instruction>\nReport the sum of 17 and 25.\n</instruction>",
    "Reply with one Python block between <code> and </code>.",
    lambda call: find_code(answer_of(call)),
)


@dataclass(eq=False)
class Place:
    """One model at one backend, with the roles that use it and what was found there."""

    target: Target
    uses: list[tuple[Role, str]] = field(default_factory=list)
    """Roles, each with the id or name under which it asks."""
    findings: list[Finding] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Roles, model and, if it has its own name, the backend."""
        roles = " and ".join(role for role, _ in self.uses)
        backend = self.target.backend
        return f"{roles}: {', '.join(dict.fromkeys([backend.model, backend.name]))}"

    @property
    def is_served(self) -> bool:
        """Whether a server is asked, which costs."""
        return not is_scripted(self.target.backend.model)

    @property
    def is_usable(self) -> bool:
        """Whether nothing that was found is a problem."""
        return not problems_of(self.findings)

    @property
    def price(self) -> Price | None:
        """Dollars per token; None: unknown."""
        backend = self.target.backend
        return target_price(backend.model, self.target.prices, backend.base_url)

    @property
    def questions(self) -> tuple[Question, ...]:
        """A program of who works, a decision of everybody else."""
        works = {role == "worker" for role, _ in self.uses}
        return tuple(q for q in (DECISION, PROGRAM) if (q is PROGRAM) in works)

    def found(self, name: str, state: State, text: str, fix: str = "") -> Finding:
        """A finding about this place."""
        return Finding(area="models", subject=self.name, name=name, state=state, text=text, fix=fix)


# -- without asking a model


def look_at(models: Models, asked: Asked, checks: Sequence[Check]) -> list[Place]:
    """Every distinct model and backend of the roles, with what these checks find there.

    After a problem the other checks are not made. Raises ModelsError.
    """
    distinct: dict[tuple[object, ...], Place] = {}
    for role, (model, base_url) in asked.items():
        for target in models.settings(model, role, base_url).targets:
            backend = target.backend
            key = (backend.model, backend.base_url, backend.key_variable)
            distinct.setdefault(key, Place(target)).uses.append((role, model))
    for place in distinct.values():
        for check in checks:
            if place.is_usable:
                place.findings += check(place)
    return list(distinct.values())


def check_identity(place: Place) -> Iterator[Finding]:
    """Whether anybody answers to the id."""
    fix = "correct the id: PROVIDER/MODEL as LiteLLM spells it, or a name from the models file"
    try:
        check_id(place.target.backend.model)
        yield place.found("id", "ok", "known")
    except UnknownModel as error:
        yield place.found("id", "problem", str(error), fix)
    except ExtraMissing as error:
        yield place.found("id", "problem", str(error))


def check_key(place: Place) -> Iterator[Finding]:
    """Whether the key is there; its name only."""
    backend = place.target.backend
    is_own = backend.model.startswith("openai/") and not backend.key_variable
    if not place.is_served:
        yield place.found("key", "ok", "needs none")
    elif missing := " or ".join(missing_keys(backend)):
        fix = f"set {missing}, or put it in .env"
        if is_own:
            names = dict.fromkeys(BASE_URLS.get(role, "base_url") for role, _ in place.uses)
            fix += f"; for a server of your own set {' and '.join(names)} to its address"
        yield place.found("key", "problem", f"{missing} not set", fix)
    elif is_gonka(backend.model):
        from core.models import gonka, gonka_nodes

        try:
            nodes = [node.host for node in gonka_nodes.nodes_of(backend)]
            gonka.key_of(backend)
            more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
            yield place.found("key", "ok", f"set; nodes: {', '.join(nodes[:3])}{more}")
        except gonka_nodes.SettingsError as error:
            yield place.found("key", "problem", str(error), "correct it where it is set")
    elif backend.base_url and is_own:
        sent = bool(os.environ.get("OPENAI_API_KEY"))
        text = "is set and will be sent to this server" if sent else "is not set; it may need none"
        yield place.found("key", "ok", f"OPENAI_API_KEY {text}")
    else:
        text = f"{backend.key_variable} set" if backend.key_variable else "found by LiteLLM"
        yield place.found("key", "ok", text)


def check_proxy(place: Place) -> Iterator[Finding]:
    """The proxy on the way, if it cannot be used."""
    url = address_of(place.target.backend) if place.is_served else None
    try:
        if url:
            proxy_of(url)
    except ProxyUnusable as error:
        yield place.found("proxy", "problem", str(error))


def check_price(place: Place) -> Iterator[Finding]:
    """Dollars per million tokens and who says so."""
    known, backend = place.price, place.target.backend
    if not place.is_served:
        yield place.found("price", "ok", "costs nothing")
    elif known is not None:
        parts = {"in": known.input, "out": known.output, "cached": known.cached}
        amounts = [f"${part * 1e6:g} {name}" for name, part in parts.items() if part is not None]
        text = f"{', '.join(amounts)} per million tokens ({known.source})"
        is_estimate = known.source.startswith("like ")
        fix = "an estimate; put the true prices into the models file" if is_estimate else ""
        yield place.found("price", "info" if is_estimate else "ok", text, fix)
    elif openrouter_id(backend.model, backend.base_url) is not None:
        text = "not known in advance; OpenRouter states the cost of each call in its reply"
        yield place.found("price", "info", text)
    else:
        text = "unknown, so the cost of a run is unknown"
        fix = "put it into the models file: prices = { input = ..., output = ... }"
        yield place.found("price", "warning", text, fix)


Check: TypeAlias = Callable[[Place], Iterable[Finding]]
OF_EVERY_RUN: tuple[Check, ...] = (check_identity,)
OF_ASKED_MODELS = (*OF_EVERY_RUN, check_key, check_proxy)
OF_DOCTOR = (*OF_ASKED_MODELS, check_price)


def announcement(places: Sequence[Place]) -> str:
    """Say what the questions may cost, because the user has not agreed to it yet."""
    known, unknown, count = 0.0, dict[str, None](), 0
    for place in places:
        for question in place.questions if place.is_usable and place.is_served else ():
            count += 1
            if (price := place.price) is None:
                unknown[place.target.backend.model] = None
            else:
                prompt = count_messages([{"role": "user", "content": question.text}])
                known += prompt * price.input + TOKENS * price.output
    if not count:
        return "no paid calls will be made"
    parts = [f"about ${known:.4f}"] * bool(known)
    parts += [f"the unknown price of {', '.join(unknown)}"] * bool(unknown)
    number = "1 short question" if count == 1 else f"{count} short questions"
    return f"models will now be asked {number}, for {' and '.join(parts)} (none with --no-calls)"


# -- asking


def ask_models(places: Sequence[Place], *, every: bool) -> list[ModelCall]:
    """Ask the models at usable places and add what is found to their findings; every attempt.

    Questions are asked concurrently. ``every``: at all backends; else at one for each role, and at
    its next one only where that does not answer.
    """
    calls: list[ModelCall] = []
    usable = [one for one in places if one.is_usable]
    # A model of our own stands behind the others and always answers.
    served = set(chain.from_iterable(one.uses for one in usable if not one.is_served))
    left = [one for one in usable if one.is_served]
    if left:
        load()  # its seconds are not the model's
    while due := left if every else _first_of_each(left, served):
        asked = [
            (one, question, begin_in_thread(partial(_ask, one, question)))
            for one in due
            for question in one.questions
        ]
        done = wait([future for *_, future in asked], 2 * SECONDS + GRACE).done
        for one, question, future in asked:
            found, made = future.result() if future in done else (_late(one, question), [])
            one.findings.append(found)
            calls += made
            if made and made[-1].error_kind == "authentication":
                _refuse_key(one)
        served |= set(chain.from_iterable(one.uses for one in due if one.is_usable))
        left = [one for one in left if one not in due]
    return calls


def _first_of_each(left: Sequence[Place], served: set[tuple[Role, str]]) -> list[Place]:
    """For each use that nobody serves yet its first place."""
    uses = dict.fromkeys(use for one in left for use in one.uses if use not in served)
    return list(dict.fromkeys(next(one for one in left if use in one.uses) for use in uses))


def _refuse_key(place: Place) -> None:
    """Have the finding on a key say that the provider does not accept it."""
    variable = key_variable(place.target.backend)
    text = f"{variable} is not accepted by the provider"
    refused = place.found("key", "problem", text, f"correct {variable}")
    place.findings[:] = [refused if one.name == "key" else one for one in place.findings]


class _OneBackend(Models):
    """The settings of one backend, for a short question."""

    def __init__(self, target: Target, seconds: float) -> None:
        super().__init__(ModelsFile())
        params = dict(target.params)
        if "max_tokens" in params:
            params["max_tokens"] = min(TOKENS, params["max_tokens"])
        limits = {
            "params": params,
            "attempts": min(ATTEMPTS, target.attempts),
            "timeout_seconds": min(seconds, target.timeout_seconds),
        }
        self._only = target.model_copy(update=limits)
        self._seconds = seconds

    def settings(self, model: str, role: Role, base_url: str | None = None) -> Settings:
        """The same for every model."""
        return Settings(targets=(self._only,), deadline_seconds=self._seconds)


def _ask(place: Place, question: Question) -> tuple[Finding, list[ModelCall]]:
    """Put one question to one backend: what its reply says, and every attempt."""
    calls: list[ModelCall] = []
    role, model = place.uses[0]
    seconds = SECONDS if place.target.backend.name == model else SECONDS / 2
    client = ModelClient(model, role, KeptCalls(calls), models=_OneBackend(place.target, seconds))
    prompt: list[dict[str, str]] = [{"role": "user", "content": question.text}]
    try:
        reprompt(client, prompt, question.read, question.again)
    except ModelFailed:
        return _refused(place, question, calls[-1]), calls
    except Misread as misread:
        return _misread(place, question, calls[-1], misread), calls
    return _answered(place, question, calls), calls


def _late(place: Place, question: Question, seconds: float | None = None) -> Finding:
    fix = "try again when its server has loaded the model, or use --no-preflight"
    text = f"no answer within {seconds or SECONDS:.0f} s"
    return place.found(question.name, "problem", text, fix)


def _refused(place: Place, question: Question, call: ModelCall) -> Finding:
    """Why a place gave no reply, and what to do; an address that cannot be reached is named."""
    if call.error_kind == "timeout":
        return _late(place, question, call.seconds)
    base_url, text = place.target.backend.base_url, call.error or "no answer"
    fix = hint_of(call.error_kind, text, key_variable(place.target.backend))
    if call.error_kind == "network" and base_url:
        text = f"{base_url} cannot be reached: {text}"
        fix = "start the server or correct the base URL"
    return place.found(question.name, "problem", text, fix or "try again, or ask the provider")


def _answered(place: Place, question: Question, calls: Sequence[ModelCall]) -> Finding:
    """How fast a usable reply came, and for how much."""
    usage, cost, last = total_usage(calls), total_cost(calls), calls[-1]
    seconds = known_sum(call.seconds for call in calls) or 0.0
    after = f" after {len(calls)} calls" if len(calls) > 1 else ""
    price = "price unknown" if cost is None else f"${cost:.6f} ({last.price_source})"
    began = f"usable{after}, in {seconds:.2f} s"
    if usage.prompt is None:
        fix = "its server reports no usage, so tokens and cost of a run stay unknown"
        return place.found(question.name, "warning", f"{began}, tokens unknown, {price}", fix)
    tokens = f"{usage.prompt} + {usage.completion} tokens"
    if usage.reasoning:
        tokens += f" ({usage.reasoning} of them reasoning)"
    return place.found(question.name, "ok", f"{began}, {tokens}, {price}")


def _misread(place: Place, question: Question, last: ModelCall, misread: Misread) -> Finding:
    """What a reply is in which the run would find nothing to use, and what to do."""
    text = f"no usable {question.name}: {misread.advice}"
    fix = "use another model, or look at how its server was started: the chat template, the context"
    if last.finish_reason in ("length", "max_tokens"):
        fix = "raise max_tokens in the models file, or the limits of tokens and context there"
        allowed = place.target.params.get("max_tokens", TOKENS + 1)
        if allowed > TOKENS and (last.usage.completion or 0) >= TOKENS:
            text = f"{text}; this question allows {TOKENS} tokens, a run {allowed}"
            return place.found(question.name, "warning", text, fix)
    return place.found(question.name, "problem", text, fix)


def with_substitutes(places: Sequence[Place]) -> list[Finding]:
    """All findings; a backend's problem is a warning if another backend can be used instead."""
    usable = {use for one in places if one.is_usable for use in one.uses}

    def eased(place: Place, one: Finding) -> Finding:
        if one.state != "problem" or not set(place.uses) <= usable:
            return one
        text = f"{one.text}; another backend is used instead"
        return one.model_copy(update={"state": "warning", "text": text})

    return [eased(place, one) for place in places for one in place.findings]


# -- the rows that a run needs


def check_ids(models: Models, asked: Asked) -> None:
    """Whether somebody answers to every id; sends nothing. Raises ModelsError, Usage."""
    places = look_at(models, asked, OF_EVERY_RUN)
    if unknown := problems_of(one for place in places for one in place.findings):
        raise Usage(_listed("unknown model", unknown))


def check_ready(run: RunModels, options: Options, note: Console) -> tuple[ModelCall, ...]:
    """Whether all models can do their work: their keys and, with ``real``, an answer of each.

    Returns every attempt. Raises CannotRun: a key is missing, or a model gives no usable answer.
    """
    if options.playback or (options.resume and options.submit_as_is):
        return ()
    places = look_at(run.models, run.asked, OF_ASKED_MODELS)
    if lacking := problems_of(with_substitutes(places)):
        raise CannotRun(_listed("a key is missing or a model cannot be reached", lacking))
    asks = options.real and not options.no_preflight
    calls = ask_models(places, every=False) if asks else []
    found = with_substitutes(places)
    if failed := problems_of(found):
        what = "no task was started, because a model gives no usable answer"
        way = "`doctor` has details; --no-preflight skips this check"
        raise CannotRun(f"{_listed(what, failed)}\n{way}")
    for one in found:
        if one.state == "warning":
            say(note, f"warning: {one.line}")
        elif one.name in ("decision", "program") and not options.as_json:
            say(note, f"preflight: {one.name} of {one.line}")
    return tuple(calls)


def _listed(what: str, findings: Iterable[Finding]) -> str:
    return "\n  ".join([f"{what}:", *(one.line for one in findings)])
