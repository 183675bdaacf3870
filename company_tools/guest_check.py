"""What a guest's answer must not hold: anything of the registry, and of pages that are not public.

Names, ids, addresses and codes are looked for in every text that the message may stand for: other
alphabets, look-alikes, digits for letters, letters apart or backwards, shifted alphabets, first
letters. A figure need not be known: a guest is told none but those of the task and dates.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex
from rapidfuzz import fuzz

from company_tools import listings
from company_tools.company_session import CompanySession, unless_refused
from company_tools.mentions import IN_WORDS, numbers
from company_tools.rule_book import Book
from company_tools.wiki_lines import context_of, lines_of
from company_tools.words import is_among, levelled, words
from core.erc3_client.own import company_models as wire

_EMAIL = regex.compile(
    r"(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]++\s*(?:@|\(at\)|\[at\])\s*[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+",
    regex.I,
)
_ID_LIKE = regex.compile(r"\p{L}_[\p{L}\p{N}]")
_DATE = regex.compile(
    r"\b(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?\p{L}{3,10}\.?,?\s(?:de\s)?(?:19|20)\d\d"
    r"|\p{L}{3,10}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d)\b|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b|\d{4}年\d{1,2}月\d{1,2}日"
)
_YEAR = range(1800, 2101)
_THOUSAND = regex.compile(
    r"thousand|tausend|duizend|tusen|tysi[aąe]c|tisíc|тысяч|[千万萬]", regex.I
)
_POWER = regex.compile(r"\d\s?(?:e\s?[+-]?\d|k\b|[x×*·]\s?10)", regex.I)
_PART = r"(?:\p{Lu}?[\p{Ll}\p{M}]{1,24}|\p{Lu}{1,3}|[\p{Lo}\p{M}]+)"
_WORD = regex.compile(rf"{_PART}(?:['’/.-]{_PART})*")
"""A plain word; a code, or what an encoding makes of a text, is none."""
_CLOCK = regex.compile(r"(?:[01]?\d|2[0-3])[:.][0-5]\d(?:[–-](?:[01]?\d|2[0-4])[:.][0-5]\d)?")
"""A time of day, or from one to another."""
_EDGES = ".,;:!?'’\"“”„«»()…–—-"
NUMBERS_AT_MOST = 2
"""Below 1,000, beside those of the task and dates: more may stand for letters."""
_CODE = regex.compile(r"[\p{L}\p{N}]+(?:[-_/.#:][\p{L}\p{N}]+)*")
_SPECIAL = regex.compile(r"\d|^\p{Lu}{4,}$|^\p{Lu}\p{L}*-\p{Lu}")
PUBLIC = "public guest visitor anonymous stranger outside website"
LEAST_LETTERS = 6
"""A name of fewer letters is looked for as words, not within others."""
LEAST_HIDDEN = 7
"""Of a name that is looked for in what a message may stand for."""
LEAST_SINGLE = 4
_SHORT_NAME = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}\p{L}{2}(?![\p{L}\p{N}])")
"""A part of a name with fewer letters is looked for where it is capitalised, as it stands."""
ALIKE = 90
LEAST_LEFT = 4
"""A message that has fewer letters beside the task's words tells nothing."""
PHRASE = 5
"""So many words in a row of a page that is not public are that page's."""
FIGURE = 1000
"""From here on a number is an amount or a code, unless it is a year, a date or the task's."""


