"""Patterns of the tables are compiled when they are first needed: a wrong one shall not wait."""

from __future__ import annotations

import pytest

from workshop.rule_based.company.patterns import TABLES, P, caseless
from workshop.rule_based.company.things import THINGS
from workshop.rule_based.company.wishes import TABLE, filled


def test_every_pattern_of_the_rules_and_wishes_compiles() -> None:
    assert [P[name] for name, said in TABLES.items() if isinstance(said, str)]
    assert [caseless(said) for thing in THINGS.values() for said in (thing.name, thing.near)]
    assert [filled(said) for entry in TABLE for said in [*entry["all"], *entry.get("none", ())]]


def test_a_pattern_that_there_is_not_is_an_error() -> None:
    with pytest.raises(KeyError):
        P["no such pattern"]
