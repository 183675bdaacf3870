"""What the prompt has to say about the Python that generated code runs in."""

from __future__ import annotations

import sys

from worker.sandbox.contract import SandboxChoice
from worker.sandbox.factory import chosen_kind
from worker.sandbox.monty_imports import MODULES
from worker.sandbox.walls import walls

_CPYTHON = (
    f"Python {sys.version_info.major}.{sys.version_info.minor} with its standard library. "
    "No files, no network, no other packages; time.sleep does not wait."
)
_MONTY = (
    "A subset of Python: functions, lambdas, loops, comprehensions, f-strings, try/except, with, "
    "match, dataclasses and plain classes. No yield, no class inheritance or exceptions of your "
    "own, no @property/@staticmethod/@classmethod, no del, no import *, no key=d.get (write a "
    f"lambda). Modules: {MODULES}. "
    "No files, no network, no other packages; time.sleep does not wait."
)


def python_rules(kind: SandboxChoice | None = None) -> str:
    """One paragraph for the prompt: what code may use in the sandbox of this kind, here.

    Without ``kind`` the environment decides, as in ``open_sandbox``. The text is the same for
    the same machine and setting.
    """
    wanted = kind or chosen_kind()
    return _CPYTHON if wanted != "monty" and walls().process else _MONTY
