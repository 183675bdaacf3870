"""While a program loads, nothing is collected: what is loaded stays, however often one looks.

Without this a tenth of a start without a key and a fifth of one with LiteLLM are collections.
"""

from __future__ import annotations

import gc


def begin() -> None:
    """From now on the program loads."""
    gc.disable()


def over() -> None:
    """From now on it works: what there is so far is never looked at again; the rest is."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
