"""What a test needs, as markers: ``make quick`` leaves out all but ``promise``.

``process``, ``simulator``, ``browser``, ``clock`` and ``campaign`` (one kind of task, many times)
are set here, by the path of a test, by its fixtures and by what its module imports. ``nightly`` and
``promise`` are set by hand, with a text.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TESTS = Path(__file__).parent
PATHS = {
    "browser": "browser",
    "campaigns": "campaign",
    "cli": "process",
    "company_tools/test_hostile_guests.py": "campaign",
    "worker/sandbox": "process",
    "workshop/agent_adapter": "process",
    "workshop/lab": "process",
    "workshop/simulator": "simulator",
}
FIXTURES = {
    "browser": "browser",
    "connect": "simulator",
    "lives": "process",
    "model_server": "process",
    "open_shop": "simulator",
    "platform_of": "simulator",
    "sandbox": "process",
    "server": "simulator",
}
IMPORTS = {
    "multiprocessing": "process",
    "pty": "process",
    "signal": "process",
    "socket": "process",
    "subprocess": "process",
    "tests.campaigns": "campaign",
    "tests.fake_gonka": "process",
    "tests.fake_openai": "process",
    "tests.hostile_models": "process",
    "tests.relay": "process",
    "threading": "clock",
    "time": "clock",
    "workshop.simulator.server": "simulator",
}
"""Modules, and those that something in the test's module comes from."""
BY_HAND = {
    "nightly(reason)": "is left to `make nightly`: it takes long and finds little",
    "promise(text)": "holds what docs/promises.md says",
}


def pytest_configure(config: pytest.Config) -> None:
    for name in sorted({*PATHS.values(), *FIXTURES.values(), *IMPORTS.values()}):
        config.addinivalue_line("markers", f"{name}: needs it; set by tests/markers.py")
    for name, text in BY_HAND.items():
        config.addinivalue_line("markers", f"{name}: {text}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    of_module: dict[ModuleType, set[str]] = {}
    for item in items:
        assert isinstance(item, pytest.Function)
        if item.module not in of_module:
            of_module[item.module] = set(_needs(item.module, item.path))
        fixtures = FIXTURES.keys() & set(item.fixturenames)
        for name in of_module[item.module] | {FIXTURES[fixture] for fixture in fixtures}:
            item.add_marker(name)


def _needs(module: ModuleType, path: Path) -> set[str]:
    here = path.relative_to(TESTS).as_posix() + "/"
    found = {need for name, need in PATHS.items() if here.startswith(f"{name}/")}
    for value in vars(module).values():
        whence = value if isinstance(value, ModuleType) else None
        name = whence.__name__ if whence else str(getattr(value, "__module__", ""))
        found |= {need for begin, need in IMPORTS.items() if f"{name}.".startswith(f"{begin}.")}
    return found


def seeds(count: int, by_day: int) -> list[Any]:
    """Parameters 0, 1, …: so many by day, the others nightly."""
    nightly = pytest.mark.nightly("more seeds of what others play by day")
    return [pytest.param(n, marks=[nightly] if n >= by_day else []) for n in range(count)]
