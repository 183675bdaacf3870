"""operator for Monty; see prelude.py."""

# mypy: ignore-errors
# ruff: noqa: E731


class _sandbox_operator:
    add = lambda a, b: a + b
    sub = lambda a, b: a - b
    mul = lambda a, b: a * b
    truediv = lambda a, b: a / b
    floordiv = lambda a, b: a // b
    mod = lambda a, b: a % b
    pow = lambda a, b: a**b
    lt = lambda a, b: a < b
    le = lambda a, b: a <= b
    eq = lambda a, b: a == b
    ne = lambda a, b: a != b
    gt = lambda a, b: a > b
    ge = lambda a, b: a >= b
    and_ = lambda a, b: a & b
    or_ = lambda a, b: a | b
    xor = lambda a, b: a ^ b
    concat = lambda a, b: a + b
    contains = lambda a, b: b in a
    getitem = lambda a, b: a[b]
    is_ = lambda a, b: a is b
    is_not = lambda a, b: a is not b
    neg = lambda a: -a
    pos = lambda a: +a
    not_ = lambda a: not a
    truth = lambda a: bool(a)
    abs = lambda a: abs(a)
    index = lambda a: int(a)

    def pick(obj, path):
        for part in path.split("."):
            obj = getattr(obj, part)
        return obj

    def itemgetter(*keys):
        if len(keys) == 1:
            return lambda obj: obj[keys[0]]
        return lambda obj: tuple([obj[key] for key in keys])

    def attrgetter(*names):
        if len(names) == 1:
            return lambda obj: _sandbox_operator.pick(obj, names[0])
        return lambda obj: tuple([_sandbox_operator.pick(obj, name) for name in names])

    def setitem(obj, key, value):
        obj[key] = value
