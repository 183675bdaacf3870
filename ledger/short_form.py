"""Values as prompts show them: what a benchmark has a shorter way to say is said so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

ShortForm: TypeAlias = Callable[[Sequence[Any]], list[str] | None]
"""Texts for the entries of a list, or None where it is a list of another kind."""
_forms: list[ShortForm] = []


def say_short(form: ShortForm) -> None:
    """Have lists said by ``form`` from now on; whoever brings the tools knows their data."""
    _forms.append(form)


def shortened(value: object) -> object:
    """A value with its lists in their short forms; other data stay as they are."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        said = next((texts for form in _forms if (texts := form(value)) is not None), None)
        return [shortened(inner) for inner in value] if said is None else said
    return value
