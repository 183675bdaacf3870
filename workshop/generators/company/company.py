"""A company drawn from a seed and a number: places, people, customers, projects, rules, wiki."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any, NamedTuple

from core.tools.folding import fold
from workshop.generators.company.policy import (
    STAFF,
    STATUSES,
    Policy,
    Takeover,
    draw_policy,
    draw_takeover,
    table,
)
from workshop.generators.company.records import (
    Customer,
    Employee,
    Firm,
    Project,
    by_id,
)
from workshop.generators.company.wiki import Book, draw_book, render
from workshop.generators.generating import draws
from workshop.simulator.company.records import Level, Workload

_KEYED = ("exec", "hr", "finance", "sales", "digital", "external")
"""Departments that have rights of their own; the others are staff and nothing more."""
_BOUGHT = 6
"""One company of so many was bought before any task."""
_OWN = 9
"""One project of so many is the company's own."""
_AT_HOME = 3
"""So many people of four have a name that is usual where they work."""
Row = dict[str, Any]


class Department(NamedTuple):
    """So many people at these sites, who earn between so many thousands a year."""

    name: str
    group: str
    people: int
    pay: list[int]
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a company is besides its records; at `closed` it has no site, as its wiki says.

    `takeover` is what a buyer would demand, whether or not it was bought before any task.
    """

    key: str
    closed: str
    departments: tuple[str, ...]
    policy: Policy
    takeover: Takeover
    book: Book


def draw_company(seed: str, number: int, people: int) -> tuple[Plan, Firm]:
    """Company `number` of a seed, with so many people; the same for the same three."""
    key = f"c{number:05d}"
    rng = draws(seed, key, str(people))
    trade = rng.choice(table("trades")["trades"])
    how_many = rng.choice((1, 2, 2, 3) if people < 60 else (2, 3, 4))
    regions = rng.sample(table("regions")["regions"], how_many)
    founder = rng.choice(table("trades")["common"]["founders"])
    places = _places(rng, regions, people)
    departments = _departments(rng, trade, people, list(places))
    named = {key: one.name for key, one in departments.items()}
    policy = draw_policy(rng, {k: n for k, n in named.items() if k in _KEYED})
    takeover = draw_takeover(rng)
    if not rng.randrange(_BOUGHT):
        policy = replace(policy, takeover=takeover)
    own = f"cust_{slug(founder)}_internal"
    skills, wills = _names_of_levels(rng, trade)
    staff = _people(rng, departments, regions, places, slug(founder), policy, (skills, wills))
    ids = {key: [p.id for p in staff if p.department == name] for key, name in named.items()}
    customers = _customers(rng, max(5, min(32, people // 5 + rng.randrange(4))), ids)
    firm = Firm(
        name=f"{founder} {rng.choice(trade['names'])}",
        own=own,
        employees=by_id(staff),
        customers=by_id(customers),
        projects=by_id(_projects(rng, trade, customers, own, ids)),
        skills=skills,
        wills=wills,
        places=places,
    )
    facts = _draw_facts(rng, trade, founder, named, places)
    book = draw_book(rng, facts)
    plan = Plan(key, facts["closed"], tuple(named.values()), policy, takeover, book)
    return plan, render(firm, book, policy)


def _draw_facts(
    rng: Random, trade: Row, founder: str, named: Mapping[str, str], places: Mapping[str, Any]
) -> Row:
    """What the wiki says of the company beside its policy; at `closed` it has no site."""
    countries = {country for _, country, *_ in places.values()}
    towns = table("regions")["customers"]["towns"]
    return {
        "what": trade["what"],
        "founder": founder,
        "closed": rng.choice([town for town, country in towns if country not in countries]),
        "departments": [name for key, name in named.items() if key != "external"],
        "external": named["external"],
    }


def _places(rng: Random, regions: list[Row], people: int) -> dict[str, tuple[str, ...]]:
    """By the site, as the register writes it, its town, its country and other names of the town."""
    towns = [town for region in regions for town in region["towns"]]
    label = rng.choice(table("trades")["common"]["sites"])
    number = min(len(towns), 2 + (people >= 30) + rng.randrange(1 + people // 60))
    places: dict[str, tuple[str, ...]] = {}
    for town in rng.sample(towns, number):
        site = label.format(town=town[0], country=town[1])
        places[f"{town[0]} – {town[1]}" if site in places else site] = tuple(town)
    return places


def _departments(rng: Random, trade: Row, people: int, places: list[str]) -> dict[str, Department]:
    """The departments by what they are; small companies lack some of them."""
    words = {**table("trades")["departments"], "drawn": trade["drawn"], "made": trade["made"]}
    lacking = {"quality", "digital"} if people < 30 else set()
    lacking |= {"logistics"} if people < 60 else set()
    keys = [key for key in words if key not in lacking]
    shares, pay_of = table("trades")["shares"], table("trades")["pay"]
    sizes = {key: max(1, round(people * shares.get(key, 0.07))) for key in keys}
    sizes["exec"] = max(2, sizes["exec"])
    sizes["made"] = max(2, people - sum(size for key, size in sizes.items() if key != "made"))
    departments = {}
    for key in keys:
        group, pay = key if key in _KEYED else STAFF, pay_of.get(key, pay_of["others"])
        sites = places[:1] if key == "exec" else rng.sample(places, min(len(places), 3))
        name = rng.choice(words[key])
        departments[key] = Department(name, group, sizes[key], pay, tuple(sites))
    return departments


def _names_of_levels(rng: Random, trade: Row) -> tuple[dict[str, str], dict[str, str]]:
    """Skills and wills by their ids."""
    common = table("trades")["common"]
    skill, will = rng.choice(("skill_", "sk_", "can_")), rng.choice(("will_", "wl_", "wants_"))
    skills = trade["skills"][: rng.randrange(5, 9)]
    skills = sorted([*skills, *rng.sample(common["skills"], rng.randrange(3, 8))])
    wills = sorted(rng.sample(common["wills"], rng.randrange(3, 7)))
    return {f"{skill}{slug(n)}": n for n in skills}, {f"{will}{slug(n)}": n for n in wills}


def _people(
    rng: Random,
    departments: Mapping[str, Department],
    regions: list[Row],
    places: Mapping[str, tuple[str, ...]],
    host: str,
    policy: Policy,
    names: tuple[Mapping[str, str], Mapping[str, str]],
) -> list[Employee]:
    prefix = "".join(rng.choice("abcdefghkmnpqrstuvwxyzABCDEFGHKLMN") for _ in range(4))
    ids, share = rng.choice(table("trades")["common"]["ids"]), rng.choice((1.0, 1.0, 0.85, 0.7))
    middle = policy.highest / 2 + 1
    levels = range(1, policy.highest + 1)
    # Levels in the middle are the most frequent.
    weights = [max(1, round(20 - 30 / policy.highest * abs(n - middle))) for n in levels]

    def drawn(of: Mapping[str, str]) -> tuple[Level, ...]:
        have = [name for name in sorted(of) if rng.random() < share]
        drawn_levels = rng.choices(levels, weights, k=len(have))
        return tuple(Level(name=n, level=v) for n, v in zip(have, drawn_levels, strict=True))

    people: list[Employee] = []
    taken: set[str] = set()
    for one in (each for each in departments.values() for _ in range(each.people)):
        place = rng.choice(one.places)
        home = [r for r in regions if places[place][0] in {town[0] for town in r["towns"]}]
        first, last = _name(rng, home if rng.randrange(4) < _AT_HOME else regions, taken)
        plain = [fold(part).replace(" ", "_") for part in (first, last)]
        employee = Employee(
            id=ids.format(prefix=prefix, number=len(people) + 1, first=plain[0], last=plain[1]),
            name=f"{first} {last}",
            email=f"{plain[0]}.{plain[1].replace('_', '')}@{host}.example",
            salary=1000 * rng.randint(*one.pay),
            location=place,
            department=one.name,
            group=one.group,
            notes="",
            skills=drawn(names[0]),
            wills=drawn(names[1]),
        )
        people.append(employee)
    return people


def _name(rng: Random, regions: list[Row], taken: set[str]) -> tuple[str, str]:
    """A name that nobody has yet, in either order."""
    while True:
        region = rng.choice(regions)
        first, last = rng.choice(region["first"]), rng.choice(region["last"])
        plain = " ".join(sorted((fold(first), fold(last))))
        if plain not in taken:
            taken.add(plain)
            return first, last


def slug(text: str) -> str:
    """A text as a part of an id."""
    plain = (sign if sign.isalnum() else "_" for sign in fold(text).replace("'", ""))
    return "".join(plain).strip("_")


def _customers(rng: Random, number: int, ids: Mapping[str, list[str]]) -> list[Customer]:
    """So many customers; a sector comes again only where all were used."""
    words, common = table("regions")["customers"], table("trades")["common"]
    mail = rng.choice(common["mails"])
    sectors = rng.sample(words["sectors"], len(words["sectors"]))
    people = rng.sample(list(product(words["contacts_first"], words["contacts_last"])), number)
    possible = [*ids["sales"], *ids["exec"]]
    managers = rng.sample(possible, min(len(possible), max(2, sum(map(len, ids.values())) // 12)))
    customers: dict[str, Customer] = {}
    while len(customers) < number:
        name, kind, does = sectors[len(customers) % len(sectors)]
        first, last = people[len(customers)]
        town, country = rng.choice(words["towns"])
        full = rng.choice((f"{town} {name}", f"{name} of {town}"))
        host, id_ = slug(full).replace("_", ""), f"cust_{slug(full)}"
        customers[id_] = Customer(
            id=id_,
            name=full,
            location=country,
            deal_phase=rng.choice(common["phases"][:4]),
            high_level_status=rng.choice(common["standings"]),
            primary_contact_name=f"{first} {last}",
            primary_contact_email=mail.format(first=fold(first), last=fold(last), host=host),
            brief=f"{kind[0].upper()}{kind[1:]} that {does}",
            aka=f"the {kind} that {does}",
            account_manager=rng.choice(managers),
        )
    return list(customers.values())


def _projects(
    rng: Random, trade: Row, customers: list[Customer], own: str, ids: Mapping[str, list[str]]
) -> list[Project]:
    """Projects, none of the same thing and work; every status that there is, if it fits."""
    people = sum(map(len, ids.values()))
    number = max(8, min(60, people * 2 // 5 + rng.randrange(5)))
    common = table("trades")["common"]
    works, things = common["works"], trade["things"]
    pairs = rng.sample(list(product(things, works)), number)
    if number <= len(things):
        pairs = [(thing, rng.choice(works)) for thing in rng.sample(things, number)]
    some = rng.sample(customers, max(1, len(customers) * 3 // 4))
    pools = {}
    for role, (keys, least, one_of) in table("trades")["pools"].items():
        possible = [who for key in keys for who in ids.get(key, ())]
        pools[role] = rng.sample(possible, min(len(possible), max(least, people // one_of)))
    used: Counter[str] = Counter()
    projects = []
    for place, ((thing, what, does), (work, opening, activity)) in enumerate(pairs):
        project = Project(
            id=f"proj_{slug(thing)}_{slug(work)}",
            name=f"{thing} {work}",
            customer=own if place % _OWN == _OWN - 1 else rng.choice(some).id,
            status=STATUSES[place] if place < len(STATUSES) else rng.choice(common["phases"]),
            description=f"{opening} the {what} that {does}",
            team=_team(rng, pools, used),
            aka=f"the {activity} the {what} that {does}",
        )
        projects.append(project)
    return projects


def _team(rng: Random, pools: Mapping[str, list[str]], used: Counter[str]) -> tuple[Workload, ...]:
    team: dict[str, Workload] = {}
    for role in (
        "Lead",
        *rng.sample(table("trades")["common"]["roles"], rng.choice((1, 2, 2, 3, 3, 4))),
    ):
        free = [who for who in pools[role] if who not in team]
        if not free:
            # In a small company everybody who could is on it already.
            continue
        # Two candidates, the less used one: no one gets all, and nobody the same.
        who = min(rng.sample(free, min(2, len(free))), key=lambda one: used[one])
        used[who] += 1
        share = rng.choice((1, 2, 2, 3, 3, 4, 5, 6)) / 10
        team[who] = Workload(employee=who, time_slice=share, role=role)
    return tuple(team.values())
