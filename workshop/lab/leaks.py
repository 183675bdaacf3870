"""What a prompt must not tell of the tasks that it was written by: found, and masked.

Such are names of things and people, codes and ids, numbers, and stretches of a task's own words,
in any spelling that a reader would still understand. What the shipped prompts say is nobody's
secret.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from workshop.lab.folding import Word, words

NEAR = 8
"""Words within which two of a name stand together."""
STRETCH = 6
"""Words of a task in a row that are its own."""
COMMON = 3
"""A stretch that so many tasks have is a way of asking, and no task's own."""
HARMLESS = frozenset({"0", "1"})
"""Numbers that tell nothing of a task."""
_SMALL_WORDS = """
a an and any are as at be but by can do each else for from has have if in into is it its no not of
off on one only or other out so than that the their them then there they thi to up when where which
who whose why will with without you your
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_BLOB = regex.compile(r"[\p{L}\p{N}+/=]{25,}")
"""No word is so long; this may hold anything."""
_LISTED = regex.compile(r"^[ \t>*-]*(\d{1,2})[.)][ \t]", regex.MULTILINE)


class Facts(NamedTuple):
    """What a scenario holds, as the benchmark's kit tells it."""

    names: frozenset[str] = frozenset()
    """Of things: two of their words together are the name."""
    people: frozenset[str] = frozenset()
    """Each word of a person's name is the name."""
    codes: frozenset[str] = frozenset()
    """Ids, codes, addresses."""
    texts: tuple[str, ...] = ()
    """The task's own words, and all that holds numbers."""


class Leak(NamedTuple):
    """A place in a text that tells something of a task."""

    start: int
    end: int
    kind: str
    """name, person, code, number, words, word."""
    what: str
    """What it tells, folded."""


class Secrets:
    """What some tasks hold and the shipped prompts do not."""

    def __init__(self, tasks: Iterable[Facts], shipped: Iterable[str]) -> None:
        """``shipped``: texts that may say anything."""
        told = [word.text for text in shipped for word in words(text)]
        self._free = frozenset(told) | HARMLESS
        common = frozenset(_stretches(told))
        self._names: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
        self._people: set[str] = set()
        self._codes: set[tuple[str, ...]] = set()
        self._numbers: set[str] = set()
        self._read: set[str] = set()
        stretches: Counter[tuple[str, ...]] = Counter()
        for facts in tasks:
            self._add(facts)
            own = {s for text in facts.texts[:1] for s in _stretches(_texts(text))}
            stretches.update(own - common)
        self._squashed = {code for row in self._codes if _mixed(code := "".join(row))}
        self._stretches = {stretch for stretch, many in stretches.items() if many < COMMON}

    def _add(self, facts: Facts) -> None:
        for name in facts.names - self._read:
            own = frozenset(filter(self._tells, _texts(name)))
            for word in own:
                self._names[word].add(own)
        for person in facts.people:
            self._people.update(filter(self._tells, _texts(person)))
        for code in facts.codes:
            row = tuple(_texts(code))
            if row and not all(word in self._free or word in _SMALL for word in row):
                self._codes.add(row)
        for text in {*facts.texts, *facts.names, *facts.codes} - self._read:
            self._read.add(text)
            self._numbers.update(w.text for w in words(text) if w.is_number)
        self._numbers -= self._free

    def _tells(self, word: str) -> bool:
        plain = word in self._free or word in _SMALL or len(word) < 3
        return not plain and not word[0].isdigit()

    def leaks(self, text: str, *, every_word: bool = False) -> list[Leak]:
        """Every place that tells something, in order.

        ``every_word``: a word of a thing's name is one by itself, and so is any number.
        """
        found = words(text)
        rows = [word.text for word in found]
        leaks = [
            *self._named(found, every_word),
            *self._coded(found, rows),
            *self._numbered(found, _list_marks(text), every_word),
            *self._quoted(found, rows),
        ]
        leaks += [Leak(*m.span(), "word", m[0].casefold()) for m in _BLOB.finditer(text)]
        return sorted(set(leaks), key=lambda leak: (leak.start, -leak.end, leak))

    def _named(self, found: Sequence[Word], every_word: bool) -> Iterator[Leak]:
        for word in found:
            if word.text in self._people:
                yield Leak(word.start, word.end, "person", word.text)
            of = self._names.get(word.text, ())
            if frozenset({word.text}) in of or (of and every_word):
                yield Leak(word.start, word.end, "name", word.text)
        hits = [(at, word) for at, word in enumerate(found) if word.text in self._names]
        for number, (at, word) in enumerate(hits):
            for later, other in hits[number + 1 :]:
                if later - at > NEAR:
                    break
                shared = self._names[word.text] & self._names[other.text]
                if word.text != other.text and shared:
                    yield Leak(word.start, word.end, "name", word.text)
                    yield Leak(other.start, other.end, "name", other.text)

    def _coded(self, found: Sequence[Word], rows: Sequence[str]) -> Iterator[Leak]:
        known, longest = self._codes, max(map(len, self._codes), default=0)
        for at in range(len(rows)):
            for end in range(at + 1, min(len(rows), at + longest) + 1):
                row = tuple(rows[at:end])
                if row in known or (len(row) == 1 and len(row[0]) > 4 and (row[0][::-1],) in known):
                    yield Leak(found[at].start, found[end - 1].end, "code", "-".join(row))
        yield from self._spread(found)

    def _spread(self, found: Sequence[Word]) -> Iterator[Leak]:
        """Codes of letters and digits, whatever stands between their signs."""
        signs = [(sign, word) for word in found for sign in word.text]
        text = "".join(sign for sign, _ in signs)
        for code in self._squashed:
            for spelled in (code, code[::-1]):
                at = text.find(spelled)
                while at >= 0:
                    last = at + len(spelled) - 1
                    yield Leak(signs[at][1].start, signs[last][1].end, "code", code)
                    at = text.find(spelled, at + 1)

    def _numbered(
        self, found: Sequence[Word], marks: frozenset[int], every: bool
    ) -> Iterator[Leak]:
        for word in found:
            # What was reckoned of a task's numbers tells of it as well.
            known = word.text in self._numbers or (
                every and word.is_number and word.text not in self._free
            )
            if known and word.start not in marks:
                yield Leak(word.start, word.end, "number", word.text)

    def _quoted(self, found: Sequence[Word], rows: Sequence[str]) -> Iterator[Leak]:
        for at, stretch in enumerate(_stretches(rows)):
            if stretch in self._stretches:
                end = found[at + STRETCH - 1].end
                yield Leak(found[at].start, end, "words", " ".join(stretch))


