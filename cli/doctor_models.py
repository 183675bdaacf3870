"""The models of both roles: where they are served, with which key, at what price; a short call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import regex
from pydantic import AfterValidator

from coordinator.clients import BASE_URLS
from core.http.proxies import ProxyUnusable, proxy_of
from core.ledger import Record
from core.models.errors import hint_of
from core.models.extras import ExtraMissing
from core.models.litellm_module import load
from core.models.model_call import (
    ErrorKind,
    ExchangeFailed,
    Message,
    Reply,
    Request,
    Role,
    Transport,
)
from core.models.model_client import open_transport
from core.models.model_ids import UnknownModel, address_of, check_id, key_variable, missing_keys
from core.models.models_file import Backend, Models, Target
from core.models.price_lists import Price
from core.models.prices import dollars, openrouter_id, target_price
from core.models.providers import is_gonka, is_scripted
from core.models.redact import redact
from core.models.reply_text import Misread, Problem, clean
from core.models.tokens import count_messages
from core.terminal.figures import counted

CALL_SECONDS = 60.0
TOKENS_AT_MOST = 600
"""A short call's answer: enough for some thinking, too little to cost anything."""
RAISE = "raise max_tokens in the models file, or the limits of tokens and context at its server"
RULES = "scripted/"
_GOOD = regex.compile(r"\bok", regex.IGNORECASE)
_EMPTY: Mapping[Problem, str] = {
    "empty": "the model answers with an empty text",
    "reasoning": "the model only thinks and answers nothing",
    "spent": "the answer was cut off (finish_reason length) before its first word",
    "truncated": "the answer was cut off (finish_reason length)",
}
"""What is wrong with a reply as a whole, in words for a person."""
PROMPT: tuple[Message, ...] = ({"role": "user", "content": "Reply with OK."},)
State = Literal["ok", "info", "warning", "problem"]
"""``info``: not there and not needed for what is configured; ``problem``: a run would fail."""

Redacted = Annotated[str, AfterValidator(redact)]
"""Servers may quote what they were sent."""


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


class Diagnosis(Record):
    """All findings, ``doctor/1``."""

    format: Literal["doctor/1"] = "doctor/1"
    ok: bool
    """No finding is a problem."""
    announced: str
    """The announcement before the first call: how many calls at what price."""
    findings: tuple[Finding, ...]


def finding(area: str, name: str, state: State, text: str, fix: str = "") -> Finding:
    """A finding by its parts in their order."""
    return Finding(area=area, name=name, state=state, text=text, fix=fix)


def diagnosis(findings: Iterable[Finding], announced: str) -> Diagnosis:
    """The findings, and whether a run can begin."""
    listed = tuple(findings)
    return Diagnosis(ok=not has_problem(listed), announced=announced, findings=listed)


def has_problem(findings: Iterable[Finding]) -> bool:
    """Whether one of them is a problem."""
    return any(f.state == "problem" for f in findings)


@dataclass(frozen=True)
class Place:
    """One model at one backend, with the roles that use it."""

    uses: tuple[tuple[Role, str], ...]
    """Roles, each with the id or name under which it asks."""
    target: Target

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies the backend."""
        backend = self.target.backend
        return backend.model, backend.base_url, backend.key_variable

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
    def price(self) -> Price | None:
        """Dollars per token; None: unknown."""
        backend = self.target.backend
        return target_price(backend.model, self.target.prices, backend.base_url)

    @property
    def tokens_at_most(self) -> int:
        """Maximum tokens of a short call's answer."""
        return int(min(TOKENS_AT_MOST, self.target.params.get("max_tokens", TOKENS_AT_MOST)))


def places(models: Models, models_by_role: Mapping[Role, tuple[str, str | None]]) -> list[Place]:
    """Every distinct model and backend of the roles. Raises ModelsError."""
    distinct: dict[tuple[object, ...], Place] = {}
    for role, (model, base_url) in models_by_role.items():
        for target in models.settings(model, role, base_url).targets:
            place = Place(((role, model),), target)
            uses = distinct[place.key].uses if place.key in distinct else ()
            distinct[place.key] = replace(place, uses=(*uses, *place.uses))
    return list(distinct.values())


