"""Puts a run together: command line, platform, pack, models, run folder, session."""

from importlib.util import find_spec

from core.models.providers import Provider, register


def _playbook() -> Provider:
    from workshop.rule_based import provider

    return provider


def _faulty() -> Provider:
    from workshop.rule_based.faulty import provider

    return provider


def has_workshop() -> bool:
    """Whether this copy has the simulator, the lab and the viewers."""
    return find_spec("workshop") is not None


# Models without a key; nothing is imported before one is asked. A copy without the workshop has
# none of them.
if has_workshop():
    register("playbook", _playbook)
    register("faulty", _faulty)
