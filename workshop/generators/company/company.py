"""A company drawn from a seed and a number: its plan, from which people and records are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from workshop.generators.company.draw import draws
from workshop.generators.company.plan import Department, Levels, Names, Plan, Pool
from workshop.generators.company.policy import STAFF, Policy
from workshop.generators.company.rules import (
    EXECUTIVE,
    EXTERNAL,
    FINANCE,
    HR,
    draw_policy,
    draw_takeover,
)
from workshop.generators.company.tables import FOLDER, table
from workshop.generators.company.trade import draw_customers, draw_projects, slug
from workshop.generators.company.wiki import Book

LEAST, MOST = 12, 300
_KEYED = (EXECUTIVE, HR, FINANCE, "sales", "digital", EXTERNAL)
"""Departments that have rights of their own; the others are staff and nothing more."""
_PAY = {
    EXECUTIVE: (98, 131),
    "sales": (62, 91),
    HR: (47, 69),
    FINANCE: (49, 77),
    EXTERNAL: (36, 52),
}
_SITES = (
    "HQ – {country}",
    "{town} Office",
    "Site {town}",
    "{town}",
    "{country} – {town}",
    "{town} Works",
)
_IDS = (
    "{first}_{last}",
    "{prefix}_{number:03}",
    "{prefix}-{number:04}",
    "{last}_{first}",
    "u{number:03}{prefix}",
)
_BOUGHT = 6
"""One company of so many was bought before any task."""


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
    named = _named(rng, trade, people)
    departments = _departments(rng, named, people, list(places))
    policy = draw_policy(rng, {k: v for k, v in named.items() if k in _KEYED})
    takeover = draw_takeover(rng)
    if not rng.randrange(_BOUGHT):
        policy = replace(policy, takeover=takeover)
    own = f"cust_{slug(founder)}_internal"
    countries = {country for _, country, *_ in places.values()}
    towns = table("regions")["customers"]["towns"]
    closed = rng.choice([town for town, country in towns if country not in countries])
    customers = draw_customers(rng, max(5, min(32, people // 5 + rng.randrange(4))))
    projects = draw_projects(
        rng, trade, customers, own, max(8, min(60, people * 2 // 5 + rng.randrange(5)))
    )
    prefix = "".join(rng.choice("abcdefghkmnpqrstuvwxyzABCDEFGHKLMN") for _ in range(4))
    name = f"{founder} {rng.choice(trade['names'])}"
    return Plan(
        key=key,
        name=name,
        mail=f"{slug(founder)}.example",
        ids=rng.choice(_IDS).replace("{prefix}", prefix),
        own=own,
        closed=closed,
        departments=departments,
        places=places,
        names=_names(regions, places),
        roles=_roles(named, people),
        accounts=Pool((named["sales"], named[EXECUTIVE]), max(2, people // 12)),
        levels=_levels(rng, trade, policy),
        customers=tuple(customers),
        projects=tuple(projects),
        policy=policy,
        takeover=takeover,
        book=_book(rng, policy, named, places, trade, founder, closed),
    )


def _places(rng: Random, regions: list[dict[str, Any]], people: int) -> dict[str, tuple[str, ...]]:
    towns = [town for region in regions for town in region["towns"]]
    label = rng.choice(_SITES)
    number = min(len(towns), 2 + (people >= 30) + rng.randrange(1 + people // 60))
    found: dict[str, tuple[str, ...]] = {}
    for town in rng.sample(towns, number):
        site = label.format(town=town[0], country=town[1])
        if site in found:
            site = f"{town[0]} – {town[1]}"
        found[site] = tuple(town)
    return found


def _named(rng: Random, trade: dict[str, Any], people: int) -> dict[str, str]:
    """What the departments are called, by what they are."""
    words = table("trades")["departments"]
    found = {key: rng.choice(words[key]) for key in (EXECUTIVE, HR, FINANCE, "sales", EXTERNAL)}
    found |= {"drawn": rng.choice(trade["drawn"]), "made": rng.choice(trade["made"])}
    if people >= 30:
        found |= {key: rng.choice(words[key]) for key in ("quality", "digital")}
    if people >= 60:
        found["logistics"] = rng.choice(words["logistics"])
    return found


def _departments(
    rng: Random, named: dict[str, str], people: int, places: list[str]
) -> tuple[Department, ...]:
    weights = {
        EXECUTIVE: 0.06,
        HR: 0.06,
        FINANCE: 0.08,
        EXTERNAL: 0.05,
        "sales": 0.17,
        "drawn": 0.2,
    }
    sizes = {key: max(1, round(people * weights.get(key, 0.07))) for key in named}
    sizes[EXECUTIVE] = max(2, sizes[EXECUTIVE])
    sizes["made"] = max(2, people - sum(size for key, size in sizes.items() if key != "made"))
    return tuple(
        Department(
            name=title,
            group=key if key in _KEYED else STAFF,
            people=sizes[key],
            pay=_PAY.get(key, (39, 74)),
            places=(places[0],)
            if key == EXECUTIVE
            else tuple(rng.sample(places, min(len(places), 3))),
        )
        for key, title in named.items()
    )


def _names(
    regions: list[dict[str, Any]], places: Mapping[str, tuple[str, ...]]
) -> tuple[Names, ...]:
    found = []
    for region in regions:
        towns = {town[0] for town in region["towns"]}
        home = tuple(site for site, names in places.items() if names[0] in towns)
        found.append(Names(home, tuple(region["first"]), tuple(region["last"])))
    return tuple(found)


def _roles(named: dict[str, str], people: int) -> dict[str, Pool]:
    makers = (named["drawn"], named["made"])
    quality = (named.get("quality", named["drawn"]), named["made"])
    return {
        "Lead": Pool((named["drawn"], named["sales"]), max(3, people // 9)),
        "Engineer": Pool(makers, max(5, people // 4)),
        "Designer": Pool((named["drawn"], named["sales"]), max(3, people // 10)),
        "QA": Pool(quality, max(3, people // 12)),
        "Ops": Pool((named["made"], named.get("logistics", named[EXTERNAL])), max(4, people // 5)),
        "Other": Pool(
            (named[FINANCE], named["sales"], named[EXTERNAL], named[EXECUTIVE]), max(4, people // 9)
        ),
    }


def _levels(rng: Random, trade: dict[str, Any], policy: Policy) -> Levels:
    common = table("trades")["common"]
    style = (
        rng.choice(("skill_{}", "sk_{}", "can_{}")),
        rng.choice(("will_{}", "wl_{}", "wants_{}")),
    )
    skills = [
        *trade["skills"][: rng.randrange(5, 9)],
        *rng.sample(common["skills"], rng.randrange(3, 8)),
    ]
    wills = rng.sample(common["wills"], rng.randrange(3, 7))
    middle = (policy.highest + 1) / 2
    weights = {
        n: max(1, round(20 - 30 / policy.highest * abs(n - middle - 0.5)))
        for n in range(1, policy.highest + 1)
    }
    return Levels(
        weights,
        rng.choice((1.0, 1.0, 0.85, 0.7)),
        {style[0].format(slug(name)): name for name in sorted(skills)},
        {style[1].format(slug(name)): name for name in sorted(wills)},
    )


def _book(
    rng: Random,
    policy: Policy,
    named: dict[str, str],
    places: Mapping[str, tuple[str, ...]],
    trade: dict[str, Any],
    founder: str,
    closed: str,
) -> Book:
    words = table("wiki")
    scheme = rng.choice(words["schemes"])
    parts = {
        name: f"{name}/{rng.randrange(len(texts))}" for name, texts in words["sections"].items()
    }
    pages = {path: tuple(parts[name] for name in names) for path, *names in scheme["pages"]}
    pages[scheme["bought"]] = (parts["bought"],)
    page_of = {name: path for path, *names in scheme["pages"] for name in names}
    payers = [group for group in policy.groups if "pay_write" in group.may]
    facts = {
        "what": trade["what"],
        "founder": founder,
        "departments": [title for key, title in named.items() if key != EXTERNAL],
        "external": named[EXTERNAL],
        "sites": [
            {"name": site, "town": town, "country": country, "also": ", ".join(also)}
            for site, (town, country, *also) in places.items()
        ],
        "closed": closed,
        "raisers": " and ".join(group.title for group in payers),
        "free_hand": any(group.key == EXECUTIVE for group in payers),
        "example_id": "zz_000",
    }
    topics = {topic: page_of[name] for name, topic in words["about"].items()}
    return Book(FOLDER / "wiki.toml", dict(sorted(pages.items())), scheme["bought"], topics, facts)