def announcement(called: Sequence[Place]) -> str:
    """Announce what will be spent, because the user has not agreed to it yet."""
    if not called:
        return "no paid calls will be made"
    known: dict[str, float] = {}
    unknown: list[str] = []
    for place in called:
        model = place.target.backend.model
        if (price := place.price) is None:
            unknown.append(model)
        else:
            prompt_cost = count_messages(list(PROMPT)) * price.input
            known[model] = prompt_cost + place.tokens_at_most * price.output
    cost = f"about ${sum(known.values()):.4f}" if known else "price unknown"
    if known and unknown:
        cost += f" and the unknown price of {', '.join(dict.fromkeys(unknown))}"
    calls = counted(len(called), "short call")
    return f"at most {calls} to a model will be made now, {cost} (none with --no-calls)"


def identity(place: Place) -> Finding:
    """Whether anybody answers to the id of a place."""
    try:
        check_id(place.target.backend.model)
    except UnknownModel as error:
        fix = "correct the id: PROVIDER/MODEL as LiteLLM spells it, or a name from the models file"
        return found(place, "id", "problem", str(error), fix)
    except ExtraMissing as error:
        return found(place, "id", "problem", str(error))
    return found(place, "id", "ok", "known")


def key(place: Place, environ: Mapping[str, str]) -> Finding:
    """Whether the key that a backend needs is there; its name only."""
    backend = place.target.backend
    if not place.is_served:
        return found(place, "key", "ok", "needs none")
    if missing := " or ".join(missing_keys(backend)):
        fix = f"set {missing}, or put it in .env"
        if backend.model.startswith("openai/") and not backend.key_variable:
            names = dict.fromkeys(BASE_URLS.get(role, "base_url") for role, _ in place.uses)
            fix += f"; for a server of your own set {' and '.join(names)} to its address"
        return found(place, "key", "problem", f"{missing} not set", fix)
    if is_gonka(backend.model):
        from core.models import gonka, gonka_nodes

        try:
            nodes = [node.host for node in gonka_nodes.nodes_of(backend)]
            gonka.key_of(backend)
        except gonka_nodes.SettingsError as error:
            return found(place, "key", "problem", str(error), "correct it where it is set")
        more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
        return found(place, "key", "ok", f"set; nodes: {', '.join(nodes[:3])}{more}")
    text = f"{backend.key_variable} set" if backend.key_variable else "found by LiteLLM"
    if backend.base_url and backend.model.startswith("openai/") and not backend.key_variable:
        text = (
            "no key is set for this server; if it needs one, set OPENAI_API_KEY or "
            "name a variable with key_variable"
        )
        if environ.get("OPENAI_API_KEY"):
            text = "OPENAI_API_KEY is set and will be sent to this server"
    return found(place, "key", "ok", text)


def price(place: Place) -> Finding:
    """Dollars per million tokens and who says so."""
    if not place.is_served:
        return found(place, "price", "ok", "costs nothing")
    known, backend = place.price, place.target.backend
    if known is None:
        if openrouter_id(backend.model, backend.base_url) is not None:
            text = "not known in advance; OpenRouter states the cost of each call in its reply"
            return found(place, "price", "info", text)
        text = "unknown, so the cost of a run is unknown"
        fix = "put it into the models file: prices = { input = ..., output = ... }"
        return found(place, "price", "warning", text, fix)
    parts = {"in": known.input, "out": known.output, "cached": known.cached}
    amounts = [f"${part * 1e6:g} {name}" for name, part in parts.items() if part is not None]
    text = f"{', '.join(amounts)} per million tokens ({known.source})"
    estimate = known.source.startswith("like ")
    fix = "an estimate; put the true prices into the models file" if estimate else ""
    return found(place, "price", "info" if estimate else "ok", text, fix)


def with_substitutes(known: Sequence[tuple[Place, list[Finding]]]) -> list[Finding]:
    """All findings; a backend's problem is a warning if another backend can be used instead."""
    served = {use for place, findings in known if not has_problem(findings) for use in place.uses}

    def eased(place: Place, one: Finding) -> Finding:
        if one.state != "problem" or not set(place.uses) <= served:
            return one
        text = f"{one.text}; another backend is used instead"
        return one.model_copy(update={"state": "warning", "text": text})

    return [eased(place, one) for place, findings in known for one in findings]


def found(place: Place, name: str, state: State, text: str, fix: str = "") -> Finding:
    """A finding about one place."""
    return Finding(area="models", subject=place.name, name=name, state=state, text=text, fix=fix)


