"""What Monty lacks and worker code uses often, in the Python that Monty has.

Fed to a Monty session before the first snippet. sorted, min, max, map and filter are here
because Monty's own cannot call a tool from a callback. Generator expressions are lists in
Monty, so ``next`` takes the first item off a list.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from typing import Any

_sandbox_sorted = sorted
_sandbox_next = next


class _SandboxMissing:
    pass


_sandbox_missing: Any = _SandboxMissing()


def sorted(iterable, /, *, key=None, reverse=False):
    """As the builtin; the key may call tools."""
    items = list(iterable)
    if key is None:
        return _sandbox_sorted(items, reverse=reverse)
    keys = [key(item) for item in items]
    order = _sandbox_sorted(range(len(items)), key=lambda i: keys[i], reverse=reverse)
    return [items[i] for i in order]


def _sandbox_extreme(name, args, key, default, better):
    items = list(args[0]) if len(args) == 1 else list(args)
    if not items:
        if default is not _sandbox_missing:
            return default
        raise ValueError(name + "() arg is an empty sequence")
    best = items[0]
    best_key = best if key is None else key(best)
    for item in items[1:]:
        item_key = item if key is None else key(item)
        if better(item_key, best_key):
            best, best_key = item, item_key
    return best


def min(*args, key=None, default=_sandbox_missing):
    """As the builtin; the key may call tools."""
    return _sandbox_extreme("min", args, key, default, lambda new, old: new < old)


def max(*args, key=None, default=_sandbox_missing):
    """As the builtin; the key may call tools."""
    return _sandbox_extreme("max", args, key, default, lambda new, old: new > old)


def map(function, /, *iterables):
    """A list, not an iterator; the function may call tools."""
    return [function(*items) for items in zip(*iterables)]  # noqa: B905


def filter(function, iterable, /):
    """A list, not an iterator; the function may call tools."""
    if function is None:
        return [item for item in iterable if item]
    return [item for item in iterable if function(item)]


def next(iterator, /, default=_sandbox_missing):
    """As the builtin; a list, which is what a generator is here, loses its first item."""
    if isinstance(iterator, list):
        if iterator:
            return iterator.pop(0)
        if default is _sandbox_missing:
            raise StopIteration
        return default
    if default is _sandbox_missing:
        return _sandbox_next(iterator)
    return _sandbox_next(iterator, default)


def callable(obj, /):
    """As the builtin, for what there is here."""
    return str(type(obj)) in (
        "<class 'function'>",
        "<class 'builtin_function_or_method'>",
        "<class 'type'>",
        "<class 'method'>",
    ) or hasattr(obj, "__call__")  # noqa: B004
