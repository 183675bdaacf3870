"""What the models' servers say when they are asked: one free question, one tiny call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from cli.doctor_finding import Finding, State
from cli.doctor_models import PROMPT, Place, found
from core.erc3_client.bounds import LOOPBACK
from core.models.exchange import ExchangeFailed, Reply, Request, Transport
from core.models.litellm_module import load
from core.models.model_client import open_transport
from core.models.models_file import Backend
from core.models.prices import dollars
from core.models.providers import GONKA
from core.models.redact import redact
from core.models.reply_code import find_code
from core.models.reply_text import Cleaned, clean
from core.models.retries import HINTS
from evaluator.decision import Missing, read_decision

LIST_SECONDS = 5.0
CALL_SECONDS = 60.0
SHOWN = 5
"""Names of models that are listed in a text."""


def served(place: Place) -> Finding | None:
    """What a server with an address of its own lists; None where there is nothing to ask.

    The list of models costs nothing. A server without one is no problem.
    """
    backend = place.target.backend
    if place.kind != "served" or not backend.base_url or backend.model.startswith(f"{GONKA}/"):
        return None
    import httpx

    from core.models.chat_http import ChatTransport

    url = f"{backend.base_url.rstrip('/')}/models"
    local = urlsplit(url).hostname in LOOPBACK
    began = time.perf_counter()
    try:
        with httpx.Client(transport=ChatTransport(verify=True, trust_env=not local)) as client:
            answer = client.get(url, headers=_headers(backend), timeout=LIST_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        text = f"{redact(backend.base_url)} cannot be reached ({type(error).__name__})"
        return found(place, "server", "problem", text, "start the server or correct the base URL")
    seconds = round(time.perf_counter() - began, 3)
    return _listed(place, answer.status_code, _names(answer), seconds)


def _headers(backend: Backend) -> dict[str, str]:
    variable = backend.key_variable
    if variable is None and backend.model.startswith("openai/"):
        variable = "OPENAI_API_KEY"
    key = os.environ.get(variable or "", "").strip()
    return {"Authorization": f"Bearer {key}"} if key else {}


def _names(answer: object) -> list[str] | None:
    """The ids in a list of models, or None where it is no such list."""
    try:
        data = answer.json()["data"]  # type: ignore[attr-defined]
        return [str(model["id"]) for model in data]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _listed(place: Place, status: int, names: list[str] | None, seconds: float) -> Finding:
    wanted = place.target.backend.model.split("/", 1)[-1]
    details = {"status": status, "models": names, "seconds": seconds}
    if status in (401, 403):
        text, fix = f"reached, but it refuses the key (status {status})", HINTS["authentication"]
        return found(place, "server", "problem", text, fix, details)
    if names is None:
        text = f"reached; it does not list its models (status {status})"
        fix = "a base URL usually ends in /v1" if status == 404 else ""
        return found(place, "server", "warning" if fix else "info", text, fix, details)
    if wanted not in names:
        shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
        text = f"reached in {seconds:.2f} s; {wanted!r} is not among its models ({shown})"
        return found(place, "server", "warning", text, "correct the model id", details)
    return found(place, "server", "ok", f"reached in {seconds:.2f} s; lists {wanted}", "", details)


def tiny_call(
    place: Place, opener: Callable[[Backend], Transport] = open_transport
) -> list[Finding]:
    """One attempt with a tiny prompt: who answers, how fast, for how much, in which form."""
    if place.kind == "canned":
        return [found(place, "answer", "info", "not asked: its replies are for a run")]
    target = place.target
    request = Request(
        model=target.backend.model,
        messages=tuple(PROMPT),
        params=target.params | {"max_tokens": place.tokens_at_most},
    )
    if place.kind == "served":
        load()  # its seconds are not the model's
    began = time.perf_counter()
    try:
        transport = opener(target.backend)
        reply = transport.send(request, min(target.timeout_seconds, CALL_SECONDS))
    except ExchangeFailed as error:
        fix = HINTS.get(error.kind, "ask the provider; another attempt may do")
        return [found(place, "answer", "problem", error.text, fix, {"error_kind": error.kind})]
    return [_answer(place, reply, time.perf_counter() - began), *_forms(place, reply)]


def _answer(place: Place, reply: Reply, seconds: float) -> Finding:
    usage = reply.usage
    cost, source = dollars(place.target, reply)
    speed = round(usage.completion / seconds, 1) if usage.completion and seconds > 0 else None
    state: State = "ok"
    tokens, fix = f"{usage.prompt} + {usage.completion} tokens", ""
    if usage.prompt is None:
        state, tokens = "warning", "tokens unknown"
        fix = "its server tells no usage, so tokens and dollars of a run stay unknown"
    elif usage.reasoning:
        tokens += f" ({usage.reasoning} of them thinking)"
    parts = [f"{reply.answered_by} answers in {seconds:.2f} s".lstrip(), tokens]
    if place.kind == "served":
        parts += [f"{speed:g} tokens/s"] if speed is not None else []
        parts.append("price unknown" if cost is None else f"${cost:.6f} ({source})")
    details = {
        "answered_by": reply.answered_by or None,
        "seconds": round(seconds, 3),
        "tokens_per_second": speed,
        "usage": usage.model_dump(),
        "cost_usd": cost,
        "price_source": source,
    }
    return found(place, "answer", state, ", ".join(parts), fix, details)


def _forms(place: Place, reply: Reply) -> list[Finding]:
    """Whether the forms of the roles that use this place can be read out of the reply."""
    cleaned = clean(reply.text, reply.finish_reason, reply.reasoning)
    roles = {role for role, _ in place.uses}
    made: list[Finding] = []
    if "evaluator" in roles:
        try:
            read_decision(reply.text, reply.finish_reason, reply.reasoning)
            wrong = ""
        except Missing as problem:
            wrong = str(problem)
        made.append(_form(place, "THOUGHT / DECISION / INSTRUCTION", wrong, cleaned))
    if "worker" in roles and place.kind == "served":
        made.append(_form(place, "a code block", find_code(cleaned).words, cleaned))
    return made


def _form(place: Place, form: str, wrong: str, cleaned: Cleaned) -> Finding:
    notes = f" ({', '.join(cleaned.notes)})" if cleaned.notes else ""
    details = {"read": not wrong, "notes": list(cleaned.notes)}
    if not wrong:
        return found(place, "form", "ok", f"{form} is given{notes}", "", details)
    fix = "a run asks back once; if this comes again, take another model"
    if cleaned.problem in ("spent", "reasoning"):
        fix = "lower its reasoning_effort or raise max_tokens in the models file"
    return found(place, "form", "warning", f"{form} is not given: {wrong}{notes}", fix, details)
