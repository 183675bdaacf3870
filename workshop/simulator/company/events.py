"""What is done for good in a task: change events, and the responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workshop.simulator.company.expectation import EventType
    from workshop.simulator.world import Wire


@dataclass(frozen=True, slots=True)
class Event:
    """A change; `fields` hold exactly what the change was."""

    type: EventType
    fields: Wire


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to the user; `links` are (kind, id) as they were sent."""

    outcome: str
    message: str
    links: tuple[tuple[str, str], ...]