@dataclass(frozen=True)
class Registry:
    """What a guest is not told, in the form in which it is compared."""

    people: list[wire.EmployeeBrief]
    projects: list[wire.ProjectDetail]
    customers: list[wire.CompanyDetail]
    closed: Mapping[str, str]
    """Pages, without the lines that speak of guests."""
    open: str
    """What may be said: the task's text and those lines."""

    @cached_property
    def hidden(self) -> dict[str, str]:
        """By their letters in a row what must not stand in an answer, with what it is."""
        hidden: dict[str, str] = {}
        contacts = [(one.primary_contact_name, one.primary_contact_email) for one in self.customers]
        for name, email in [*((one.name, one.email) for one in self.people), *contacts]:
            parts = levelled(name)
            for order in (parts, parts[::-1]):
                hidden["".join(order)] = "the name of a person"
            hidden["".join(levelled(email))] = "a mail address"
        for name in [*(one.name for one in self.customers), *(one.name for one in self.projects)]:
            hidden["".join(levelled(name))] = "the name of a customer or project"
        for id in self.ids:
            hidden["".join(levelled(id.replace("_", " ")))] = "an id"
        for code in self.codes:
            hidden["".join(levelled(code))] = "a code"
        return {run: what for run, what in hidden.items() if len(run) > 2}

    @property
    def ids(self) -> list[str]:
        """The ids of all records."""
        people, projects = [one.id for one in self.people], [one.id for one in self.projects]
        return [*people, *projects, *(one.id for one in self.customers)]

    @cached_property
    def codes(self) -> set[str]:
        """What looks like a code on pages that are not public."""
        words = {w.strip(".:") for text in self.closed.values() for w in _CODE.findall(text)}
        known = set(_CODE.findall(self.open))
        # A word in capitals is no code where it stands in small letters, too.
        plain = {w.upper() for w in words | known if w.isalpha() and not w.isupper()}
        return {
            word for word in words - known
            if len(word) >= LEAST_SINGLE and _SPECIAL.search(word) and word not in plain
            and not (word.isdigit() and int(word[:9]) in _YEAR)
        }  # fmt: skip

    @cached_property
    def name_parts(self) -> set[str]:
        """First names and surnames, and no word that is public."""
        public = {*levelled(self.open)}
        places = {w for one in self.people for w in levelled(one.location)}
        names = [one.name for one in self.people]
        names += [one.primary_contact_name for one in self.customers]
        return {part for name in names for part in levelled(name)} - public - places

    @cached_property
    def phrases(self) -> set[tuple[str, ...]]:
        """Words in a row of pages that are not public, and of what records say in words."""
        texts = [line for text in self.closed.values() for line in text.splitlines()]
        texts += [one.description for one in self.projects] + [one.brief for one in self.customers]
        own = set(_phrases(self.open))
        return {phrase for text in texts for phrase in _phrases(text)} - own


def leaks(
    message: str, session: CompanySession, task: str, pages: Mapping[str, str], book: Book | None
) -> list[str]:
    """What a message holds that a guest is not told, in words that do not repeat it.

    ``task``: its text. ``pages``: the wiki; ``book``: its rules as a model has read them. Where the
    system refuses to list its records, any mail address and any id is one. Raises OutOfReach: the
    registry cannot be compared.
    """
    if _is_plain(message, task):
        return []
    closed, public = _parted(pages, book or (), task)

    def registry() -> Registry:
        """Whatever has an id. Compared only; none of it reaches a model."""
        listings.read_ahead(session, listings.EMPLOYEES, listings.PROJECTS, listings.CUSTOMERS)
        people, customers = listings.employees(session), listings.whole_customers(session)
        return Registry(people, listings.whole_projects(session), customers, closed, public)

    known = unless_refused(registry, Registry([], [], [], closed, public))
    held = dict.fromkeys(_found(message, known))
    addresses = _EMAIL.findall(visible(message))
    if "@" in _EMAIL.sub(" ", visible(message)) or any(one not in public for one in addresses):
        held["a mail address"] = None
    if not known.people and _ID_LIKE.search(message):
        held["an id"] = None
    return list(held)


def _is_plain(message: str, task: str) -> bool:
    """Whether a message has nothing but dates, words of the task and a short word such as yes."""
    if len(message) > 400:
        return False
    rest = _DATE.sub(" ", visible(message))
    own = {*levelled(task)}
    left = [word for word in levelled(rest) if word not in own]
    return not regex.search(r"\d", "".join(left)) and len("".join(left)) < LEAST_LEFT


