"""Modules that Monty lacks: a class of functions for each; see prelude.py.

An import of one in a snippet is rewritten to an assignment of ``_sandbox_<name>``.
"""

# mypy: ignore-errors
# ruff: noqa: E731

import math as _sandbox_math
from collections import Counter as _sandbox_counter


class _SandboxSuppress:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return error is not None and isinstance(error, self.kinds)


class _SandboxNullcontext:
    def __init__(self, value=None):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, kind, error, trace):
        return False


class _sandbox_contextlib:
    suppress = _SandboxSuppress
    nullcontext = _SandboxNullcontext


class _sandbox_heapq:
    def sift(heap, child):
        while child > 0 and heap[child] < heap[(child - 1) // 2]:
            parent = (child - 1) // 2
            heap[child], heap[parent] = heap[parent], heap[child]
            child = parent

    def sink(heap, parent):
        size = len(heap)
        while 2 * parent + 1 < size:
            child = 2 * parent + 1
            if child + 1 < size and not heap[child] < heap[child + 1]:
                child += 1
            if not heap[child] < heap[parent]:
                return
            heap[child], heap[parent] = heap[parent], heap[child]
            parent = child

    def heapify(heap):
        for parent in range(len(heap) // 2 - 1, -1, -1):
            _sandbox_heapq.sink(heap, parent)

    def heappush(heap, item):
        heap.append(item)
        _sandbox_heapq.sift(heap, len(heap) - 1)

    def heapreplace(heap, item):
        first = heap[0]
        heap[0] = item
        _sandbox_heapq.sink(heap, 0)
        return first

    def heappop(heap):
        last = heap.pop()
        return _sandbox_heapq.heapreplace(heap, last) if heap else last

    def heappushpop(heap, item):
        return _sandbox_heapq.heapreplace(heap, item) if heap and heap[0] < item else item

    def nlargest(n, iterable, key=None):
        return sorted(iterable, key=key, reverse=True)[: max(n, 0)]

    def nsmallest(n, iterable, key=None):
        return sorted(iterable, key=key)[: max(n, 0)]

    def merge(*iterables, key=None, reverse=False):
        items = [item for iterable in iterables for item in iterable]
        return sorted(items, key=key, reverse=reverse)


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


class _sandbox_pprint:
    def text(obj, indent, width, sort):
        text = repr(obj)
        if len(text) + indent <= width or not isinstance(obj, (dict, list, tuple)) or not obj:
            return text
        joint = ",\n" + " " * (indent + 1)
        if isinstance(obj, dict):
            keys = sorted(obj, key=lambda key: (type(key).__name__, key)) if sort else list(obj)
            parts = []
            for key in keys:
                name = repr(key) + ": "
                parts.append(
                    name + _sandbox_pprint.text(obj[key], indent + 1 + len(name), width - 1, sort)
                )
            return "{" + joint.join(parts) + "}"
        parts = [_sandbox_pprint.text(item, indent + 1, width - 1, sort) for item in obj]
        inner = joint.join(parts)
        if isinstance(obj, list):
            return "[" + inner + "]"
        return "(" + inner + ("," if len(obj) == 1 else "") + ")"

    def pformat(obj, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
        return _sandbox_pprint.text(obj, 0, width, sort_dicts)

    def pprint(obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True):
        print(_sandbox_pprint.text(obj, 0, width, sort_dicts))

    def pp(obj, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=False):
        print(_sandbox_pprint.text(obj, 0, width, sort_dicts))


class _sandbox_statistics:
    StatisticsError = ValueError

    def points(data, complaint):
        items = list(data)
        if not items:
            raise ValueError(complaint)
        return items

    def mean(data):
        items = _sandbox_statistics.points(data, "mean requires at least one data point")
        total = sum(items)
        if isinstance(total, int) and total % len(items) == 0:
            return total // len(items)
        return total / len(items)

    def fmean(data, weights=None):
        items = _sandbox_statistics.points(data, "fmean requires at least one data point")
        shares = [1.0] * len(items) if weights is None else list(weights)
        total = _sandbox_math.fsum([x * w for x, w in zip(items, shares)])  # noqa: B905
        return total / _sandbox_math.fsum(shares)

    def median(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        half = len(items) // 2
        return items[half] if len(items) % 2 else (items[half - 1] + items[half]) / 2

    def median_low(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        return items[(len(items) - 1) // 2]

    def median_high(data):
        items = sorted(_sandbox_statistics.points(data, "no median for empty data"))
        return items[len(items) // 2]

    def multimode(data):
        counts = _sandbox_counter(data)
        most = max(counts.values(), default=0)
        return [value for value, count in counts.items() if count == most]

    def mode(data):
        return _sandbox_statistics.multimode(
            _sandbox_statistics.points(data, "no mode for empty data")
        )[0]

    def pvariance(data, mu=None):
        items = _sandbox_statistics.points(data, "pvariance requires at least one data point")
        center = _sandbox_statistics.mean(items) if mu is None else mu
        return _sandbox_statistics.mean([(x - center) ** 2 for x in items])

    def variance(data, xbar=None):
        items = list(data)
        if len(items) < 2:
            raise ValueError("variance requires at least two data points")
        center = _sandbox_statistics.mean(items) if xbar is None else xbar
        total = sum([(x - center) ** 2 for x in items])
        whole = isinstance(total, int) and total % (len(items) - 1) == 0
        return total // (len(items) - 1) if whole else total / (len(items) - 1)

    def stdev(data, xbar=None):
        return _sandbox_math.sqrt(_sandbox_statistics.variance(data, xbar))

    def pstdev(data, mu=None):
        return _sandbox_math.sqrt(_sandbox_statistics.pvariance(data, mu))


class _sandbox_string:
    ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
    ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    ascii_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    digits = "0123456789"
    hexdigits = "0123456789abcdefABCDEF"
    octdigits = "01234567"
    punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    whitespace = " \t\n\r\x0b\x0c"

    def capwords(text, sep=None):
        return (sep or " ").join([word.capitalize() for word in text.split(sep)])


class _sandbox_textwrap:
    def wrap(text, width=70):
        lines = []
        line = ""
        for word in text.split():
            while len(word) > width:
                room = width - len(line) - 1 if line else width
                if room > 0:
                    line = (line + " " if line else "") + word[:room]
                    word = word[room:]
                lines.append(line)
                line = ""
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = line + " " + word if line else word
        return [*lines, line] if line else lines

    def fill(text, width=70):
        return "\n".join(_sandbox_textwrap.wrap(text, width))

    def shorten(text, width, placeholder=" [...]"):
        words = text.split()
        if len(" ".join(words)) <= width:
            return " ".join(words)
        while words and len(" ".join(words)) + len(placeholder) > width:
            words.pop()
        return (" ".join(words) + placeholder).lstrip()

    def indent(text, prefix, predicate=None):
        parts = text.splitlines(True)
        return "".join([prefix + part if part.strip() else part for part in parts])

    def dedent(text):
        lines = [line if line.strip() else "" for line in text.split("\n")]
        margins = [len(line) - len(line.lstrip()) for line in lines if line]
        margin = min(margins, default=0)
        return "\n".join([line[margin:] for line in lines])
