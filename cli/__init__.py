"""Puts a run together: command line, platform, pack, models, run folder, session."""

from core.models.providers import Provider, register


def _playbook() -> Provider:
    from workshop.rule_based import brains

    return brains


# The models without a key that benchmarks bring; nothing is imported before one is asked.
register("playbook", _playbook)
