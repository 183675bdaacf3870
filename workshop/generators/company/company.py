"""A company drawn from a seed and a number: its plan, from which people and records are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

from workshop.generators.company.draw import draws
from workshop.generators.company.plan import Department, Levels, Names, Plan, Pool
from workshop.generators.company.policy import STAFF, STATUSES, Policy
from workshop.generators.company.records import folded
from workshop.generators.company.rules import (
    EXECUTIVE,
    EXTERNAL,
    FINANCE,
    HR,
    draw_policy,
    draw_takeover,
)
from workshop.generators.company.tables import FOLDER, table
from workshop.generators.company.wiki import Book

LEAST, MOST = 12, 300
_KEYED = (EXECUTIVE, HR, FINANCE, "sales", "digital", EXTERNAL)
"""Departments that have rights of their own; the others are staff and nothing more."""
_SHARES = {EXECUTIVE: 0.06, HR: 0.06, FINANCE: 0.08, EXTERNAL: 0.05, "sales": 0.17, "drawn": 0.2}
_PAY = {
    EXECUTIVE: (98, 131),
    "sales": (62, 91),
    HR: (47, 69),
    FINANCE: (49, 77),
    EXTERNAL: (36, 52),
}
_SITES = ("HQ – {country}", "{town} Office", "Site {town}", "{town}", "{country} – {town}")
_IDS = ("{first}_{last}", "{prefix}_{number:03}", "{prefix}-{number:04}", "{last}_{first}")
_BOUGHT = 6
"""One company of so many was bought before any task."""
_OWN = 9
"""One project of so many is the company's own."""
_PHASES = ("exploring", "exploring", "active", "active", "idea", "paused", "archived")
_ROLES = ("Engineer", "Engineer", "Designer", "QA", "QA", "Ops", "Ops", "Other")
_MAIL = ("{first}@{host}.example", "{first}.{last}@{host}.example", "{last}@{host}.example")


