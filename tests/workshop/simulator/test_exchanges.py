"""The wire, byte for byte: what each request of `exchanges/` is answered with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workshop.simulator.exchanges import FOLDER, answers, pack_for, read_sections
from workshop.simulator.company.world import COMPANY
from workshop.simulator.server import Simulator, serve
from workshop.simulator.store.world import STORE

FILES = sorted(FOLDER.glob("*.txt"))
SECTIONS = {path: read_sections(path) for path in FILES}


@pytest.fixture(scope="module")
def running() -> Iterator[dict[Path, Simulator]]:
    """A platform for each file."""
    platforms = {path: serve(pack_for(path, sections)) for path, sections in SECTIONS.items()}
    yield platforms
    for one in platforms.values():
        one.stop()


@pytest.mark.parametrize(
    ("path", "number"),
    [(path, number) for path, sections in SECTIONS.items() for number in range(len(sections))],
    ids=lambda one: one.stem if isinstance(one, Path) else str(one),
)
def test_a_request_is_answered_as_it_was(
    running: dict[Path, Simulator], path: Path, number: int
) -> None:
    section = SECTIONS[path][number]
    found = answers(path, section, running[path])
    for (line, told), came in zip(section.asked, found, strict=True):
        assert (section.title, line, came) == (section.title, line, told)


def test_every_path_is_asked() -> None:
    asked = {line.split()[0] for many in SECTIONS.values() for one in many for line, _ in one.asked}
    assert asked >= {*STORE.routes, *COMPANY.routes}
