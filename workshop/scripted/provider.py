"""The scripted models behind one provider: ``scripted/store``, ``scripted/company``, ...

They are told by the pack what a task asks for. Everything behind the model is real, so a run of
theirs shows the machinery and not a model's skill.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import regex

from core.models.model_call import Message
from core.models.prompt_json import compact
from core.models.providers import Played
from workshop.scripted import company, policy, store, worker
from workshop.scripted.mistakes import (
    UNREADABLE,
    Mistakes,
    fitting_company,
    fitting_store,
    spoil_company,
    spoil_store,
)
from workshop.scripted.prompt import (
    Finish,
    Memory,
    Order,
    Prompt,
    remembered,
    render_step,
    render_turn,
)
from workshop.simulator.company.pack import CompanyPack, CompanyScenario
from workshop.simulator.store.pack import Scenario as StoreScenario

BENCHMARKS = {"store": "store", "company": "company", "literal": "store"}
"""What each scripted model plays."""
_ANSWER = regex.compile(r"<answer>\n(.*)\n</answer>", regex.DOTALL)
_PAGE_LINE = regex.compile(
    r"^== (?P<page>\d+) .* ==\n(?:\d+ #.*\n)*(?P<line>\d+) (?P<text>\p{L}.*)$", regex.MULTILINE
)
_CALLS: dict[str, dict[str, Any]] = {
    "verdict": {"verdict": "allowed", "rule": "", "reason": "it is asked for", "message": ""},
    "ok": {"ok": True},
}
"""The small calls of stages, by the first field of their form."""


def check(model: str) -> None:
    """Raises LookupError: there is no such model, or an option of its mistakes is wrong."""
    name, _, query = model.partition("?")
    if name not in BENCHMARKS:
        there = ", ".join(f"scripted/{one}" for one in BENCHMARKS)
        raise LookupError(f"there is no scripted/{name}; there are {there}")
    Mistakes.read(query)


def reply(model: str, messages: list[Message], played: Played) -> str:
    """Answer a prompt of any role.

    Raises:
        LookupError: there is no such model; or no pack of the run has this task.
    """
    check(model)
    prompt = Prompt.of(messages)
    if (instruction := prompt.section("instruction")) is not None:
        return worker.carry_out(instruction)
    if prompt.section("change") is not None:
        return policy.judge(prompt, _wishes(model, prompt, played))
    if prompt.section("message") is not None:
        return policy.CLEAN
    if not prompt.strategy:
        return _small_call(prompt, played)
    decide = _player(model, prompt, played)
    if decide is None:
        return UNREADABLE
    if prompt.strategy == "Turn":
        return render_turn(decide(prompt.last_turn()))
    return _step(decide, prompt)


Decide = Callable[[Memory], Order | Finish]


def _step(decide: Decide, prompt: Prompt) -> str:
    """The next step: the next line of the order that is carried out, or the first of a new one."""
    note, came = prompt.last_step()
    before, seen, at = note.get("before", {}), note.get("seen", {}), note.get("at", -1)
    now = decide(before)
    if note and isinstance(now, Order):
        line = now.lines[at]
        seen = worker.learn(seen, line, came)
        stops = "error" in came and line.verb not in company.LOOKS
        if stops or at + 1 == len(now.lines):
            before, seen, at = remembered(line, seen), {}, -1
            now = decide(before)
    if isinstance(now, Finish):
        return render_step(now.why, now.completion, {"before": before})
    note = {"before": before, "seen": seen, "at": at + 1}
    return render_step(now.why, worker.call_of(now.lines[at + 1]), note)


def _player(model: str, prompt: Prompt, played: Played) -> Decide | None:
    """What decides for the task of a prompt; None: no reply is readable. Raises LookupError."""
    name, _, query = model.partition("?")
    mistakes, task = Mistakes.read(query), prompt.section("task") or ""
    found = _found(model, prompt, played)
    if name == "company":
        best = max(found, key=lambda one: _fits(one[0], one[1], prompt))
        wish, made = _company_wish(best, mistakes, played.epoch)
        return None if made == "unreadable" else lambda memory: company.decide(wish, memory)
    scenarios = [scenario for _, scenario in found]
    wishes = [store.wish_of(scenario) for scenario in scenarios]
    made = mistakes.drawn(task, played.epoch, lambda: fitting_store(scenarios[0], wishes[0]))
    wishes = [spoil_store(*both, made) for both in zip(scenarios, wishes, strict=True)]
    if name == "literal":
        wishes = [store.literal(wish, prompt.system) for wish in wishes]
    if made == "unreadable":
        return None
    seen, whole = {"products": prompt.catalog}, prompt.strategy == "Turn"
    return lambda memory: store.decide(wishes, memory or seen, whole=whole)


def _found(model: str, prompt: Prompt, played: Played) -> list[tuple[Any, Any]]:
    """The scenarios with the task of a prompt, each with its pack. Raises LookupError: none."""
    name, task = model.partition("?")[0], prompt.section("task") or ""
    kind = CompanyScenario if name == "company" else StoreScenario
    found = [one for one in _by_text(played).get(task, []) if isinstance(one[1], kind)]
    if not found:
        raise LookupError(f"no pack of this run has this task for scripted/{name}: it is not known")
    return found


def _company_wish(
    found: tuple[CompanyPack, CompanyScenario], mistakes: Mistakes, epoch: int
) -> tuple[company.Wish, str]:
    """What is wanted in a task, a mistake included, and the kind of that."""
    pack, scenario = found
    wish = company.wish_of(scenario, pack.company_of(scenario).wiki)
    fitting = partial(fitting_company, scenario, wish)
    made = mistakes.drawn(scenario.task_text, epoch, fitting)
    return spoil_company(scenario, wish, made), made


def _wishes(model: str, prompt: Prompt, played: Played) -> list[company.Wish]:
    """What may be wanted in the task of a prompt: scenarios may have the same text."""
    mistakes = Mistakes.read(model.partition("?")[2])
    found = _found(model, prompt, played)
    return [_company_wish(one, mistakes, played.epoch)[0] for one in found]


@lru_cache(maxsize=8)
def _by_text(played: Played) -> dict[str, list[tuple[Any, Any]]]:
    """The scenarios of a run with their packs, by the text of the task."""
    by_text = defaultdict[str, list[tuple[Any, Any]]](list)
    for pack in played.packs:
        for scenario in pack.scenarios:
            by_text[scenario.task_text].append((pack, scenario))
    return by_text


def _fits(pack: CompanyPack, scenario: CompanyScenario, prompt: Prompt) -> tuple[int, int]:
    """How much of a briefing is as the scenario has it: scenarios may have the same text."""
    told = prompt.section("briefing") or ""
    facts = told.rpartition("\n")[2]
    pages = pack.company_of(scenario).wiki.items()
    return (
        (compact(scenario.user or "guest") in facts) + (scenario.today in facts),
        sum((path in told) + (text.strip() in told) for path, text in pages),
    )


def _small_call(prompt: Prompt, played: Played) -> str:
    """Fill in the form of a stage. Raises LookupError: it has none that is known."""
    field = prompt.form
    if field == "about":
        return json.dumps(_about(prompt.section("task") or "", played), ensure_ascii=False)
    if field == "answer":
        told = _ANSWER.search(prompt.user)
        return json.dumps({"answer": told[1] if told else "unknown"}, ensure_ascii=False)
    if field == "rules":
        return json.dumps({"rules": _first_line(prompt.user)}, ensure_ascii=False)
    if field not in _CALLS:
        raise LookupError("the prompt is of no role that a scripted model plays")
    return json.dumps(_CALLS[field])


def _about(task: str, played: Played) -> dict[str, Any]:
    """What a task is about, with the names of its company's records that stand in it whole."""
    found = [one for one in _by_text(played).get(task, []) if isinstance(one[1], CompanyScenario)]
    names = list[str]()
    if found:
        pack, scenario = found[0]
        firm = pack.company_of(scenario)
        records = (*firm.employees, *firm.projects, *firm.customers)
        words = (word for one in records for word in (one.name, _turned(one.name), one.id))
        names = [word for word in words if word in task]
    return {"about": "all", "named": names, "days": [], "changes": False}


def _turned(name: str) -> str:
    """A name with its last word first."""
    first, _, last = name.rpartition(" ")
    return f"{last} {first}".strip()


def _first_line(pages: str) -> list[list[str]]:
    """The first line of the pages that is no heading, as a rule for everybody on everything."""
    match = _PAGE_LINE.search(pages)
    if match is None:
        return []
    words = " ".join(match["text"].split()[:3])
    return [[f"{match['page']}:{match['line']}", words, "everybody", "all", "see"]]