def draw_plan(seed: str, number: int, people: int) -> Plan:
    """Company `number` of a seed, with so many people; the same for the same three."""
    key = f"c{number:05d}"
    rng = draws(seed, key, str(people), "plan")
    trade = rng.choice(table("trades")["trades"])
    regions = rng.sample(
        table("regions")["regions"], rng.choice((1, 2, 2, 3) if people < 60 else (2, 3, 4))
    )
    founder = rng.choice(table("trades")["common"]["founders"])
    places = _places(rng, regions, people)
    departments = _departments(rng, trade, people, list(places))
    named = {department: one.name for department, one in departments.items()}
    policy = draw_policy(rng, {key: name for key, name in named.items() if key in _KEYED})
    takeover = draw_takeover(rng)
    if not rng.randrange(_BOUGHT):
        policy = replace(policy, takeover=takeover)
    own = f"cust_{slug(founder)}_internal"
    countries = {country for _, country, *_ in places.values()}
    towns = table("regions")["customers"]["towns"]
    closed = rng.choice([town for town, country in towns if country not in countries])
    customers = _customers(rng, max(5, min(32, people // 5 + rng.randrange(4))))
    number = max(8, min(60, people * 2 // 5 + rng.randrange(5)))
    letters = "".join(rng.choice("abcdefghkmnpqrstuvwxyzABCDEFGHKLMN") for _ in range(4))
    facts = {
        "what": trade["what"],
        "founder": founder,
        "departments": [name for key, name in named.items() if key != EXTERNAL],
        "external": named[EXTERNAL],
        "closed": closed,
        "sites": [
            {"name": site, "town": town, "country": country, "also": ", ".join(also)}
            for site, (town, country, *also) in places.items()
        ],
    }
    return Plan(
        key=key,
        name=f"{founder} {rng.choice(trade['names'])}",
        mail=f"{slug(founder)}.example",
        ids=rng.choice(_IDS).replace("{prefix}", letters),
        own=own,
        closed=closed,
        departments=tuple(departments.values()),
        places=places,
        names=tuple(_names(region, places) for region in regions),
        roles=_roles(named, people),
        accounts=Pool((named["sales"], named[EXECUTIVE]), max(2, people // 12)),
        levels=_levels(rng, trade, policy.highest),
        customers=tuple(customers),
        projects=tuple(_projects(rng, trade, customers, own, number)),
        policy=policy,
        takeover=takeover,
        book=_book(rng, policy, facts),
    )


def _places(rng: Random, regions: list[dict[str, Any]], people: int) -> dict[str, tuple[str, ...]]:
    towns = [town for region in regions for town in region["towns"]]
    label = rng.choice(_SITES)
    number = min(len(towns), 2 + (people >= 30) + rng.randrange(1 + people // 60))
    places: dict[str, tuple[str, ...]] = {}
    for town in rng.sample(towns, number):
        site = label.format(town=town[0], country=town[1])
        places[f"{town[0]} – {town[1]}" if site in places else site] = tuple(town)
    return places


def _departments(
    rng: Random, trade: dict[str, Any], people: int, places: list[str]
) -> dict[str, Department]:
    """The departments by what they are; small companies lack some of them."""
    words = {**table("trades")["departments"], "drawn": trade["drawn"], "made": trade["made"]}
    lacking = {"quality", "digital"} if people < 30 else set()
    lacking |= {"logistics"} if people < 60 else set()
    keys = [key for key in words if key not in lacking]
    sizes = {key: max(1, round(people * _SHARES.get(key, 0.07))) for key in keys}
    sizes[EXECUTIVE] = max(2, sizes[EXECUTIVE])
    sizes["made"] = max(2, people - sum(size for key, size in sizes.items() if key != "made"))
    departments = {}
    for key in keys:
        group, pay = key if key in _KEYED else STAFF, _PAY.get(key, (39, 74))
        sites = places[:1] if key == EXECUTIVE else rng.sample(places, min(len(places), 3))
        name = rng.choice(words[key])
        departments[key] = Department(name, group, sizes[key], pay, tuple(sites))
    return departments


def _names(region: dict[str, Any], places: Mapping[str, tuple[str, ...]]) -> Names:
    towns = {town[0] for town in region["towns"]}
    home = tuple(site for site, names in places.items() if names[0] in towns)
    return Names(home, tuple(region["first"]), tuple(region["last"]))


def _roles(named: Mapping[str, str], people: int) -> dict[str, Pool]:
    def pool(least: int, one_of: int, *keys: str) -> Pool:
        return Pool(tuple(named[key] for key in keys if key in named), max(least, people // one_of))

    return {
        "Lead": pool(3, 9, "drawn", "sales"),
        "Engineer": pool(5, 4, "drawn", "made"),
        "Designer": pool(3, 10, "drawn", "sales"),
        "QA": pool(3, 12, "quality" if "quality" in named else "drawn", "made"),
        "Ops": pool(4, 5, "made", "logistics" if "logistics" in named else EXTERNAL),
        "Other": pool(4, 9, FINANCE, "sales", EXTERNAL, EXECUTIVE),
    }


def _levels(rng: Random, trade: dict[str, Any], highest: int) -> Levels:
    common = table("trades")["common"]
    skill, will = rng.choice(("skill_", "sk_", "can_")), rng.choice(("will_", "wl_", "wants_"))
    skills = trade["skills"][: rng.randrange(5, 9)]
    skills = sorted([*skills, *rng.sample(common["skills"], rng.randrange(3, 8))])
    wills = sorted(rng.sample(common["wills"], rng.randrange(3, 7)))
    # Levels in the middle are the most frequent.
    weights = {
        n: max(1, round(20 - 30 / highest * abs(n - highest / 2 - 1)))
        for n in range(1, highest + 1)
    }
    return Levels(
        weights,
        rng.choice((1.0, 1.0, 0.85, 0.7)),
        {f"{skill}{slug(name)}": name for name in skills},
        {f"{will}{slug(name)}": name for name in wills},
    )


def _book(rng: Random, policy: Policy, facts: dict[str, Any]) -> Book:
    words = table("wiki")
    scheme = rng.choice(words["schemes"])
    part = {name: f"{name}/{rng.randrange(len(many))}" for name, many in words["sections"].items()}
    pages = {path: tuple(part[name] for name in names) for path, *names in scheme["pages"]}
    pages[scheme["bought"]] = (part["bought"],)
    page_of = {name: path for path, *names in scheme["pages"] for name in names}
    payers = [group for group in policy.groups if "pay_write" in group.may]
    facts["raisers"] = " and ".join(group.title for group in payers)
    facts["free_hand"] = any(group.key == EXECUTIVE for group in payers)
    topics = {topic: page_of[name] for name, topic in words["about"].items()}
    return Book(FOLDER / "wiki.toml", dict(sorted(pages.items())), scheme["bought"], topics, facts)


def slug(text: str) -> str:
    """A text as a part of an id."""
    plain = (sign if sign.isalnum() else "_" for sign in folded(text).replace("'", ""))
    return "".join(plain).strip("_")


def _customers(rng: Random, number: int) -> list[dict[str, str]]:
    """So many customers; a sector comes again only where all were used."""
    words = table("regions")["customers"]
    sectors = rng.sample(words["sectors"], len(words["sectors"]))
    people = rng.sample(list(product(words["contacts_first"], words["contacts_last"])), number)
    mail = rng.choice(_MAIL)
    customers: dict[str, dict[str, str]] = {}
    while len(customers) < number:
        name, kind, does = sectors[len(customers) % len(sectors)]
        first, last = people[len(customers)]
        town, country = rng.choice(words["towns"])
        full = rng.choice((f"{town} {name}", f"{name} of {town}"))
        customers[f"cust_{slug(full)}"] = {
            "id": f"cust_{slug(full)}",
            "name": full,
            "location": country,
            "phase": rng.choice(_PHASES[:4]),
            "level": rng.choice(("New prospect", "Growing account", "Key account")),
            "contact": f"{first} {last}",
            "mail": mail.format(
                first=folded(first), last=folded(last), host=slug(full).replace("_", "")
            ),
            "brief": f"{kind[0].upper()}{kind[1:]} that {does}",
            "aka": f"the {kind} that {does}",
        }
    return list(customers.values())


def _projects(
    rng: Random, trade: dict[str, Any], customers: list[dict[str, str]], own: str, number: int
) -> Iterator[dict[str, str]]:
    """So many projects, none of the same thing and work; every status that there is, if it fits."""
    works, things = table("trades")["common"]["works"], trade["things"]
    pairs = rng.sample(list(product(things, works)), number)
    if number <= len(things):
        pairs = [(thing, rng.choice(works)) for thing in rng.sample(things, number)]
    some = rng.sample(customers, max(1, len(customers) * 3 // 4))
    for place, ((thing, what, does), (work, opening, said)) in enumerate(pairs):
        roles = ["Lead", *rng.sample(_ROLES, rng.choice((1, 2, 2, 3, 3, 4)))]
        shares = ((role, rng.choice((1, 2, 2, 3, 3, 4, 5, 6)) / 10) for role in roles)
        yield {
            "id": f"proj_{slug(thing)}_{slug(work)}",
            "name": f"{thing} {work}",
            "customer": own if place % _OWN == _OWN - 1 else rng.choice(some)["id"],
            "status": STATUSES[place] if place < len(STATUSES) else rng.choice(_PHASES),
            "team": ", ".join(f"{role} {share}" for role, share in shares),
            "description": f"{opening} the {what} that {does}",
            "aka": f"the {said} the {what} that {does}",
        }
