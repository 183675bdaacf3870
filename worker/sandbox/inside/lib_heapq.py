"""heapq for Monty; see prelude.py."""

# mypy: ignore-errors


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
