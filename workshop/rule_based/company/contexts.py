"""Of whom the sentences of a page speak: by their own subject, else by what stands over them.

A heading, a line `Who: …` or the sentence before says who is meant by `you`, `they` and by entries
without a subject.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from workshop.rule_based.company.patterns import P, cased, caseless
from workshop.rule_based.company.rule_text import Group
from workshop.rule_based.company.things import READ, THINGS, WRITE
from workshop.rule_based.company.tickets import sentences

YOU = "Staff, of their own"
"""Whoever reads a page that says `you` and is about nobody else: only what is their own counts."""


def contexts(policy: str) -> Iterator[Group]:
    """The groups of all pages, each with the sentences that speak of it."""
    named = {_name(s) for s in sentences(policy) if s[:1].isupper()} - {""}
    for page in cased(rf"(?m){P['page'].pattern}").split(policy):
        found: dict[str, Group] = {}
        sure = {"Nobody", *(plain_name(w["who"]) for w in P["who_line"].finditer(page))}
        for title, said in _of_page(page, named):
            if P["nobody_title"].search(title):
                title, said = "Nobody", f"May not {said}"
            if (title[:1].isupper() or of_lexicon(title)) and not is_thing(title):
                found.setdefault(
                    title, Group(title, sure=title in sure)
                ).body += f"\n{said.strip(' ,')}"
        yield from found.values()


def _of_page(page: str, named: set[str]) -> Iterator[tuple[str, str]]:
    """Each sentence with whom it speaks of; `you`: whoever reads it."""
    heading, over, spoken, before = "", "", "", False
    for line in page.splitlines():
        top = cased(r"#{1,6}\s+(.+)").match(line)
        who = P["who_line"].match(line)
        if top or who:
            heading = plain_name(top[1]) if top else heading
            over = (
                plain_name(who["who"]) if who and not P["namesake"].search(who["who"]) else heading
            )
            spoken, before = over, False
            continue
        entry = cased(r"\s*(?:[-*]|\d+(?:\.\d+)*[.)]?)\s+").match(line)
        if not line.strip() or entry:
            spoken, before = over, False
        for sentence in sentences(line[entry.end() :] if entry else line):
            if line.lstrip().startswith(("|", "**")) or sentence.endswith("?"):
                continue
            subject, said = _subject(sentence.strip(" *_"))
            if (
                entry
                and subject[:1].isupper()
                and not (
                    of_lexicon(cased(r"\b(?:of|for|to|about)\b").split(subject)[0])
                    or subject in named
                )
            ):
                subject, said = "", sentence
            if subject == "you":
                spoken = spoken if before and spoken else over if _is_actor(over, named) else YOU
            elif subject == "they":
                spoken = spoken if before else over
            elif subject:
                spoken = subject
            elif not entry and before and not P["bare_start"].match(said):
                spoken = ""
            before = True
            if spoken:
                yield spoken, said


@lru_cache(maxsize=4096)
def _subject(sentence: str) -> tuple[str, str]:
    """A sentence's subject, `you` or `they` for what goes by the context, and what is said of it."""
    bare = caseless(
        rf"(?:{WRITE}|{READ}|open|may|can|cannot|no|not|never|nothing)(?:e?s)?\b"
    ).match(sentence)
    when = cased(r"(?:If|When|As|Once|Whoever|While|Leading)\b[^.;]{3,80}?,").match(sentence)
    if when and caseless(r"\b(?:you|whoever|somebody)\b").search(when[0]) and of_lexicon(when[0]):
        return when[0].strip(" ,"), sentence[when.end() :]
    hit = None if bare else P["head"].match(sentence)
    if hit is None:
        return "", sentence
    head, rest = hit["head"].strip(" ,"), sentence[hit.end("head") :]
    if caseless(r"(?:if|when|unless|should|what|which|how)\b").match(head):
        return "", sentence
    after = caseless(
        r"(?P<when>(?:after|before|during) (?:an?|the|each|every) \w+),? (?P<who>.+)$"
    ).match(head)
    if after:
        subject, _ = _subject(f"{after['who']}{rest}")
        return subject, f"{rest} {after['when'].lower()}"
    if own := P["of_us"].match(head):
        return ("employees" if own["us"] else own["pronoun"].lower()).replace("it", "they"), rest
    if caseless(r"(?:(?:so|and|also|both|these|he|she|or|it|they) ?)+").fullmatch(head):
        return "they", rest
    return plain_name(head), rest


@lru_cache(maxsize=4096)
def of_lexicon(text: str) -> bool:
    """Whether a text names people by what they are, not by a department's name."""
    return any(P[x].search(text) for x in ("lead", "account", "guest", "staff", "outsider"))


def _is_actor(title: str, named: set[str]) -> bool:
    return of_lexicon(title) or title in named


@lru_cache(maxsize=4096)
def is_thing(title: str) -> bool:
    """Whether a title names only what rights are of."""
    return any(caseless(rf"(?:{t.name})(?-i:s|es)?").fullmatch(title) for t in THINGS.values())


def _name(sentence: str) -> str:
    """The proper name that is a sentence's subject."""
    subject, _ = _subject(sentence.strip("-* _"))
    return subject if subject[:1].isupper() else ""


@lru_cache(maxsize=4096)
def plain_name(who: str) -> str:
    """A group's name alone: of `everybody in the Board Office`, `the Ledger`, `Tier 2: Desks`."""
    who = caseless(
        r"^(?:tier|level|group|class|rank|circle|ring|zone|step|grade|role|part)\s+\w+\s*[:.–—-]\s*"
    ).sub("", who.strip(" *_"))
    inner = P["those_of"].search(who)
    name = inner["name"] if inner else who
    return caseless(r"^(?:only|the|our|an?|every|each|any)\s+").sub("", name).strip(" *._:")
