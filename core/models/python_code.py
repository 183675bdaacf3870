"""Python read into a tree, from several threads at once."""

from __future__ import annotations

import ast
import threading
from functools import lru_cache

_one_at_a_time = threading.RLock()


@lru_cache(maxsize=16)
def kept_tree(code: str) -> ast.Module:
    """The tree of a program, kept for whoever reads the same one next: nobody may change it.

    Raises what ``ast.parse`` raises. CPython 3.11 counts the depth of all trees under construction
    together: two threads that build one at the same time can get a SystemError for code in which
    nothing is wrong.
    """
    with _one_at_a_time:
        return ast.parse(code)
