"""The wish of a server that one comes back later."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds from now given by ``Retry-After``: a number (also in ms), or a date.

    ``headers`` have names in lower case. None without the header or for another form; a number may
    be absurd (``inf``).
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if seconds == seconds:
            return max(seconds, 0.0)
    try:
        return max(parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time(), 0.0)
    except (LookupError, ValueError, TypeError, AttributeError, OverflowError):
        return None  # Python's reader of dates knows all of these ways to refuse one
