"""The models of both roles: where they are served, with which key, at what price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cli.doctor_finding import Details, Finding, State, finding
from core.models import gonka
from core.models.api_keys import missing_keys
from core.models.extras import ExtraMissing
from core.models.litellm_module import load
from core.models.model_call import Message, Role
from core.models.model_ids import UnknownModel, check_id
from core.models.models_file import Models, Target
from core.models.openrouter_prices import OpenRouterPrices, openrouter_id, used
from core.models.prices import Price, target_price
from core.models.providers import GONKA, is_served
from core.models.tokens import count_messages

TOKENS_AT_MOST = 600
"""A tiny call's answer: enough for some thinking, too little to cost anything."""
BRAIN = "playbook"
PROMPT: list[Message] = [
    {
        "role": "system",
        "content": "Your form is being checked. Reply in exactly this form and add nothing:\n"
        "THOUGHT: one short sentence\nDECISION: PROCEED\nINSTRUCTION: run this\n"
        "<code>\nfinal_answer({'ready': True})\n</code>",
    },
    {"role": "user", "content": "<task>\nShow that you are ready.\n</task>"},
]
"""One prompt for both forms: that of the evaluator, with a code block as the worker writes it."""


@dataclass(frozen=True)
class Place:
    """One model at one backend, whoever uses it."""

    uses: tuple[tuple[Role, str], ...]
    """Roles, each with the id or name under which it asks."""
    target: Target

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it another place than others."""
        backend = self.target.backend
        return backend.model, backend.base_url, backend.key_variable

    @property
    def name(self) -> str:
        """Roles, model and, where it has a name of its own, the backend."""
        roles = " and ".join(role for role, _ in self.uses)
        backend = self.target.backend
        return f"{roles}: {', '.join(dict.fromkeys([backend.model, backend.name]))}"

    @property
    def kind(self) -> str:
        """``brain`` (answers here), ``canned`` (is not asked) or ``served`` (costs)."""
        model = self.target.backend.model
        if model.split("/", 1)[0] == BRAIN:
            return "brain"
        return "served" if is_served(model) else "canned"

    @property
    def price(self) -> Price | None:
        """Dollars per token; None: unknown."""
        backend = self.target.backend
        return target_price(backend.model, self.target.prices, backend.base_url)

    @property
    def dollars_at_most(self) -> float | None:
        """What a tiny call can cost; None: unknown."""
        price = self.price
        if price is None:
            return None
        return count_messages(PROMPT) * price.input + self.tokens_at_most * price.output

    @property
    def tokens_at_most(self) -> int:
        """Of a tiny call's answer."""
        return int(min(TOKENS_AT_MOST, self.target.params.get("max_tokens", TOKENS_AT_MOST)))


def places(models: Models, asked: Mapping[Role, tuple[str, str | None]]) -> list[Place]:
    """Every distinct model and backend of the roles; ``asked``: id and base URL of each.

    Raises ModelsError: settings that do not fit together.
    """
    found: dict[tuple[object, ...], Place] = {}
    for role, (model, base_url) in asked.items():
        for target in models.settings(model, role, base_url).targets:
            place = Place(((role, model),), target)
            known = found.setdefault(place.key, place)
            if known is not place:
                found[place.key] = replace(known, uses=known.uses + place.uses)
    return list(found.values())


def announcement(called: Sequence[Place]) -> str:
    """What is about to be spent, for a user who has not agreed to it yet."""
    if not called:
        return "no call that costs anything will be made"
    sums = [place.dollars_at_most for place in called]
    known = sum(s for s in sums if s is not None)
    unknown = [p.target.backend.model for p, s in zip(called, sums, strict=True) if s is None]
    calls = "1 tiny call" if len(called) == 1 else f"{len(called)} tiny calls"
    price = f"about ${known:.4f}" if len(unknown) < len(called) else "price unknown"
    if 0 < len(unknown) < len(called):
        price += f" and the unknown price of {', '.join(unknown)}"
    return f"at most {calls} to a model will be made now, {price} (none with --no-calls)"


def identity(place: Place, models: Models) -> Finding:
    """Whether anybody answers to the id of a place."""
    try:
        check_id(place.target.backend.model, models)
    except UnknownModel as error:
        fix = "correct the id: PROVIDER/MODEL as LiteLLM has it, or a name of the models file"
        return found(place, "id", "problem", str(error), fix)
    except ExtraMissing as error:
        return found(place, "id", "problem", str(error))
    return found(place, "id", "ok", "known")