def _parted(pages: Mapping[str, str], book: Book, task: str) -> tuple[dict[str, str], str]:
    """Pages without what they say of guests, and that with the task's text."""
    public = {line for path, text in pages.items() for line in _public(path, text, book)}
    closed = {
        path: "\n".join(line for line in text.splitlines() if line.strip() not in public)
        for path, text in pages.items()
    }
    return closed, "\n".join([task, *public])


def _public(path: str, page: str, book: Book) -> Iterator[str]:
    """The lines of a page for people outside, by a word for them or by a model's reading.

    With what opens a list, and with a question's answer.
    """
    words, rows, lines = PUBLIC.split(), page.splitlines(), lines_of(page)
    open_by_book = {rule.number for rule in book if rule.page == path and rule.opens_to_guests}
    for line in lines:
        have = levelled(f"{context_of(page, line)} {line.text}")
        if line.number in open_by_book or any(is_among(word, have) for word in words):
            yield from (rows[lines[n - 1].row - 1].strip()[:CHARS_AT_MOST] for n in line.needs)


def _is_unreadable(text: str, known: Registry) -> bool:
    """Whether a text holds more than plain words, a few small numbers, and what may be told."""
    own = {token.strip(_EDGES) for token in known.open.split()}
    tokens = _DATE.sub(" ", text).split()
    others = [bare for token in tokens if (bare := token.strip(_EDGES)) and bare not in own]
    few = [bare for bare in others if bare.isdigit() or _CLOCK.fullmatch(bare)]
    signs = [token for token in tokens if not token.strip(_EDGES)]
    strange = any(bare not in few and not _WORD.fullmatch(bare) for bare in others)
    return strange or max(len(few), len(signs)) > NUMBERS_AT_MOST


def _found(message: str, known: Registry) -> Iterator[str]:
    texts = spoken(message)
    if _is_unreadable(texts[0], known):
        yield "what is no plain words"
    yield from _figures(texts[0], known)
    plain = runs(texts[0])[0]
    for n, text in enumerate(texts):
        words, rows = f" {' '.join(levelled(text))} ", runs(text)
        for hidden, what in known.hidden.items():
            if len(hidden) >= LEAST_HIDDEN:
                within = any(hidden in row for row in rows)
            else:
                within = n == 0 and len(hidden) >= LEAST_LETTERS and hidden in plain
            if within or (len(hidden) < LEAST_HIDDEN and f" {hidden} " in words):
                yield what
        if {part for part in known.name_parts & {*words.split()} if len(part) >= LEAST_SINGLE}:
            yield "the name of a person"
        if known.phrases & set(_phrases(text)):
            yield "words of a page or record that is not public"
    for one in known.people:
        name = "".join(levelled(one.name))
        near = fuzz.partial_ratio(name, plain) >= ALIKE
        if near and LEAST_HIDDEN < len(name) <= len(plain):
            yield "the name of a person"
    # Those of three letters, which other words become by chance.
    if known.name_parts & {*levelled(" ".join(_SHORT_NAME.findall(texts[0])))}:
        yield "the name of a person"


def _figures(text: str, known: Registry) -> Iterator[str]:
    """Amounts, in digits, digits apart, words or other notations."""
    bare = _DATE.sub(" ", text)
    allowed = numbers(known.open)
    salaries = {str(one.salary) for one in known.people if one.salary}
    for number in numbers(bare):
        if number >= FIGURE and number not in allowed and int(number) not in _YEAR:
            yield "a figure"
        if str(int(number)) in salaries:
            yield "a salary"
    if _POWER.search(bare):
        yield "a figure"
    if _THOUSAND.search(bare) and not _THOUSAND.search(known.open):
        yield "a figure in words"
    public_rows = _digits_in_a_row(known.open)
    for row in _digits_in_a_row(bare):
        if _is_within(row, public_rows):
            continue
        if any(s in row or s[::-1] in row for s in salaries if len(s) > 3):
            yield "a salary"
        if len(row) >= LEAST_SINGLE and row not in bare and float(row[:15]) not in allowed:
            yield "digits that may stand for a figure"


