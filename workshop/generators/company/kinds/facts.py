"""Tasks about public facts and about the pages of the wiki."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from workshop.generators.company.policy import Right
from workshop.generators.company.tables import table
from workshop.generators.company.task import (
    Answer,
    Draft,
    Event,
    TaskBuilder,
    Words,
    anywhere,
    kind,
)

_YES_NO_AND_OR = {
    "en": ("Yes", "No", "and", "or"),
    "de": ("Ja", "Nein", "und", "oder"),
    "fr": ("Oui", "Non", "et", "ou"),
    "es": ("Sí", "No", "y", "o"),
    "zh": ("是", "否", "和", "或"),
}
_FORMATS = {
    "DD.MM.YYYY": "%d.%m.%Y",
    "YYYY/MM/DD": "%Y/%m/%d",
    "DD-MM-YYYY": "%d-%m-%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
    "YYYYMMDD": "%Y%m%d",
}


def _public(t: TaskBuilder, right: Right, answer: Answer, **words: str) -> Draft:
    """What the public may ask is mostly asked by the public."""
    needs = anywhere(right)
    if t.mode == "guest" or (t.may(None, needs) and t.rng.randrange(3)):
        t.twist("guest")
        return Draft(None, needs, answer, words)
    return t.ask(needs, answer, **words)


def _places(t: TaskBuilder) -> tuple[list[str], list[str]]:
    """Our towns and countries with what others call them; and places where we are not."""
    t.reads("site")
    ours = sorted({name for names in t.firm.places.values() for name in names})
    towns = [name for pair in table("regions")["customers"]["towns"] for name in pair]
    return ours, [t.plan.closed, *(name for name in towns if name not in ours)]


def _yes_or_no(t: TaskBuilder, holds: bool, proof: str) -> Answer:
    """The right word. A no may go on with what is true, a yes has no need of a no."""
    yes, no, *_ = _YES_NO_AND_OR[t.language]
    return Answer(proof, contains=(yes if holds else no,), excludes=(no,) if holds else ())


@kind("public", 4)
def place(t: TaskBuilder) -> Draft:
    """One town or country, ours or not, in any spelling."""
    ours, theirs = _places(t)
    name = t.pick((t.pick(ours), t.pick(theirs)))
    traps = [one for one in ours if _YES_NO_AND_OR[t.language][1] in one]
    if traps and t.chance(2):
        name = t.pick(traps)
        t.twist("no-in-yes")
    spellings = {also for names in t.firm.places.values() for also in names[2:]}
    t.twist("spelling", when=name in spellings)
    answer = _yes_or_no(t, name in ours, f"{name} is {'' if name in ours else 'not '}ours.")
    return _public(t, "place", answer, place=name)


@kind("public", 3)
def two_places(t: TaskBuilder) -> Draft:
    """Both, or either."""
    either, (ours, theirs) = t.chance(2), _places(t)
    one = t.pick(ours)
    other = t.pick(t.pick((theirs, [name for name in ours if name != one])))
    one, other = t.rng.sample((one, other), 2)
    known = [name in ours for name in (one, other)]
    t.twist("places-any" if either else "places-all")
    answer = _yes_or_no(t, any(known) if either else all(known), f"{one}, {other}: ours {known}.")
    join = _YES_NO_AND_OR[t.language][3 if either else 2]
    return _public(t, "place", answer, one=one, other=other, join=join)


@kind("public", 4)
def date_counted(t: TaskBuilder) -> Draft:
    """So many days from today, in a format that the text gives."""
    days, shape = t.pick((3, 7, 10, 14, 21, 30)), t.pick(sorted(_FORMATS))
    ahead = t.chance(2)
    day = t.today + timedelta(days=days if ahead else -days)
    t.twist("date-format")
    answer = Answer(f"{t.today} and {day}.", contains=(day.strftime(_FORMATS[shape]),))
    words = {"ahead": "in " * ahead, "ago": " ago" * (not ahead)}
    return _public(t, "date", answer, days=str(days), format=shape, **words)


@kind("wiki-read", 3)
def page_about(t: TaskBuilder) -> Draft:
    """The page whose section explains something."""
    topic = t.pick(sorted(t.plan.book.topics))
    path = t.plan.book.topics[topic]
    answer = Answer(f"{path} explains {topic}.", {"wiki": [path]}, contains=(path,))
    return t.ask(anywhere("wiki_read"), answer, topic=topic)


def _saved(pages: Mapping[str, object]) -> list[Event]:
    """The events of pages saved with these contents."""
    event = {"type": "Evt_WikiArticleUpdated"}
    return [{**event, "file": path, "content": content} for path, content in pages.items()]


@kind("write-wiki")
def rename_page(t: TaskBuilder) -> Draft:
    """The same bytes, blanks at the ends of lines too, under the new path; the old one emptied."""
    old = t.pick([path for path, text in t.firm.wiki.items() if "  \n" in text])
    new = f"{t.pick(('museum', 'box', 'cellar'))}/{old.rpartition('/')[2]}"
    t.twist("bytes", "rename")
    events = _saved({new: t.firm.wiki[old], old: ""})
    answer = Answer(f"{old} moves.", {"wiki": [new]}, may_link={"wiki": [old]}, events=events)
    return t.ask(anywhere("wiki_write"), answer, old=old, new=new)


@kind("write-wiki")
def delete_page(t: TaskBuilder) -> Draft:
    """A page that nobody needs, saved empty."""
    path = t.pick([path for path, text in t.firm.wiki.items() if "  \n" in text])
    t.twist("delete")
    answer = Answer(f"{path} is saved empty.", {"wiki": [path]}, events=_saved({path: ""}))
    return t.ask(anywhere("wiki_write"), answer, path=path)


@kind("write-wiki", 1)
def write_page(t: TaskBuilder) -> Draft:
    """A page in plain words, out of another, that has to use some words."""
    words = ("draft", "voided", "customer_project", "internal")
    source = t.pick([p for p, text in t.firm.wiki.items() if all(word in text for word in words)])
    path = f"{t.pick(('guides', 'kids', 'trainees'))}/hours_in_short.md"
    t.twist("prose")
    events = _saved({path: {"contains": list(words)}})
    proof = f"{source} explains {', '.join(words)}."
    answer = Answer(proof, {"wiki": [path]}, may_link={"wiki": [source]}, events=events)
    return t.ask(anywhere("wiki_write"), answer, words=", ".join(words), path=path)


@kind("write-wiki")
def pages_each(t: TaskBuilder) -> Draft:
    """A page for each customer, or for each Lead, those of archived projects and ideas too."""
    folder, content = t.pick(("album", "desk", "sheets")), t.pick(("SOON", "TODO", "to come"))
    leads, customers = {p.lead for p in t.firm.projects}, {c.id for c in t.firm.customers}
    whom, id_, ids = t.pick(
        [
            ("of our customers", "CUSTOMER_ID", customers),
            ("person who leads a project, whatever became of it", "EMPLOYEE_ID", leads),
        ]
    )
    t.twist("multi", "bytes")
    pages = {f"{folder}/{one}.md": content for one in sorted(ids)}
    answer = Answer(f"There are {len(ids)}.", {"wiki": [*pages]}, events=_saved(pages))
    words: Words = {"whom": whom, "folder": folder, "id": id_, "content": content}
    return t.ask(anywhere("wiki_write"), answer, **words)
