"""The stages without a model: ``ties``, what ties who asks to what a task names, and ``guest``.

``ties`` ends a task where a fact leaves nothing else: nobody can tell who asks, or a guest orders
a change.
"""

from __future__ import annotations

from pydantic import TypeAdapter

from company_tools.company_session import CompanySession
from company_tools.profile import (
    CustomerFacts,
    EmployeeFacts,
    ProjectFacts,
    TargetFacts,
    target_facts,
)
from company_tools.stages.entities import PROMPTS, CompanyStage, facts_of
from company_tools.stages.spotting import Named, orders_change
from core.ledger import Ledger, ToolFault
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.runs.task import Finding, StageInput, Verdict

TARGETS_AT_MOST = 3
REASON_CHARS = 240
NOBODY = "The request could not be completed because of an internal error."
DENIED = "I am not allowed to do or tell that."


class Ties(CompanyStage):
    """What ties who asks to who and what is named."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The ties in words and as facts by id, or the verdict of a fact."""
        with self._environment.reading(ledger) as (session, _):
            if verdict := by_rule(task.text, session):
                return Finding(text=verdict.reason, verdict=verdict)
            ties = ties_to(session, targets_of(task))
        return Finding(text=_in_words(ties), facts=plain(ties))


def by_rule(text: str, session: CompanySession) -> Verdict | None:
    """The verdict of a fact that leaves nothing else; None where it needs a judgement."""
    if session.identity_fault:
        reason = f"nobody can tell who asks: {session.identity_fault}"[:REASON_CHARS]
        return Verdict(closing=final_answer_of("error_internal", NOBODY), reason=reason, by="rule")
    if session.known_guest and orders_change(text):
        reason = "a guest wants something changed, and a guest changes nothing"
        return Verdict(closing=final_answer_of("denied_security", DENIED), reason=reason, by="rule")
    return None


def final_answer_of(outcome: str, message: str) -> str:
    """The words of a FINISH without links."""
    return f"OUTCOME: {outcome}\nMESSAGE: {message}\nLINKS: none"


def targets_of(task: StageInput) -> list[Named]:
    """What the step ``entities`` has found that a right can hang on, at most three."""
    named = facts_of(task, "entities").get("permission", [])
    rows = TypeAdapter(list[Named]).validate_python(named)
    # Most rights hang on a role in a project or on the account of a customer.
    return sorted(rows, key=lambda row: row.kind == "employee")[:TARGETS_AT_MOST]


def ties_to(session: CompanySession, targets: list[Named]) -> dict[str, TargetFacts]:
    """By id what ties who asks to it; nothing of what cannot be looked up."""
    known: dict[str, TargetFacts] = {}
    for row in targets if session.requester else ():
        try:
            known[row.id] = target_facts(session, session.requester, row.id)
        except ToolFault as fault:
            if fault.fatal:
                raise
    return known


def plain(ties: dict[str, TargetFacts]) -> dict[str, object]:
    """The ties as plain data."""
    return {id: facts.model_dump(mode="json") for id, facts in ties.items()}


def _in_words(ties: dict[str, TargetFacts]) -> str:
    """The ties in a few words, for the strategy."""
    same: dict[str, list[str]] = {}
    for id, facts in ties.items():
        same.setdefault(", ".join(_ties(facts)), []).append(id)
    return "; ".join(f"{', '.join(ids)}: {text}" for text, ids in same.items())


def _ties(facts: TargetFacts) -> list[str]:
    match facts:
        case EmployeeFacts(asker_is_target=True):
            return ["the user themselves"]
        case EmployeeFacts():
            led = facts.projects_of_target_that_asker_leads
            where = "the user's department" if facts.same_department else "another department"
            return [where, f"on projects that the user leads: {', '.join(led) or 'none'}"]
        case ProjectFacts():
            manager = "the user" if facts.asker_manages else "another"
            manager = "none (no customer)" if facts.account_manager is None else manager
            return [
                f"the user's role there: {' and '.join(facts.asker_roles) or 'none'}",
                f"account manager of its customer: {manager}",
            ]
        case CustomerFacts():
            own = "" if facts.asker_is_account_manager else "not "
            return [f"the user is {own}its account manager"]
    return [facts.kind]


class Guest(CompanyStage):
    """Tells a guest's strategy what may be said; without a model, and nothing to anybody else."""

    def run(
        self, task: StageInput, briefing: str, client: ModelClient | None, ledger: Ledger
    ) -> Finding:
        """The playbook."""
        with self._environment.reading(ledger) as (session, _):
            guest = session.known_guest
        return Finding(text=prompt(PROMPTS, "guest", self._texts) if guest else "")
