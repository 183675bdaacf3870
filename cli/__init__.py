"""Puts a run together: command line, platform, pack, models, run folder, session."""

from importlib.util import find_spec

from core.models.providers import Provider, register


def _scripted() -> Provider:
    from workshop.scripted import provider

    return provider


def _recorded() -> Provider:
    from workshop.recorded import provider

    return provider


def _recorded_note(model: str) -> str:
    from workshop.recorded.provider import note

    return note(model)


def has_workshop() -> bool:
    """Whether this copy has the simulator, the lab and the viewers."""
    return find_spec("workshop") is not None


# Models without a key; nothing is imported before one is asked. A copy without the workshop has
# none of them.
if has_workshop():
    register("scripted", _scripted)
    register("recorded", _recorded, _recorded_note)
