"""The rules of a wiki's version, read once by a model and kept: which lines decide, for whom.

A model names lines; what they say is always taken from the page. A reference whose first words do
not stand where it points is dropped, so that no rule is ever a model's own words.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import regex

from company_tools.wiki_lines import lines_of
from company_tools.wiki_store import Pages, hash_of
from company_tools.words import within
from core.models.kept_files import read_kept, write_kept
from core.models.model_client import ModelClient
from core.models.prompt_json import as_data
from core.models.reprompt import ask_once
from core.models.tokens import count_text

FOLDER = "rules"
FORMAT = "rule-book/4"
BOOKS_AT_MOST = 256
"""On disk; the oldest go first."""
PART_TOKENS = 6_000
RULES_AT_MOST = 150
WORDS_CHARS, ABOUT_CHARS = 60, 200
FAILURES_AT_MOST = 2
NEAR = (0, 1, -1, 2, -2)
"""Where the words of a reference may stand beside the line that it names."""
TOPICS = (
    "pay, hours, status, team, load, skills, notes, records, contacts, customers, projects, pages, "
    "places, date, systems, identity, all"
)
"""What the prompts that read rules and tasks call the subjects of both, in any language."""
_AT = regex.compile(r"(\d{1,4})\s*[:./]\s*(\d{1,5})")


class Rule(NamedTuple):
    """Where a line stands that gives or refuses a right, or sets a threshold, a form or a duty."""

    page: str
    number: int
    """As in :mod:`company_tools.wiki_lines`."""
    who: str
    about: str
    does: str = ""
    """What it lets them do: change, change own, see or refuse; "": it defines or demands."""

    @property
    def opens_to_guests(self) -> bool:
        """Whether it lets people see something who are not signed in."""
        groups = {part.strip().casefold() for part in self.who.split(",")}
        return "see" in self.does.casefold() and not groups.isdisjoint({"guest", "anybody"})


Book = tuple[Rule, ...]


def read_book(client: ModelClient, system: str, pages: Pages) -> tuple[Book | None, str]:
    """The rules of all pages as a model names them, and ""; else None, and why there are none."""
    rules: list[Rule] = []
    for part in _parts(pages):
        user = f"<pages>\n{as_data(part)}\n</pages>"
        read, failed = ask_once(client, system, user, ["rules"], lambda reply: _rules(reply, pages))
        if read is None:
            return None, failed
        rules += read
    # Without a rule it would only hide what code finds.
    return (tuple(dict.fromkeys(rules)), "") if rules else (None, "the reply names no rule")


def _parts(pages: Pages) -> Iterator[str]:
    """The numbered lines of all pages, parted where they are long."""
    held, tokens = "", 0
    for number, (path, page) in enumerate(pages.items(), start=1):
        title = f"== {number} {path} ==\n"
        held += title
        for line in lines_of(page):
            text = f"{line.number} {line.text}\n"
            tokens += count_text(text)
            if tokens > PART_TOKENS:
                yield held
                held, tokens = title, count_text(text)
            held += text
    if held.strip():
        yield held


def _rules(reply: dict[str, object], pages: Pages) -> list[Rule]:
    """The references of a reply whose words stand where they point. Raises ValueError."""
    rows = reply["rules"]
    if not isinstance(rows, list):
        raise ValueError("rules is no list")
    paths = list(pages)
    rules = (_rule(row, paths, pages) for row in rows[:RULES_AT_MOST])
    return [rule for rule in rules if rule]


def _rule(row: object, paths: Sequence[str], pages: Pages) -> Rule | None:
    if not isinstance(row, list) or len(row) < 3:
        return None
    at, first, who, about, does = [*map(_short, row), "", ""][:5]
    first = first[:WORDS_CHARS]
    place = _AT.fullmatch(at)
    if place is None or not 1 <= int(place[1]) <= len(paths):
        return None
    path, number = paths[int(place[1]) - 1], int(place[2])
    lines = lines_of(pages[path])
    for near in (number + step for step in NEAR):
        if 1 <= near <= len(lines) and within(first, lines[near - 1].text):
            return Rule(path, near, who, about, does) if lines[near - 1].rules else None
    return None


def _short(text: object) -> str:
    shown = ", ".join(map(str, text)) if isinstance(text, list) else str(text)
    return " ".join(shown.split())[:ABOUT_CHARS]


class RuleBooks:
    """The books of a run by what the pages hold; kept on disk by model and prompt, too.

    Used from many threads: who comes second waits for the first one's answer.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """``folder``: a cache beyond the run; None keeps books in memory alone."""
        self._folder = folder / FOLDER if folder else None
        self._known: dict[str, Book] = {}
        self._failed: Counter[str] = Counter()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def book(self, client: ModelClient, system: str, pages: Pages) -> tuple[Book | None, str]:
        """The book of these pages, read where it is not known; or None, and why there is none."""
        version = hash_of(pages)
        with self._lock:
            own = self._locks[version]
        with own:
            if book := self._known.get(version):
                return book, ""
            if self._failed[version] >= FAILURES_AT_MOST:
                return None, "the rules of this version could not be read before"
            named = json.dumps([version, client.model, system])
            key = hashlib.sha256(named.encode("ascii")).hexdigest()
            book, failed = self._kept(key, pages), ""
            if book is None:
                book, failed = read_book(client, system, pages)
                if book and self._folder:
                    text = json.dumps({"format": FORMAT, "key": key, "rules": book})
                    write_kept(self._folder / f"{key}.json", text.encode("ascii"), BOOKS_AT_MOST)
            if book is None:
                self._failed[version] += 1
            else:
                self._known[version] = book
            return book, failed

    def known(self, pages: Mapping[str, str]) -> Book | None:
        """What a model has read of these pages in this run; None: nothing."""
        return self._known.get(hash_of(pages))

    def _kept(self, key: str, pages: Mapping[str, str]) -> Book | None:
        """The book on disk; None where there is none, or it does not fit these pages."""
        content = read_kept(self._folder / f"{key}.json") if self._folder else None
        try:
            data = json.loads(content or b"")
            rules = tuple(Rule(str(p), int(n), *map(str, rest)) for p, n, *rest in data["rules"])
            fits = data["format"] == FORMAT and data["key"] == key
            fits = fits and all(1 <= r.number <= len(lines_of(pages[r.page])) for r in rules)
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        return rules if fits else None