def _is_within(row: str, others: Iterable[str]) -> bool:
    return any(row in other for other in others)


def _digits_in_a_row(text: str) -> list[str]:
    """The digits of a text, spelt ones too, in rows that only a longer word parts."""
    spelt = [str(IN_WORDS.get(word, word)) for word in levelled(text)]
    kept = (word if word.isdigit() else "|" if len(word) > 3 else "" for word in spelt)
    return "".join(kept).split("|")


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    words = levelled(text)
    return (words[n : n + PHRASE] for n in range(len(words) - PHRASE + 1))


CHARS_AT_MOST = 6_000
"""Of a text; one to a guest is never so long."""
_CYRILLIC = dict(zip("абвгдезийклмнопрстуфхыэіїєґ", "abvgdezijklmnoprstufhyeiieg", strict=True)) | {
    "ж": "zh", "ц": "c", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "ju", "я": "ja",
    "ё": "e",
}  # fmt: skip
_GREEK = dict(zip("αβγδεζηικλμνξοπρσςτυφω", "abgdeziiklmnxoprsstyfo", strict=True)) | {
    "θ": "th", "χ": "ch", "ψ": "ps",
}  # fmt: skip
_LOOKS = dict(
    zip("авсеіјкмнпорѕтухгԁԛѡαεικμνορτυχ", "abceijkmhnopstyxrdqwaeikuvoptux", strict=True)
)
_LEET = str.maketrans("0134578@$!|€", "oieastbasile")
_LETTER = regex.compile(r"(?:LETTER|CAPITAL|SMALL|SYMBOL LETTER) ([A-Z])$")
_SHIFTS = range(1, 26)


def visible(text: str) -> str:
    """A text without characters that nobody sees, which part words for a reader of bytes alone."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(_plain(c) for c in plain if unicodedata.category(c) not in ("Cf", "Me", "Mn"))


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character as its letter or digit, where its name says which one it is."""
    if char.isascii():
        return char
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    match = _LETTER.search(unicodedata.name(char, ""))
    if match and not char.isalpha():
        return match[1].casefold()
    return match[1].casefold() if match and "LATIN" in unicodedata.name(char, "") else char


def spoken(text: str) -> list[str]:
    """The text without what nobody sees, and each other text of words that it may stand for."""
    base = visible(text[:CHARS_AT_MOST])
    texts = [base, _mapped(base, {**_CYRILLIC, **_GREEK}), _mapped(base, _LOOKS)]
    texts.append(base.casefold().translate(_LEET))
    texts.append(" ".join(word[::-1] for word in base.split()))
    texts += [_shifted(base, by) for by in _SHIFTS]
    texts.append(base.translate(_MIRROR))
    return list(dict.fromkeys(texts))


_MIRROR = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA",
)


def runs(text: str) -> list[str]:
    """The letters and digits of a text in a row: as they stand, backwards, and picked apart."""
    whole = "".join(levelled(text))
    letters = "".join(words(text))
    # Whoever inserts letters may do so between words too, so blanks count or do not.
    picked = [
        "".join(levelled(chars[start::step]))
        for chars in (letters, text) for step in (2, 3) for start in range(step)
    ]  # fmt: skip
    parts = regex.findall(r"[\p{L}\p{N}]+", text)
    initials = "".join("".join(levelled(part[:1])) for part in parts)
    last = "".join("".join(levelled(part[-1:])) for part in parts)
    single = "".join(c for n, c in enumerate(whole) if n == 0 or whole[n - 1] != c)
    return [run for one in (whole, single, *picked, initials, last) for run in (one, one[::-1])]


def _mapped(text: str, letters: dict[str, str]) -> str:
    return "".join(letters.get(c, c) for c in text.casefold())


def _shifted(text: str, by: int) -> str:
    return "".join(
        chr((ord(c) - base + by) % 26 + base)
        if c.isascii() and c.isalpha() and (base := 65 if c.isupper() else 97)
        else c
        for c in text
    )