def baseline(known: Sequence[Place]) -> list[Finding]:
    """Say to those who run without any LLM how they get one."""
    if not known or not all(place.target.backend.model.startswith(RULES) for place in known):
        return []
    text = "none is configured; a scripted model plays, which needs no key"
    fix = "set the provider's key, such as NEBIUS_API_KEY, and EVALUATOR_MODEL to a LiteLLM id"
    return [finding("models", "LLM", "info", text, fix)]


def proxy(place: Place) -> list[Finding]:
    """The proxy on the way to a place, if it cannot be used."""
    url = address_of(place.target.backend) if place.is_served else None
    try:
        if url:
            proxy_of(url)
    except ProxyUnusable as error:
        return [found(place, "proxy", "problem", str(error))]
    return []


def called(place: Place, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a place and what a short call to it finds; a refused key is not in order."""
    answer, kind = tiny_call(place)
    if kind != "authentication":
        return [*findings, answer]
    text = f"{key_variable(place.target.backend)} is not accepted by the provider"
    refused = {"state": "problem", "text": text, "fix": answer.fix}
    return [
        *(one.model_copy(update=refused) if one.name == "key" else one for one in findings),
        answer,
    ]


def tiny_call(
    place: Place, transport_factory: Callable[[Backend], Transport] = open_transport
) -> tuple[Finding, ErrorKind | None]:
    """One attempt with a tiny prompt: who answers, how fast, for how much; how it failed."""
    if not place.is_served:
        return found(place, "answer", "info", "not called: it runs inside this program"), None
    target = place.target
    params = target.params | {"max_tokens": place.tokens_at_most}
    request = Request(model=target.backend.model, messages=PROMPT, params=params)
    load()  # its seconds are not the model's
    began = time.perf_counter()
    try:
        seconds = min(target.timeout_seconds, CALL_SECONDS)
        reply = transport_factory(target.backend).send(request, seconds)
    except ExchangeFailed as error:
        return refused(place, error.kind, error.text), error.kind
    return answered(place, reply, time.perf_counter() - began), None


def answered(place: Place, reply: Reply, seconds: float) -> Finding:
    """What a reply to the short call says of a place, and whether it is an answer at all."""
    usage = reply.usage
    state: State = "ok"
    tokens, fix = f"{usage.prompt} + {usage.completion} tokens", ""
    if usage.prompt is None:
        state, tokens = "warning", "tokens unknown"
        fix = "its server reports no usage, so tokens and cost of a run stay unknown"
    elif usage.reasoning:
        tokens += f" ({usage.reasoning} of them reasoning)"
    parts = [f"{reply.answered_by} answers in {seconds:.2f} s".lstrip(), tokens]
    if usage.completion and seconds > 0:
        parts.append(f"{usage.completion / seconds:.1f} tokens/s")
    cost, source = dollars(place.target, reply)
    parts.append("price unknown" if cost is None else f"${cost:.6f} ({source})")
    if fault := _fault(place, reply):
        state, text, fix = fault
        parts.insert(0, text)
    return found(place, "answer", state, ", ".join(parts), fix)


def _fault(place: Place, reply: Reply) -> tuple[State, str, str] | None:
    """What is wrong with a reply, whether a run would fail by it, and what to do."""
    try:
        answer = clean(reply.text, reply.finish_reason, reply.reasoning)
    except Misread as misread:
        problem, advice = misread.problem, misread.advice
    else:
        if _GOOD.search(answer):
            return None
        said = " ".join(answer.split())[:60]
        fix = (
            "look at what its server is given and how it was started: the chat template, the model"
        )
        return "warning", f"asked for OK, the model answers {said!r}", fix
    text = f"the answer cannot be used: {advice}"
    text = _EMPTY.get(problem, text) if problem else text
    if problem in ("empty", "reasoning"):
        return "problem", text, "use another model, or look at how its server was started"
    limit, allowed = place.tokens_at_most, place.target.params.get("max_tokens")
    if (allowed is None or limit < allowed) and (reply.usage.completion or 0) >= limit:
        return "warning", f"{text}, at the {limit} tokens of this short call", RAISE
    return "problem", text, RAISE


def refused(place: Place, kind: str | None, text: str) -> Finding:
    """Why a place gave no answer, and what to do; an address that cannot be reached is named."""
    base_url = place.target.backend.base_url
    if kind == "network" and base_url:
        text = f"{base_url} cannot be reached: {text}"
        fix = "start the server or correct the base URL"
    else:
        fix = hint_of(kind, text, key_variable(place.target.backend))
    return found(place, "answer", "problem", text, fix or "try again, or contact the provider")
