"""The right answer to an ask: may they, is the ticket there, and what is the answer."""

from __future__ import annotations

from workshop.generators.company.ask import CLARIFY, DENIED, Answer, Ask, Need, View
from workshop.generators.company.policy import Policy
from workshop.generators.company.records import Firm


def oracle(firm: Firm, policy: Policy, ask: Ask) -> Answer:
    """What the evaluator shall want. The order of judgement is the order of this function."""
    requester = firm.employees[ask.requester] if ask.requester else None
    view = View(firm, policy, requester, ask.today, ask.ticket)
    needs = ask.question.needs(view)
    for need in needs:
        if not _may(view, need):
            found = ask.question.answer(view)
            proof = _why_not(view, need)
            return Answer(proof, DENIED, excludes=found.secrets, no_links=found.no_links)
    for right, _ in needs:
        if right and policy.needs_ticket(right) and not policy.good_ticket(ask.ticket):
            named = f"{ask.ticket!r} is not of the wanted shape" if ask.ticket else "none is named"
            return Answer(f"Allowed, but a change ticket is needed and {named}.", CLARIFY)
    return ask.question.answer(view)


def _may(view: View, need: Need) -> bool:
    right, target = need
    return right is not None and view.policy.allows(view.requester, right, target)


def _why_not(view: View, need: Need) -> str:
    right, target = need
    who = f"{view.requester.name} ({view.requester.department})" if view.requester else "A guest"
    if right is None:
        return f"{who} may not, because nobody may."
    groups = ", ".join(group.title for group in view.policy.groups_of(view.requester, target))
    return f"{who} has the rights of: {groups}. None of them may {view.policy.words[right]}."