def key(place: Place, environ: Mapping[str, str]) -> Finding:
    """Whether the key that a backend needs is there; its name only."""
    backend = place.target.backend
    if place.kind != "served":
        return found(place, "key", "ok", "needs none")
    if missing := " or ".join(missing_keys(backend)):
        fix = f"set {missing}, or put it in .env"
        return found(place, "key", "problem", f"{missing} not set", fix)
    if backend.model.startswith(f"{GONKA}/"):
        return _nodes(place)
    if backend.key_variable is not None:
        return found(place, "key", "ok", f"{backend.key_variable} set")
    if backend.base_url and backend.model.startswith("openai/"):
        text = (
            "OPENAI_API_KEY is set and goes to this server"
            if environ.get("OPENAI_API_KEY")
            else "none is named for this server; if it wants one, name it with key_variable"
        )
        return found(place, "key", "ok", text)
    return found(place, "key", "ok", "found by LiteLLM")


def _nodes(place: Place) -> Finding:
    """Whether the private key and the nodes of Gonka can be used."""
    try:
        nodes = gonka.nodes_of(place.target.backend)
        gonka.key_of(place.target.backend)
    except gonka.SettingsError as error:
        return found(place, "key", "problem", str(error), "correct it in the environment or .env")
    where = ", ".join(node.host for node in nodes)
    return found(place, "key", "ok", f"set; nodes: {where}")


def price(place: Place) -> Finding:
    """Dollars per million tokens and who says so."""
    if place.kind != "served":
        return found(place, "price", "ok", "costs nothing")
    known, listing = place.price, _listing(place)
    problem = listing.problem if listing else ""
    if known is None:
        text = "unknown, so a run's dollars are unknown"
        fix = "write it into the models file: prices = { input = ..., output = ... }"
        return found(place, "price", "warning", f"{text}; {problem}" if problem else text, fix)
    per_million = {
        "input": round(known.input * 1e6, 6),
        "output": round(known.output * 1e6, 6),
        "cached": None if known.cached is None else round(known.cached * 1e6, 6),
    }
    text = f"${per_million['input']:g} in, ${per_million['output']:g} out"
    text += f", ${per_million['cached']:g} cached" if known.cached is not None else ""
    text += f" per million tokens{f', ${known.request:g} a request' if known.request else ''}"
    day = listing.known.day if listing and listing.known else None
    told = f"{known.source}, list of {day}" if known.source == "openrouter" else known.source
    details = {"per_million": per_million, "request": known.request, "source": known.source}
    text += f" ({told})"
    if problem:
        return found(place, "price", "info", f"{text}; {problem}", "", details)
    if known.source.startswith("like "):
        fix = "an estimate; write the true prices into the models file"
        return found(place, "price", "info", text, fix, details)
    return found(place, "price", "ok", text, "", details)


def _listing(place: Place) -> OpenRouterPrices | None:
    """OpenRouter's list, where the price of a place stands in it."""
    backend = place.target.backend
    routed = openrouter_id(backend.model, backend.base_url)
    return used() if routed is not None and place.target.prices is None else None


def schema(place: Place) -> Finding:
    """Whether the provider takes a JSON schema, by LiteLLM's map: nothing is sent for it."""
    if place.kind != "served":
        return found(place, "JSON schema", "ok", "not needed")
    takes = bool(load().supports_response_schema(place.target.backend.model))
    text = "taken natively, says LiteLLM's map" if takes else "LiteLLM's map does not know of it"
    return found(place, "JSON schema", "ok" if takes else "info", text, "", {"native": takes})


def spared(known: Sequence[tuple[Place, list[Finding]]]) -> list[Finding]:
    """All findings; a backend's problem is a warning where another one serves whoever uses it."""
    well = {use for place, findings in known if not ill(findings) for use in place.uses}
    made: list[Finding] = []
    for place, findings in known:
        others = set(place.uses) <= well
        for one in findings:
            if others and one.state == "problem":
                text = f"{one.text}; another backend serves in its place"
                one = one.model_copy(update={"state": "warning", "text": text})
            made.append(one)
    return made


def ill(findings: Sequence[Finding]) -> bool:
    """Whether one of them is a problem."""
    return any(f.state == "problem" for f in findings)


def found(
    place: Place, name: str, state: State, text: str, fix: str = "", details: Details = None
) -> Finding:
    """A finding about one place."""
    return finding("models", name, state, text, fix, details, place.name)


def baseline(known: Sequence[Place]) -> list[Finding]:
    """A word to those who run without any LLM."""
    if not known or any(place.kind != "brain" for place in known):
        return []
    text = "none is configured: the playbook brain answers, a baseline that needs no key"
    fix = (
        "set EVALUATOR_MODEL and WORKER_MODEL to a LiteLLM id and the provider's key "
        "(nebius/openai/gpt-oss-120b and NEBIUS_API_KEY, for example)"
    )
    return [finding("models", "LLM", "info", text, fix)]
