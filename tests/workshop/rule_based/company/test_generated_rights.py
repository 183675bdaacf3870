"""What the brain reads out of a drawn wiki, beside the policy that the wiki was rendered from."""

from __future__ import annotations

import itertools

import pytest

from workshop.generators.company.endless.scenario import People, company
from workshop.generators.company.policy import ACCOUNT, LEAD, STAFF, STATUSES
from workshop.rule_based.company.gate import Scope, noun, verdict
from workshop.rule_based.company.reckoning.fences import fences
from workshop.rule_based.company.rights import Requester, Rules
from workshop.rule_based.company.things import CHANGES

COMPANIES = [
    ("audit-1", 0), ("audit-1", 15), ("audit-2", 23), ("audit-2", 78), ("audit-2", 106),
    ("audit-2", 108), ("audit-3", 2), ("rights", 0), ("rights", 1), ("rights", 2),
]  # fmt: skip
"""The first ones gave changes to those who had no right to them, each in another way."""


@pytest.mark.parametrize(("seed", "number"), COMPANIES)
def test_no_change_is_given_that_the_policy_does_not_give(seed: str, number: int) -> None:
    plan, firm = company(seed, number, People(12, 60))
    wiki: dict[str, str] = firm.as_json()["wiki"]
    rules = Rules("\n".join(f"== {path} ==\n{text}" for path, text in wiki.items()))
    told = {right: fences(wiki, noun(right)) for right in CHANGES}
    people = {one.department: one for one in firm.employees}.values()
    for one, lead, account in itertools.product(people, (False, True), (False, True)):
        staff = one.group not in plan.policy.outsiders
        keys = {one.group, staff and STAFF, lead and LEAD, account and ACCOUNT}
        may = {right for group in plan.policy.groups if group.key in keys for right in group.may}
        requester = Requester(one.id, department=one.department, location=one.location)
        for right, status in itertools.product(CHANGES - may, STATUSES):
            said = verdict(
                rules,
                requester,
                right,
                told[right],
                lead=lead,
                account=account,
                scope=Scope(status),
            )
            assert said != "yes", (one.department, lead, account, right, status)
