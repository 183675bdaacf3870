"""The models without a key that benchmarks bring: whoever opens the house registers them."""

from __future__ import annotations

from models.providers import Provider, register


def _playbook() -> Provider:
    from playbooks.store import brain

    return brain


def register_providers() -> None:
    """Have ``playbook/...`` answered; nothing is imported before a model is asked."""
    register("playbook", _playbook)
