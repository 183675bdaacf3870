"""Trees of programs, built by many threads."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator

import pytest

from core.models.python_code import kept_tree

tree_of = kept_tree.__wrapped__
"""Read anew each time."""
CODE = "p = {'a': [1, 2, 3]}\n" * 200


class Loop:
    """Garbage that only the collector finds, with a finalizer in Python: threads change in it."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        for _ in range(50):
            pass


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_threads_do_not_disturb_one_another() -> None:
    wrong: list[str] = []

    def read() -> None:
        for _ in range(20):
            try:
                assert len(tree_of(CODE).body) == 200
            except SystemError as error:
                wrong.append(str(error))

    def litter() -> None:
        for _ in range(20_000):
            Loop()

    threads = [threading.Thread(target=work) for work in (*[read] * 8, litter)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_is_no_python_is_refused_as_ever() -> None:
    assert isinstance(tree_of("x = 1"), ast.Module)
    with pytest.raises(SyntaxError):
        tree_of("x =")
