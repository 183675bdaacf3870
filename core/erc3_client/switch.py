"""Chooses between the official SDK and our own client.

`ERC3_CLIENT=auto` (the default) uses `erc3` if it can be imported and `core.erc3_client.own`
otherwise; `sdk` and `compat` force one of them.
"""

import importlib
import os
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Literal

VARIABLE = "ERC3_CLIENT"
ROOTS = {"sdk": "erc3", "compat": "core.erc3_client.own"}
OTHER_NAMES = {("sdk", "company"): "erc3"}
"""Submodules that a client has under a name of its own."""

Choice = Literal["sdk", "compat"]


def chosen() -> Choice:
    """Return the client that the environment selects.

    Raises ValueError for another value of `ERC3_CLIENT`, ImportError when `sdk` is asked for
    and `erc3` is not installed.
    """
    asked = os.environ.get(VARIABLE) or "auto"
    if asked not in ("auto", "sdk", "compat"):
        raise ValueError(f"{VARIABLE}={asked!r} is invalid: use auto, sdk or compat")
    installed = asked != "compat" and _is_installed()
    if asked == "sdk" and not installed:
        raise ImportError(
            f"{VARIABLE}=sdk, but the package erc3 is not installed: install it from the "
            "platform's own index, or set the variable to auto or compat"
        )
    return "sdk" if installed else "compat"


def load(submodule: str = "") -> ModuleType:
    """The chosen client's root module, or one of its submodules.

    Those are `base`, `core`, `store` and `company`.
    """
    choice = chosen()
    name = OTHER_NAMES.get((choice, submodule), submodule)
    return importlib.import_module(f"{ROOTS[choice]}.{name}" if name else ROOTS[choice])


def transport_errors() -> tuple[type[Exception], ...]:
    """The exceptions of the chosen client when the network fails: httpx or requests classes."""
    if chosen() == "sdk":
        return (importlib.import_module("requests").RequestException,)
    return (importlib.import_module("httpx").TransportError,)


@cache
def _is_installed() -> bool:
    return find_spec("erc3") is not None
