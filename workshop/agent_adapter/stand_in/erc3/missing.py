"""Reports names that the official SDK may have and the replacement lacks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from types import ModuleType
from typing import NoReturn


def text_of(module: str, name: str, known: Iterable[str]) -> str:
    """Say what is missing, where, and the nearest names.

    ``known``: the full names that exist.
    """
    by_name = {one.rpartition(".")[2].lower(): one for one in reversed([*known])}
    near = [by_name[one] for one in get_close_matches(name.lower(), by_name, 3)]
    hint = f"; near: {', '.join(near)}" if near else ""
    return f"{module}.{name} is not in erc3-agent's replacement for the official ERC3 SDK{hint}"


class _Finder:
    """The last finder: a name `erc3.….NAME` that reaches it does not exist."""

    def __init__(self, known: Sequence[str]) -> None:
        self._known = known

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Raises ModuleNotFoundError for a name of the package."""
        module, _, last = name.rpartition(".")
        if module.partition(".")[0] == "erc3":
            # Without the attribute `name`, or `from … import` would say it in its own words.
            raise ModuleNotFoundError(text_of(module, last, self._known))


def explain(modules: Sequence[ModuleType]) -> None:
    """Have these modules name what they lack, also to `from … import`."""
    names = {m: [n for n in vars(m) if not n.startswith("_")] for m in modules}
    known = [f"{m.__name__}.{name}" for m, every in names.items() for name in every]
    for module in modules:
        # To a package Python brings the names that it lacks as modules to be found.
        vars(module).setdefault("__path__", [])
        vars(module)["__getattr__"] = partial(_raise_missing, module.__name__, known)
    sys.meta_path.append(_Finder(known))


def _raise_missing(module: str, known: Sequence[str], name: str) -> NoReturn:
    raise AttributeError(text_of(module, name, known))
