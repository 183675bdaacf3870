"""heapq for Monty; see prelude.py."""

# mypy: allow-untyped-defs, allow-untyped-calls


class _SandboxHeapq:
    def __init__(self, **members):
        for name, member in members.items():
            setattr(self, name, member)


def _sandbox_heapq_sift(heap, child):
    while child > 0 and heap[child] < heap[(child - 1) // 2]:
        parent = (child - 1) // 2
        heap[child], heap[parent] = heap[parent], heap[child]
        child = parent


def _sandbox_heapq_sink(heap, parent):
    size = len(heap)
    while 2 * parent + 1 < size:
        child = 2 * parent + 1
        if child + 1 < size and not heap[child] < heap[child + 1]:
            child += 1
        if not heap[child] < heap[parent]:
            return
        heap[child], heap[parent] = heap[parent], heap[child]
        parent = child


def _sandbox_heapq_heapify(heap):
    for parent in range(len(heap) // 2 - 1, -1, -1):
        _sandbox_heapq_sink(heap, parent)


def _sandbox_heapq_heappush(heap, item):
    heap.append(item)
    _sandbox_heapq_sift(heap, len(heap) - 1)


def _sandbox_heapq_heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _sandbox_heapq_sink(heap, 0)
    return first


def _sandbox_heapq_heappop(heap):
    last = heap.pop()
    return _sandbox_heapq_heapreplace(heap, last) if heap else last


def _sandbox_heapq_heappushpop(heap, item):
    return _sandbox_heapq_heapreplace(heap, item) if heap and heap[0] < item else item


def _sandbox_heapq_nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _sandbox_heapq_nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


def _sandbox_heapq_merge(*iterables, key=None, reverse=False):
    items = [item for iterable in iterables for item in iterable]
    return sorted(items, key=key, reverse=reverse)


_sandbox_heapq = _SandboxHeapq(
    heapify=_sandbox_heapq_heapify,
    heappush=_sandbox_heapq_heappush,
    heappop=_sandbox_heapq_heappop,
    heapreplace=_sandbox_heapq_heapreplace,
    heappushpop=_sandbox_heapq_heappushpop,
    nlargest=_sandbox_heapq_nlargest,
    nsmallest=_sandbox_heapq_nsmallest,
    merge=_sandbox_heapq_merge,
)
