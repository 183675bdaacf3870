"""A company drawn from its plan and a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from random import Random

from workshop.generators.company.plan import Plan, Pool, seats
from workshop.generators.company.records import (
    Customer,
    Employee,
    Firm,
    Project,
    Records,
    Seat,
    folded,
)
from workshop.generators.company.wiki import render

_AT_HOME = 3
"""So many people of four have a name that is usual where they work."""


def draws(seed: str, *purpose: str) -> Random:
    """Random numbers that depend on nothing but these."""
    digest = sha256("\0".join((seed, *purpose)).encode()).digest()
    return Random(int.from_bytes(digest, "big"))


def draw_firm(plan: Plan, seed: str) -> Firm:
    """A company; the same for the same plan and seed."""
    people = _people(plan, seed)
    firm = Firm(
        name=plan.name,
        own=plan.own,
        employees=Records(people),
        customers=Records(_customers(plan, seed, people)),
        projects=Records(_projects(plan, seed, people)),
        skills=plan.levels.skills,
        wills=plan.levels.wills,
        places=plan.places,
    )
    return render(firm, plan.book, plan.policy)


def _people(plan: Plan, seed: str) -> list[Employee]:
    rng = draws(seed, plan.key, "people")
    people: list[Employee] = []
    taken: set[str] = set()
    for department in plan.departments:
        for _ in range(department.people):
            place = rng.choice(department.places)
            first, last = _name(plan, rng, place, taken)
            plain = [folded(part).replace(" ", "_") for part in (first, last)]
            employee = Employee(
                id=plan.ids.format(number=len(people) + 1, first=plain[0], last=plain[1]),
                name=f"{first} {last}",
                email=f"{plain[0]}.{plain[1].replace('_', '')}@{plan.mail}",
                salary=1000 * rng.randint(*department.pay),
                location=place,
                department=department.name,
                group=department.group,
                skills=_levels(plan, rng, plan.levels.skills),
                wills=_levels(plan, rng, plan.levels.wills),
            )
            people.append(employee)
    return people


def _name(plan: Plan, rng: Random, place: str, taken: set[str]) -> tuple[str, str]:
    """A name that nobody has yet, in either order."""
    home = [names for names in plan.names if place in names.places]
    while True:
        names = rng.choice(home if home and rng.randrange(4) < _AT_HOME else plan.names)
        first, last = rng.choice(names.first), rng.choice(names.last)
        plain = " ".join(sorted((folded(first), folded(last))))
        if plain not in taken:
            taken.add(plain)
            return first, last


def _levels(plan: Plan, rng: Random, names: Mapping[str, str]) -> dict[str, int]:
    have = [name for name in sorted(names) if rng.random() < plan.levels.share]
    drawn = rng.choices(list(plan.levels.weights), list(plan.levels.weights.values()), k=len(have))
    return dict(zip(have, drawn, strict=True))


def _pool(pool: Pool, people: list[Employee], rng: Random) -> list[str]:
    fitting = [person.id for person in people if person.department in pool.departments]
    return rng.sample(fitting, min(pool.people, len(fitting)))


def _customers(plan: Plan, seed: str, people: list[Employee]) -> list[Customer]:
    rng = draws(seed, plan.key, "accounts")
    managers = _pool(plan.accounts, people, rng)
    return [Customer(**record, account_manager=rng.choice(managers)) for record in plan.customers]


def _projects(plan: Plan, seed: str, people: list[Employee]) -> list[Project]:
    rng = draws(seed, plan.key, "teams")
    pools = {role: _pool(pool, people, rng) for role, pool in plan.roles.items()}
    used: Counter[str] = Counter()
    projects = []
    for record in plan.projects:
        team: list[Seat] = []
        for role, share in seats(record["team"]):
            inside = {seat.employee for seat in team}
            free = [who for who in pools[role] if who not in inside]
            if not free:
                # In a small company everybody who could is on it already.
                continue
            # Two candidates, the less used one: no one gets all, and nobody the same.
            who = min(rng.sample(free, min(2, len(free))), key=lambda one: used[one])
            used[who] += 1
            team.append(Seat(who, share, role))
        fields = {key: value for key, value in record.items() if key != "team"}
        projects.append(Project(**fields, team=tuple(team)))
    return projects
