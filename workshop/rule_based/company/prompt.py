"""Sections of a prompt, as the brain reads them."""

from __future__ import annotations

import regex


def section(name: str, prompt: str) -> str | None:
    """What stands between a section's tags, or None where there is no such section."""
    found = regex.search(rf"<{name}>\n(.*?)\n</{name}>", prompt, regex.DOTALL)
    return plain(found[1]) if found else None


def plain(text: str) -> str:
    """Text as it was before it was made data of a prompt."""
    return text.replace("\\u003c", "<")
