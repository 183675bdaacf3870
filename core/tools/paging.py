"""Listings that come in pages, whose largest page the API tells only in an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import regex

from core.ledger import ToolFault
from core.tools.faults import Inconsistent, Refused

Entry = Any
"""A record of the API: a model, or a mapping of its fields."""
Ask = Callable[[int, int], tuple[list[Any], int | None]]
"""Sends one request for (offset, limit): returns the entries and the next offset, if given."""
FIRST_LIMIT = 50
OWN_LARGEST = 0
"""Requests the largest page that an API gives, if the API supports that."""
END = -1
"""The one offset that ends a listing without further ado."""
BARREN_AT_MOST = 3
"""Pages in a row without a new entry, after which a listing is given up."""
ENTRIES_AT_MOST = 50_000
CHARS_AT_MOST = 4_000_000
"""Maximum characters of all texts in the entries."""
_TOO_LARGE = regex.compile(r"page limit exceeded:\s*(-?\d+)\s*>\s*(-?\d+)", regex.IGNORECASE)


class ListingForbidden(ToolFault):
    """The API allows no listing at all (its page limit is negative)."""


def limit_told(error: str | None) -> int | None:
    """The page limit that an error text of the API names; negative: listing is forbidden."""
    match = _TOO_LARGE.search(error or "")
    return int(match[2]) if match else None


class Listing:
    """One listing of an API; what is learnt of its page limit is kept."""

    def __init__(self, key: str, forbidden: str, first: int = FIRST_LIMIT) -> None:
        """``key``: the field that tells entries apart; ``forbidden``: said where none may be.

        ``first``: the page that is asked for before anything is known. With ``OWN_LARGEST`` an API
        that does not know it, and refuses it or gives nothing, is asked again as all others.
        """
        self._key = key
        self._forbidden = forbidden
        self._first = first
        self.limit: int | None = None
        """Largest page that the API is known to give."""

    def page(self, ask: Ask, offset: int, limit: int) -> tuple[list[Any], int, int]:
        """Return the entries of a page, the next offset (-1: none) and the limit used.

        The limit is lowered to what the API accepts; 0 means its own largest page. If the end
        is marked otherwise than by -1 (0, or no offset at all), a request after the
        last entry must confirm that nothing follows.

        Raises:
            ListingForbidden: the API's limit is negative.
            Inconsistent: the page cannot be believed.
            ToolFault: any other refusal, in the API's words.
        """
        entries, following, limit = self._ask(ask, offset, limit)
        if following in (0, None):
            behind = offset + len(entries)
            more, _, limit = self._ask(ask, behind, limit)
            following = behind if more else END
        elif following != END and following <= offset:
            raise Inconsistent(f"the listing goes from {offset} to {following}")
        return entries, following, limit

    def _ask(self, ask: Ask, offset: int, limit: int) -> tuple[list[Any], int | None, int]:
        if self.limit is not None and (limit == 0 or limit > self.limit):
            limit = self.limit
        try:
            return *ask(offset, limit), limit
        except ToolFault as fault:
            allowed = limit_told(fault.text)
            if allowed is not None and allowed < 0:
                raise ListingForbidden(self._forbidden, kind="RuntimeError").after(fault) from None
            if allowed is None or allowed == limit:
                raise
        self.limit = allowed
        return *ask(offset, allowed), allowed

    def whole(self, ask: Ask) -> list[Any]:
        """Return every entry, in order; an inconsistent listing is read once more.

        Raises:
            ListingForbidden: the API forbids listing.
            Inconsistent: it was inconsistent twice, or did not end.
        """
        try:
            return self._whole(ask)
        except Inconsistent:
            return self._whole(ask)

    def _whole(self, ask: Ask) -> list[Any]:
        known: dict[str, Entry] = {}
        try:
            self._read_all(ask, known)
        except ToolFault as fault:
            fault.rows = list(known.values())
            raise
        return list(known.values())

    def _read_all(self, ask: Ask, known: dict[str, Entry]) -> None:
        offset = barren = chars = 0
        while offset != END:
            entries, following = self._next(ask, offset)
            fresh: dict[str, Entry] = {}
            for entry in entries:
                name = _fields(entry)[self._key]
                before = known.get(name) or fresh.setdefault(name, entry)
                if before != entry:
                    raise Inconsistent(f"{name[:80]!r} is listed with two different sets of data")
            if entries and not fresh:
                raise Inconsistent(f"the page at {offset} repeats what was listed before")
            barren = 0 if fresh else barren + 1
            if barren > BARREN_AT_MOST:
                raise Inconsistent(f"{barren} pages in a row bring nothing new")
            known.update(fresh)
            values = (value for entry in fresh.values() for value in _fields(entry).values())
            chars += sum(len(value) for value in values if isinstance(value, str))
            if len(known) > ENTRIES_AT_MOST or chars > CHARS_AT_MOST:
                raise Inconsistent(f"the listing does not end after {len(known)} entries")
            # By what has been received: an offset that leaves entries out is not followed.
            received = offset + len(entries)
            offset = following if following == END or received == offset else received

    def _next(self, ask: Ask, offset: int) -> tuple[list[Any], int]:
        limit = self.limit or self._first
        in_doubt = limit == OWN_LARGEST and offset == 0
        try:
            entries, following, _ = self.page(ask, offset, limit)
        except Refused:
            if not in_doubt:
                raise
            entries = []
        if in_doubt and not entries:
            self._first = FIRST_LIMIT
            entries, following, _ = self.page(ask, offset, FIRST_LIMIT)
        if not entries and (offset > 0 or following != END):
            # No listing names an offset to say that nothing is there: the entries were lost.
            entries, following, _ = self.page(ask, offset, self.limit or limit)
        return entries, following


def _fields(entry: Entry) -> Mapping[str, Any]:
    return entry if isinstance(entry, Mapping) else vars(entry)
