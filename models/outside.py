"""Text from outside on its way into a prompt: data, whatever it says."""

from __future__ import annotations


def as_data(text: str) -> str:
    """Text that cannot open or close a section of the prompt; in JSON it stays the same text."""
    return text.replace("<", "\\u003c")
