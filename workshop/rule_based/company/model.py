"""``playbook/company``: a model without a key that answers the prompts of evaluator and worker.

The next step for a task is a look at the records, the change that the rules allow, or the answer.
"""

from __future__ import annotations

from typing import Any

import regex

from core.models.model_call import Message
from workshop.rule_based.company import answers, kinds, programs
from workshop.rule_based.company.answers import Answer, clarify, done
from workshop.rule_based.company.facts import Facts, read_facts
from workshop.rule_based.company.plans import SELF, plan, step
from workshop.rule_based.company.rights import CHANGES, Rules
from workshop.rule_based.prompt import Instruction, carry_out, last_turn, section, user_text
from workshop.rule_based.stepping import Halted, Rehearsal, Wanted, last_rehearsal, render_step

Report = dict[str, Any] | None
_NO_LISTS = regex.compile(
    r"page limit|refuses (?:every|all) list|does not answer|refused|forbidden"
)
_DENIED = Answer("denied_security", "I am not allowed to do or tell that.")
_UNREADABLE = {"failed": "the report cannot be read"}
_REMAINING = ["complete with the answer"]


def reply(model: str, messages: list[Message]) -> str:
    """Answer a prompt of the evaluator, of the worker, or, as ``company-steps``, of next-step.

    Raises LookupError: it is of none of them, or a program broke off.
    """
    prompt = user_text(messages)
    task, instruction = section("task", prompt), section("instruction", prompt)
    if task is not None:
        return _step(task, prompt) if model == "company-steps" else _evaluate(task, prompt)
    if instruction is None or model == "company-steps":
        raise LookupError("the prompt holds neither a task nor an instruction")
    return carry_out(instruction, programs.code)


def _evaluate(task: str, prompt: str) -> str:
    turn = last_turn(prompt)
    name, report = (turn[0].step, turn[1] or _UNREADABLE) if turn else ("", None)
    briefing, findings = section("briefing", prompt) or "", section("findings", prompt) or ""
    following = decide(task, briefing, name, report, findings)
    if isinstance(following, Answer):
        return f"THOUGHT: {following.message}\nDECISION: FINISH\nINSTRUCTION: {following.render()}"
    reply = f"THOUGHT: {following.text}\nDECISION: PROCEED\nINSTRUCTION: {following.render()}"
    about = following.parameters.get("about")
    return reply if about is None else f"{reply}\nIF DONE: {done(about).render()}"


def _step(task: str, prompt: str) -> str:
    """The next step, as JSON: of the program that runs, else of what its report leads to."""
    name = ""
    report: dict[str, Any] | None = None
    try:
        if rehearsal := last_rehearsal(prompt):
            name = rehearsal.instruction.step
            wanted = _run(rehearsal)
            if isinstance(wanted, Wanted):
                return rehearsal.render(wanted, programs.purpose(name), _REMAINING)
            report = wanted
    except (Halted, KeyError) as reason:
        report = {"failed": str(reason)}
    briefing, findings = section("briefing", prompt) or "", section("findings", prompt) or ""
    following = decide(task, briefing, name, report, findings)
    if isinstance(following, Instruction):
        rehearsal = Rehearsal(following)
        wanted = _run(rehearsal)
        assert isinstance(wanted, Wanted), "each program calls a tool"
        return rehearsal.render(wanted, programs.purpose(following.step), _REMAINING)
    links = [{"kind": kind, "id": id_} for kind, id_ in following.links]
    completion = {
        "tool": "TaskCompletion",
        "status": "solved",
        "reason": "by the playbook",
        "conditions": [following.outcome],
        "final": {"outcome": following.outcome, "message": following.message, "links": links},
    }
    return render_step(following.message, _REMAINING, completion)


def _run(rehearsal: Rehearsal) -> Wanted | dict[str, Any]:
    instruction = rehearsal.instruction
    return rehearsal.run(programs.code(instruction.step, instruction.parameters))


def decide(
    task: str, briefing: str, name: str, report: Report, findings: str = ""
) -> Instruction | Answer:
    """What comes next; ``name`` and ``report``: of the last step, if there was one."""
    facts = read_facts(task, briefing, findings)
    if facts is None or not facts.today:
        return Answer("error_internal", "The system does not tell who asks, or which day it is.")
    kind = kinds.match_kind(task)
    if kind is None:
        unclear = clarify("Please say in other words what is wanted.")
        return _DENIED if facts.requester.guest else unclear
    if answer := _refusal(facts, kind, report):
        return answer
    if kind.name == "date":
        day = kinds.resolve_day(task, facts.today)
        unclear = clarify("Which day is meant?")
        return Answer("ok_answer", kinds.format_day(day, task)) if day else unclear
    if report is None:
        return plan(facts, kind.name)
    return _after_report(facts, kind, name, report)


def _refusal(facts: Facts, kind: kinds.TaskKind, report: Report) -> Answer | None:
    """Why a task is not carried out: not allowed, not possible, or a change that is not certain."""
    lead, account = _tied(facts, report)
    others = [x for x in facts.of("employee") if x.id != facts.requester.id] or facts.open()
    only_own = kind.own and not others and SELF.search(facts.task)
    rights = [kind.own] if only_own else kind.right.split("+")
    if not all(facts.rules.allows(facts.requester, x, lead=lead, account=account) for x in rights):
        return _DENIED
    if kind.name == "unsupported":
        return Answer("none_unsupported", "No function of the system does that.")
    changes = [right for right in rights if right in CHANGES]
    return _doubt(facts, kind, changes, report) if changes else None


def _after_report(
    facts: Facts, kind: kinds.TaskKind, name: str, report: dict[str, Any]
) -> Instruction | Answer:
    """What follows from the report of the program of that name."""
    if "failed" in report:
        error = str(report["failed"])
        if _NO_LISTS.search(error):
            return Answer("error_internal", "The system does not give the records.")
        return clarify(f"That could not be done: {error[:200]}")
    if "unclear" in report:
        names = ", ".join(map(str, report["unclear"]))
        return clarify(
            f"Which one is meant: {names}?" if names else "No record fits what is named."
        )
    if kind.name in programs.WRITES and name not in programs.WRITES:
        return plan(facts, kind.name, report)
    if "rules" in report:
        return step(name, {**report["given"], "unless": ""})
    return answers.answer(facts, kind.name, report)


def _tied(facts: Facts, report: Report) -> tuple[bool, bool]:
    """Whether the requester is Lead, or account manager, of what the task is about."""
    looked_up = report or {}
    project, customer = looked_up.get("project"), looked_up.get("customer")
    if not project and not customer:
        return facts.tied()
    team = project["team"] if project else []
    lead = any(m["employee"] == facts.requester.id and m["role"] == "Lead" for m in team)
    return lead, customer is not None and customer["account_manager"] == facts.requester.id


def _doubt(facts: Facts, kind: kinds.TaskKind, changes: list[str], report: Report) -> Answer | None:
    """Why an allowed change is not made: a rule demands more, or the text hangs it on something."""
    more_rules = Rules("\n\n".join(map(str, (report or {}).get("rules", ()))))
    if any(rules.demands(x) for rules in (facts.rules, more_rules) for x in changes):
        return clarify("A rule demands a number or an approval for this change; please name it.")
    if kind.name not in programs.WRITES:
        return clarify("This change is left to somebody who can read more than plain forms.")
    expected = {kind.name, "note"} if kind.name == "log_time" else {kind.name}
    if kinds.hangs_on_more(facts.task, programs.WRITES - expected):
        return clarify("Which change is wanted, and on what does it hang?")
    return None
