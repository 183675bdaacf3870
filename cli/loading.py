"""While a program loads, nothing is collected: what is loaded stays, however often one looks.

Without this a tenth of a start without a key and a fifth of one with LiteLLM are collections.
"""

from __future__ import annotations

import gc


def begin() -> None:
    """Mark the beginning of the loading phase."""
    gc.disable()


def over() -> None:
    """Mark its end: garbage collection ignores all objects that exist now."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
