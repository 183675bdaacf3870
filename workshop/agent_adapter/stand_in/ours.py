"""Our client, loaded whole as soon as this is imported, and how to say what it lacks.

A script may have modules that are called as packages of this project are. So while ours are loaded
its own are put aside, and afterwards it finds them again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from workshop.agent_adapter.stand_in import ROOT

_NEEDED = ("company", "core", "loopback", "remote")
_PACKAGE = "core"
"""Holds the client; a script may have a package of this name, too."""
_ASKED_FOR = ("Req_", "Resp_")


def lacking(module: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module: says by name what the SDK may have and this has not."""

    def missing(name: str) -> NoReturn:
        text = f"{module}.{name} is not in the agent adapter, which stands in for the official SDK"
        # The statement `from ... import` shows nothing of an AttributeError's text.
        raise (ImportError if name.startswith(_ASKED_FOR) else AttributeError)(text)

    return missing


def _put_aside() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.split(".")[0] == _PACKAGE]
    return {name: sys.modules.pop(name) for name in names}


def _load() -> None:
    theirs = _put_aside()
    sys.path.insert(0, str(ROOT))
    try:
        for name in _NEEDED:
            import_module(f"core.erc3_client.own.{name}")
    finally:
        sys.path.remove(str(ROOT))
        _put_aside()
        sys.modules.update(theirs)


_load()
