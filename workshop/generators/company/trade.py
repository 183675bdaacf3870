"""What a company deals with, drawn: its customers and its projects."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from workshop.generators.company.policy import STATUSES
from workshop.generators.company.records import folded
from workshop.generators.company.tables import table

OWN_SHARE = 9
"""One project of so many is the company's own."""
_PHASES = ("exploring", "exploring", "active", "active", "idea", "paused", "archived")
_LEVELS = ("New prospect", "Growing account", "Key account")
_ROLES = ("Engineer", "Engineer", "Designer", "QA", "QA", "Ops", "Ops", "Other")
_MAIL = ("{first}@{host}.example", "{first}.{last}@{host}.example", "{last}@{host}.example")


def slug(text: str) -> str:
    """A text as a part of an id."""
    plain = (sign if sign.isalnum() else "_" for sign in folded(text).replace("'", ""))
    return "".join(plain).strip("_")


def draw_customers(rng: Random, number: int) -> list[dict[str, str]]:
    """So many customers; a sector comes again only where all were used."""
    words = table("regions")["customers"]
    sectors = rng.sample(words["sectors"], len(words["sectors"]))
    people = rng.sample(list(product(words["contacts_first"], words["contacts_last"])), number)
    mail = rng.choice(_MAIL)
    found: dict[str, dict[str, str]] = {}
    while len(found) < number:
        name, kind, does = sectors[len(found) % len(sectors)]
        town, country = rng.choice(words["towns"])
        full = rng.choice((f"{town} {name}", f"{name} of {town}"))
        if (key := f"cust_{slug(full)}") in found:
            continue
        first, last = people[len(found)]
        host = slug(full).replace("_", "")
        found[key] = {
            "id": key,
            "name": full,
            "location": country,
            "phase": rng.choice(_PHASES[:4]),
            "level": rng.choice(_LEVELS),
            "contact": f"{first} {last}",
            "mail": mail.format(first=folded(first), last=folded(last), host=host),
            "brief": f"{kind[0].upper()}{kind[1:]} that {does}",
            "aka": f"the {kind} that {does}",
        }
    return list(found.values())


def draw_projects(
    rng: Random, trade: dict[str, Any], customers: list[dict[str, str]], own: str, number: int
) -> list[dict[str, str]]:
    """So many projects, none of the same thing and work; every status that there is, if it fits."""
    works = table("trades")["common"]["works"]
    pairs = rng.sample(list(product(trade["things"], works)), number)
    if number <= len(trade["things"]):
        pairs = [(thing, rng.choice(works)) for thing in rng.sample(trade["things"], number)]
    some = rng.sample(customers, max(1, len(customers) * 3 // 4))
    found = []
    for place, ((thing, what, does), (work, opening, said)) in enumerate(pairs):
        customer = own if place % OWN_SHARE == OWN_SHARE - 1 else rng.choice(some)["id"]
        status = STATUSES[place] if place < len(STATUSES) else rng.choice(_PHASES)
        found.append(
            {
                "id": f"proj_{slug(thing)}_{slug(work)}",
                "name": f"{thing} {work}",
                "customer": customer,
                "status": status,
                "team": _team(rng),
                "description": f"{opening} the {what} that {does}",
                "aka": f"the {said} the {what} that {does}",
            }
        )
    return found


def _team(rng: Random) -> str:
    roles = ["Lead", *rng.sample(_ROLES, rng.choice((1, 2, 2, 3, 3, 4)))]
    return ", ".join(f"{role} {rng.choice((1, 2, 2, 3, 3, 4, 5, 6)) / 10}" for role in roles)
