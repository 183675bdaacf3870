"""What was read in a task: listings that are kept, and the evidence that their answers are.

A stage around the strategy reads aside: what it has read is kept for everybody, but becomes
evidence only when the strategy reads it as well. Else an answer could name what the strategy has
never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from company_tools.evidence import Evidence, Known

T = TypeVar("T")
Body = dict[str, object]


class _Shown(NamedTuple):
    """An answer that was read, with its request, or the name of what was read whole."""

    answer: BaseModel | None
    whole: str = ""
    path: str = ""
    body: Body | None = None


class Memory:
    """Of one task; a listing is kept until a change to its kind."""

    def __init__(self, seen: Callable[[str, Body], None] = lambda *_: None) -> None:
        """``seen`` is told path and body of a stage's read when the strategy gets its answer."""
        self._seen = seen
        self._strategys = self.evidence = Evidence()
        self.listed: set[str] = set()
        """What was read whole: employees, projects, companies, entries, paths."""
        self._kept: dict[tuple[str, ...], object] = {}
        self._owed: dict[tuple[str, ...], list[_Shown]] = {}
        """Of what is kept, the answers that are no evidence yet."""
        self._beside = Evidence()
        """What a stage sees: the evidence, and what stages have read."""
        self._aside = False
        self._shown: list[_Shown] = []

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While it lasts nothing that is read is evidence."""
        listed = self.listed
        self._beside.add(self._strategys)
        self.evidence, self.listed, self._aside = self._beside, set(), True
        try:
            yield
        finally:
            self._shown.clear()
            self.evidence, self.listed, self._aside = self._strategys, listed, False

    def tell(self, records: list[Known], notes: Mapping[str, str]) -> None:
        """Take as evidence what a stage tells the strategy; of no kind is what has no links.

        ``notes``: those of people, by id.
        """
        for known in records:
            if known.kind:
                self._strategys.records.setdefault((known.kind, known.id), known)
            else:
                self._strategys.tokens.add(known.id)
        for id, note in notes.items():
            self._strategys.note_person(id, note)

    def note(self, answer: BaseModel, path: str = "", body: Body | None = None) -> None:
        """Take over what the answer to a request shows."""
        self._take(_Shown(answer, path=path, body=body))

    def read_whole(self, field: str) -> None:
        """Know that a kind of record was read whole."""
        self._take(_Shown(None, field))

    def kept(self, key: tuple[str, ...], read: Callable[[], T]) -> T:
        """What ``read`` gives, asked once until a change to the kind that ``key`` begins with."""
        if key not in self._kept:
            before = len(self._shown)
            self._kept[key] = read()
            self._owed[key] = self._shown[before:]
        else:
            owed = self._owed.get(key, [])
            for shown in owed:
                self._take(shown)
                if shown.path and not self._aside:
                    self._seen(shown.path, shown.body or {})
            if not self._aside:
                owed.clear()
        return self._kept[key]  # type: ignore[return-value]

    def has(self, *key: str) -> bool:
        """Whether that is kept."""
        return key in self._kept

    def forget(self, kind: str) -> None:
        """Drop what a change to a kind makes old."""
        for key in [key for key in self._kept if key[0] == kind]:
            del self._kept[key]

    def _take(self, shown: _Shown) -> None:
        if self._aside:
            self._shown.append(shown)
        if shown.whole:
            self.listed.add(shown.whole)
        if shown.answer is not None:
            self.evidence.note(shown.answer)
