"""Platforms for the bakery."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.workshop.simulator.company.bakery import Site, SiteOf, Visit, Wire, pack_of
from workshop.simulator.server import Simulator, serve


@pytest.fixture
def site_of(connections: httpx.Client) -> Iterator[SiteOf]:
    """Starts platforms for packs of these scenarios; stopped after the test."""
    running: list[Simulator] = []

    def start(*scenarios: Wire, companies: Wire | None = None, **options: Any) -> Site:
        running.append(serve(pack_of(*scenarios, **companies or {}), **options))
        return Site(running[-1], connections)

    yield start
    for simulator in running:
        simulator.stop()


@pytest.fixture(scope="module")
def site(connections: httpx.Client) -> Iterator[Site]:
    """A platform for the bakery's one scenario."""
    with serve(pack_of()) as running:
        yield Site(running, connections)


@pytest.fixture
def visit(site: Site) -> Visit:
    return site.visit()