class Mask:
    """Texts of one task with all data of it left out, the same by the same mark.

    The way in which a task asks stays: it is no data.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._marks: dict[tuple[str, str], str] = {}

    def __call__(self, text: str) -> str:
        """The text with marks such as [name A]; places that touch are one."""
        while leaks := self._leaks(text):
            marks = [(one, self._mark(one.kind, one.what)) for one in _merged(leaks)]
            for leak, mark in reversed(marks):
                text = f"{text[: leak.start]}{mark}{text[leak.end :]}"
            # What stood apart may stand together now.
        return text

    def _leaks(self, text: str) -> list[Leak]:
        found = self._secrets.leaks(text, every_word=True)
        return [leak for leak in found if leak.kind != "words"]

    def _mark(self, kind: str, what: str) -> str:
        number = len([1 for known, _ in self._marks if known == kind])
        return self._marks.setdefault((kind, what), f"[{kind} {_letters(number)}]")


def _merged(leaks: Sequence[Leak]) -> list[Leak]:
    merged: list[Leak] = []
    for leak in leaks:
        if merged and leak.end <= merged[-1].end:
            continue
        if merged and leak.start <= merged[-1].end + 1:
            last = merged[-1]
            said = dict.fromkeys([*last.what.split(" "), *leak.what.split(" ")])
            kind = last.kind if last.kind == leak.kind else "data"
            merged[-1] = Leak(last.start, max(last.end, leak.end), kind, " ".join(said))
        else:
            merged.append(leak)
    return merged


def _letters(number: int) -> str:
    return chr(65 + number) if number < 26 else _letters(number // 26 - 1) + chr(65 + number % 26)


def _texts(text: str) -> list[str]:
    return [word.text for word in words(text)]


def _stretches(rows: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(rows[at : at + STRETCH]) for at in range(len(rows) - STRETCH + 1))


def _mixed(code: str) -> bool:
    return len(code) > 4 and code.isalnum() and not code.isalpha() and not code.isdigit()


def _list_marks(text: str) -> frozenset[int]:
    """Where the numbers of a list stand that counts up from 1."""
    marks = [(int(m[1]), m.start(1)) for m in _LISTED.finditer(text)]
    counts = all(after in (before + 1, 1) for (before, _), (after, _) in pairwise(marks))
    return (
        frozenset(at for _, at in marks) if marks and marks[0][0] == 1 and counts else frozenset()
    )
