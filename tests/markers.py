"""What a test needs, as markers: ``make quick`` leaves out all but ``promise``.

``process``, ``simulator``, ``browser``, ``clock`` and ``campaign`` (one kind of task, many times)
are set here, by the path of a test, by its fixtures and by what its module imports. ``nightly`` and
``promise`` are set by hand, with a text, and so is ``slow``, for what was measured to take half a
second of CPU or more in one process.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

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
    "tests.kit.fake_gonka": "process",
    "tests.kit.fake_openai": "process",
    "tests.kit.hostile_models": "process",
    "tests.kit.relay": "process",
    "threading": "clock",
    "time": "clock",
    "workshop.simulator.server": "simulator",
}
"""Modules, and those that something in the test's module comes from."""
BY_HAND = {
    "nightly(reason)": "is left to `make nightly`: it takes long and finds little",
    "promise(text)": "holds what docs/promises.md says",
    "slow": "takes half a second of CPU or more: `make quick` leaves it out",
}
QUICK = f"not ({' or '.join(sorted({*PATHS.values(), *FIXTURES.values(), *IMPORTS.values()}))})"
QUICK += " and not nightly and not slow"
EXAMPLES = 20
"""At most so many of a property are tried by ``--quick``."""
_NAMES = "|".join(map(re.escape, IMPORTS))
_IMPORTED = re.compile(rf"^(?:import|from) (?:{_NAMES})\b", re.MULTILINE)


def pytest_configure(config: pytest.Config) -> None:
    for name in sorted({*PATHS.values(), *FIXTURES.values(), *IMPORTS.values()}):
        config.addinivalue_line("markers", f"{name}: needs it; set by tests/markers.py")
    for name, text in BY_HAND.items():
        config.addinivalue_line("markers", f"{name}: {text}")
    if config.getoption("--quick"):
        config.option.markexpr = QUICK


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether nothing in a folder or module is quick, which its name or its imports tell.

    To import and collect what is then left out takes longer than many quick tests.
    """
    if not config.getoption("--quick") or TESTS not in collection_path.parents:
        return None
    place = collection_path.relative_to(TESTS).as_posix()
    module = collection_path.suffix == ".py" and collection_path.name != "conftest.py"
    if place in PATHS or (module and _IMPORTED.search(collection_path.read_text("utf-8"))):
        return True
    return None


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
        if item.config.getoption("--quick") and is_hypothesis_test(item.obj):
            _try_few(item.obj)


def _try_few(test: Any) -> None:
    of_test = test._hypothesis_internal_use_settings or settings.default
    few = min(of_test.max_examples, EXAMPLES)
    test._hypothesis_internal_use_settings = settings(of_test, max_examples=few)


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
