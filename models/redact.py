"""Secrets out of texts: whatever is logged, shown or kept goes through here."""

from __future__ import annotations

import base64
import json
import os
import threading
from functools import lru_cache
from urllib.parse import quote, quote_plus

import regex

MASK = "[redacted]"
LEAST_CHARS = 8
"""A shorter value is a word, and a word hides in every text."""
_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_PUBLIC = frozenset({"key-embedded"})
"""The embedded platform's key: it opens nothing and stands in every run."""
_GENERIC = regex.compile(
    r"""
    (?P<keep>
        (?i:\bbearer)[ ]+
      | (?i:\b(?:[a-z0-9]+[_-])*(?:api[_-]?key|apikey|access[_-]?token|client[_-]?secret|password
            |authorization))["']?\s*[=:]\s*["']?(?i:(?:bearer|basic)[ ]+)?
    )
    (?!key-embedded\b) [A-Za-z0-9._~+/=$!@%^*\-]{8,}
  | \bsk-[A-Za-z0-9_\-]{8,}
  | \b(?:gsk_|xai-|hf_|gh[pousr]_|github_pat_|nvapi-|r8_|AIza|AKIA)[A-Za-z0-9_\-]{12,}
  | \bkey-(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}\b   # the benchmark platform's keys
  | \beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?
    """,
    regex.VERBOSE,
)
_remembered: set[str] = set()
_lock = threading.Lock()


def remember(secret: str) -> None:
    """Have a secret hidden that stands in no variable of the environment."""
    if len(secret) >= LEAST_CHARS and secret not in _PUBLIC:
        with _lock:
            _remembered.add(secret)


def redact(text: str) -> str:
    """The text with every known secret, and everything that looks like one, masked.

    Known are the values of variables named ``...KEY``, ``...TOKEN``, ``...SECRET`` or
    ``...PASSWORD`` and what was given to ``remember``, also URL-quoted, JSON-escaped or as base64.
    """
    known = _known(_secrets())
    if known is not None:
        text = known.sub(MASK, text)
    return _GENERIC.sub(_masked, text)


def _masked(found: regex.Match[str]) -> str:
    return f"{found['keep'] or ''}{MASK}"


def _secrets() -> frozenset[str]:
    values = {
        value
        for name, value in os.environ.items()
        if name.upper().endswith(_ENDINGS) and len(value) >= LEAST_CHARS
    }
    with _lock:
        return frozenset((values | _remembered) - _PUBLIC)


@lru_cache(maxsize=8)
def _known(secrets: frozenset[str]) -> regex.Pattern[str] | None:
    """One pattern for all forms of all secrets, the longest first."""
    forms = {form for secret in secrets for form in _forms(secret)}
    if not forms:
        return None
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return regex.compile("|".join(regex.escape(form) for form in ordered))


def _forms(secret: str) -> set[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    forms = {secret, quote(raw), quote(raw, safe=""), quote_plus(raw), repr(secret)[1:-1]}
    forms |= {json.dumps(secret, ensure_ascii=ascii)[1:-1] for ascii in (True, False)}
    # A secret inside a longer base64 text begins at one of three places; the characters at both
    # ends also hold bits of its neighbours and are left out.
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + raw).decode("ascii")
        start = (0, 2, 3)[shift]
        end = len(coded) - (0, 3, 2)[(len(raw) + shift) % 3]
        for form in (coded[start:end], coded[start:end].translate(str.maketrans("+/", "-_"))):
            if len(form) >= LEAST_CHARS:
                forms.add(form)
    return forms
