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
ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_PUBLIC = frozenset({"key-embedded"})
"""The simulator's key: it protects nothing and appears in every run."""
_GENERIC = regex.compile(
    r"""
    (?P<keep>
        (?i:\bbearer)[ ]+(?=\S*\d|\S{20})   # a word of ordinary talk has neither
      | (?i:\b(?:[a-z0-9]+[_-]){0,20}(?:api[_-]?key|apikey|access[_-]?token
            |client[_-]?secret|password|authorization))
        ["']?\s*[=:]\s*["']?(?i:(?:bearer|basic)[ ]+)?
    )
    (?!key-embedded\b) [A-Za-z0-9._~+/=$!@%^*\-]{8,}
  | \bsk-(?=\w{8}|(?=[\w\-]{0,200}[A-Z])[\w\-]{0,200}\d|[\w\-]{0,200}-[0-9a-f]{16})   # no SKU
        [A-Za-z0-9_\-]{8,}
  | \b(?:gsk_|xai-|hf_|gh[pousr]_|github_pat_|nvapi-|r8_|AIza|AKIA)[A-Za-z0-9_\-]{12,}
  | \bkey-(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}\b   # the benchmark platform's keys
  | \beyJ[A-Za-z0-9_\-]{8,1000}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?
    """,
    regex.VERBOSE,
)
_WORD = regex.compile(r"[A-Za-z0-9_\-]{4,}")
_SHORTENED = regex.compile(
    r"[A-Za-z0-9_\-]{1,40}+(?:\*{2,}+|\.{2,}+|…|•+)[A-Za-z0-9_\-]{2,40}"
    r"|\b(?:sk|pk|gsk|xai|hf|key|AIza)[-_]?[A-Za-z0-9_\-]{0,40}+(?:\*{2,}+|\.{3,}+|…|•+)"
)
"""A word whose middle or end is left out."""
_remembered: set[str] = set()
_lock = threading.Lock()


def remember(secret: str) -> None:
    """Mask a secret that is not in an environment variable."""
    if len(secret) >= LEAST_CHARS and secret not in _PUBLIC:
        with _lock:
            _remembered.add(secret)


def hide(text: str) -> str:
    """The text with every known secret masked, and nothing else touched.

    For records that are read back by a program, where a thing that only looks like a secret must
    stay what it is.
    """
    for form in _forms(_secrets()):
        text = text.replace(form, MASK)
    return text


def _secrets() -> frozenset[str]:
    values = {value for name, value in os.environ.items() if name.upper().endswith(ENDINGS)}
    with _lock:
        every = values | _remembered
    return frozenset(v for v in every if len(v) >= LEAST_CHARS) - _PUBLIC


def redact(text: str) -> str:
    """The text with every known secret, and everything that looks like one, masked.

    Known are the values of variables named ``...KEY``, ``...TOKEN``, ``...SECRET`` or
    ``...PASSWORD`` and what was given to ``remember``, also URL-quoted, JSON-escaped or as base64.
    """
    return _GENERIC.sub(lambda match: f"{match['keep'] or ''}{MASK}", hide(text))


def redact_parts(text: str) -> str:
    """The text without parts of keys, which providers quote in place of the whole one.

    A part is a word that begins or ends a known secret, or one with its middle left out
    ("sk-ab***cd", "sk-ab...cd").
    """
    secrets = _secrets()

    def masked(match: regex.Match[str]) -> str:
        word = match[0]
        is_part = any(one.startswith(word) or one.endswith(word) for one in secrets)
        return MASK if is_part else word

    return _WORD.sub(masked, _SHORTENED.sub(MASK, text))


@lru_cache(maxsize=8)
def _forms(secrets: frozenset[str]) -> tuple[str, ...]:
    """All forms of all secrets, the longest first."""
    forms: set[str] = set()
    for secret in secrets:
        raw = secret.encode("utf-8", "surrogateescape")
        forms |= {secret, quote(raw), quote(raw, safe=""), quote_plus(raw), repr(secret)[1:-1]}
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
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))
