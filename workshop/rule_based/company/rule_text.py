"""Sentences of a policy: whose right they speak of, what they give and what they refuse."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from workshop.rule_based.company.patterns import P, cased, caseless
from workshop.rule_based.company.things import CHANGES, EVERY, LOOK, READ, THINGS, WRITE, meant
from workshop.rule_based.company.tickets import sentences, speaks_of_ticket

_YES = frozenset({"yes", "y", "x", "✓", "✔", "may", "allowed", "full"})
_NO = frozenset({"no", "n", "-", "–", "—", "✗", "✘", "", "never", "denied"})


@dataclass
class Group:
    """Whoever a title speaks of, and what the sentences below it give and refuse."""

    title: str
    body: str = ""
    entry: str = ""
    """The sentence of an entry that names the action first."""
    sure: bool = False
    """Whether a line of its own says who is meant, so that what stands below is about nobody else."""
    may: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    by: dict[str, list[str]] = field(default_factory=dict)
    """The sentences that give each right."""


def groups(policy: str) -> Iterator[Group]:
    """The groups that headings, list entries, tables, paragraphs and single sentences speak of."""
    group, header = Group(""), list[str]()
    lines, above = policy.splitlines(), ""
    letters = cased(r"\bR\b\s*=[^.]*\bW\b\s*=").search(policy) is not None
    for at, line in enumerate(lines):
        if P["page"].match(line):
            yield group
            group, header, above = Group(""), [], ""
            continue
        if line.lstrip().startswith("|"):
            cells = [c.strip(" *`") for c in line.strip().strip("|").split("|")]
            if header and len(cells) == len(header):
                at_head = 1 if header[0] in ("#", "") else 0
                row = _letters if letters else _row
                yield Group(cells[at_head], row(header[at_head:], cells[at_head:]))
            header = header or cells
            continue
        header = []
        if P["action"].match(line) and (
            named := list(_by_action(line, _below(lines[at + 1 :]), above))
        ):
            yield from (group, *named)
            group = Group("")
            continue
        title = P["title"].match(line)
        entry = cased(r"\s*(?:[-*]|\d+[.)])\s").match(line)
        if line.strip() and not entry:
            above = line
        if title:
            yield group
            name = title["a"] or title["b"] or title["c"] or ""
            group = Group(name.strip(" *.:"), title["b2"] or title["c2"] or "")
        elif not line.strip() and group.body.strip():
            yield group
            group = Group("")
        elif group.title:
            # Of `- may see …` and `- may not change …` each is a sentence, also without a full stop.
            group.body += ("\n" if entry else " ") + line.strip()
        else:
            yield from _by_subject(line.strip())
    yield group
    for sentence in sentences(cased(r"(?m)^\s*(?:[-*]\s+)?\*\*.+?\*\*[.:]?").sub("", policy)):
        yield from _spoken_of(sentence)


def _spoken_of(sentence: str) -> Iterator[Group]:
    """Whose rights a sentence speaks of by itself: `X may …`, `… may be seen by X and Y`."""
    if "|" in sentence:
        return
    subject = P["subject"].match(sentence)
    if subject and not caseless(
        r"\b(?:not(?! signed| logged| known)|never|no|nobody|none)\b"
    ).search(subject["who"]):
        yield Group(subject["who"].strip(" *"), sentence[subject.end("who") :])
    passive = P["passive"].match(sentence)
    if passive and passive["decided"] and "pay" in _things(passive["what"]):
        return  # Who decides on a raise does not enter it.
    for who in cased(r",| and | or ").split(passive["who"]) if passive else []:
        # What is done by saving or by a click is done by nobody who could have a right.
        if passive and not P["nobody"].search(who) and not P["means"].match(who):
            name = cased(r"\b(?:by|only|the|to|for)\b").sub(" ", who).strip(" .*")
            yield Group(name, f"May {'see' if passive['read'] else 'change'} {passive['what']}")


def _things(text: str) -> set[str]:
    return {kind for kind, thing in THINGS.items() if caseless(thing.name).search(text)}


def _below(lines: list[str]) -> str:
    """The lines that go on with an entry."""
    more = itertools.takewhile(
        lambda x: x[:1].isspace() and x.strip() and not P["title"].match(x), lines
    )
    return " ".join(x.strip() for x in more)


def _by_action(line: str, below: str, above: str) -> Iterator[Group]:
    """The groups that an entry names behind what is done; ``above``: what stands over the list.

    What narrows the action or the groups and is not understood makes a condition of it: it stops
    changes.
    """
    refusing = caseless(
        r"\b(?:not|no|never|nobody|cannot|forbid\w*|refus\w+|den(?:y|ied))\b|n['’]t\b"
    ).search(above)
    refusing = refusing if above.startswith("#") or above.rstrip().endswith(":") else None
    narrowed = (
        P["narrowing"].search(above)
        if above.startswith("#") or ":" in above
        else P["strong"].search(above)
    )
    told = sentences(f"{line} {below}".rstrip())
    parts = [
        p
        for s in told
        if (p := cased(r"(?P<what>[^:]+?):\**\s*(?P<who>.+)").fullmatch(s.strip(" *-")))
    ]
    hedged = bool(refusing or narrowed or len(parts) != len(told))
    before, same = "", list[str]()
    for part in parts:
        what = cased(r"^\d+[.)]\s*").sub("", part["what"]).strip(" *")
        if caseless(r"\b(?:them|it)$|^any other\b").search(what) and before:
            thing = caseless(rf"^(?:(?:{WRITE}|{READ}|or|and|archive),? )+").sub("", before)
            what = cased(r"\b(?:them|it)$").sub(thing, caseless(r"^any").sub("change any", what))
        who, before = part["who"].strip(" .*"), what
        who = cased(r"^(?:nobody|no one)(?: else)? (?:but|except|other than)\b").sub("", who)
        if caseless(r"(?:nobody|no one|none)\b").match(who):
            yield Group("Nobody", f"May not {what}.", part[0])
            continue
        named, unsure = _actors(who, same)
        if named is None:
            return
        write = caseless(rf"(?:{WRITE}|archive)\b").match(what)
        open_ = hedged or unsure or bool(write and not P["plain_action"].fullmatch(what))
        if write and open_ and caseless(r"approv|consent|deci|agree|everything").search(what):
            return
        same = named
        for name in named:
            yield Group(
                name,
                f"May {'not ' if refusing else ''}{what}{', if so' if open_ else ''}.",
                part[0],
            )


def _actors(who: str, same: list[str]) -> tuple[list[str] | None, bool]:
    """Those whom an entry names, and whether something about them is not understood."""
    named, unsure = list[str](), False
    for part in cased(r"\s*(?:[,;]|\band\b|\bor\b)\s*").split(who):
        actors = P["actors"].fullmatch(part)
        if cased(r"the same(?: people| groups?)?").fullmatch(part):
            named += same
        elif actors:
            named.append(actors["name"])
        elif cased(r"\b(?:not|no|never|but|except|without|save|unless)\b").search(part):
            return None, True
        elif part and not cased(r"(?:nobody|no one) else|as drafts?").fullmatch(part):
            unsure = True
    return named, unsure


def _by_subject(paragraph: str) -> Iterator[Group]:
    """The groups that a paragraph without a title speaks of, each with the sentences about it."""
    group = Group("")
    for sentence in sentences(paragraph):
        subject = P["subject"].match(sentence)
        if subject:
            yield group
            group = Group(subject["who"].strip(" *"))
        elif not P["continued"].match(sentence):
            yield group
            group = Group(" ".join(sentence.split()[:4]))
        if (
            subject
            or P["continued"].match(sentence)
            or (P["negative"].search(sentence) and not P["positive"].search(sentence))
        ):
            group.body += f" {sentence}"
    yield group


def _row(header: list[str], cells: list[str]) -> str:
    """A row of a table of rights as sentences; "" where the table is of something else."""
    said = []
    for name, cell in zip(header[1:], cells[1:], strict=True):
        if cell.lower() in _YES | _NO:
            said.append(f"{'Not' if cell.lower() in _NO else 'May'}: {name}.")
        elif caseless(r"not\b|refused|never|forbidden|denied").search(name):
            said.append(f"May not {cell}.")
        elif (verb := _column(name)) and "may" not in name.lower():
            said += [f"May {verb} {part.strip(' +')}." for part in cell.split(";")]
        elif caseless(r"\bmay\b|allowed|\bcan\b|rights?\b|granted").search(name):
            said.append(f"May {cell}.")
    return " ".join(said)


def _letters(header: list[str], cells: list[str]) -> str:
    """A row whose cells hold R and W, each perhaps with what alone is meant: `own R, status W`."""
    said = []
    for name, cell in zip(header[1:], cells[1:], strict=True):
        for part in cell.split(","):
            hit = cased(r"\s*(?P<of>\p{Ll}[\p{Ll} ]*?)?\s*(?P<letters>RW|R|W)\s*").fullmatch(part)
            if hit is None:
                said.append(f"May not see {cased(r'[(].*[)]').sub('', name)}.")
                continue
            bare, whole = cased(r"\(.*\)").sub("", name), cased(r"[()]").sub(",", name)
            of = hit["of"] or ""
            thing = {"own": f"their own {bare}", "team": f"draft {bare}", "": whole}.get(of, of)
            for letter in hit["letters"]:
                said.append(f"May {'see' if letter == 'R' else 'change'} {thing}.")
    return " ".join(said)


def _column(name: str) -> str:
    """What those may do with a column's cells who stand at the head of a row."""
    if caseless(r"\b(?:looks?|sees?|reads?|views?|hears?)\b").search(name):
        return "see"
    return "change" if caseless(r"\b(?:chang|writ|edit|set|alter|updat)").search(name) else ""


def changes_in(sentence: str) -> set[str]:
    """The changes that a sentence names, whoever makes them."""
    found: set[str] = set()
    for clause in cased(r",| and | or ").split(P["dropped"].sub(" ", sentence)):
        found |= meant(clause, "write", found) & CHANGES
    return found


def read_group(group: Group, before: set[str]) -> None:
    """Fill in what a group may and may not; ``before``: what the groups above it may."""
    for sentence in sentences(group.body):
        if cased(r"\W*(?:Every other|Nothing of that|Only the one|That is)").match(sentence):
            continue
        subject = P["subject"].match(sentence)
        if (
            subject
            and subject["who"].strip(" *") != group.title
            and not P["negative"].search(sentence)
        ):
            continue
        if P["by"].search(sentence) and not sentence.startswith("May "):
            continue
        may, refused = rights_of(sentence)
        group.refused |= refused
        whole = r"\beverything\b(?! else)|\b(?:every|any) record\b|\b(?:full access|all rights|change anything)\b"
        if not P["negative"].search(sentence) and P["same"].search(sentence):
            may |= before
        elif not P["negative"].search(sentence) and cased(whole).search(sentence):
            may |= EVERY - CHANGES if P["seeing"].match(sentence) else EVERY
        group.may |= may
        for right in may:
            group.by.setdefault(right, []).append(sentence)
    group.may |= {LOOK[change] for change in LOOK.keys() & group.may}
    group.refused -= group.may
    group.may -= {"approved_hours"} & group.refused


@lru_cache(maxsize=4096)
def rights_of(sentence: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a sentence gives and what it refuses; kept, since the tasks of a company share its pages."""
    may: set[str] = set()
    refused: set[str] = set()
    negative, mode = False, ""
    text = P["pair"].sub(r"\1", P["dropped"].sub(" ", sentence))
    if speaks_of_ticket(text):
        return frozenset(), frozenset()
    for part in cased(r";|(?<=[a-z]), but |: |,\s*(?=(?:nothing|never|not|no)\b)").split(text):
        if P["positive"].search(part):
            negative = False
        elif P["negative"].search(part):
            negative = True
        if cased(r"(?:change|alter) nothing|no changes?\b").search(part):
            refused |= CHANGES - (meant(part, "write", set()) if P["own"].search(part) else set())
        seen: set[str] = set()
        own = False
        if P["reason"].search(part):
            continue
        if cased(r"\bstatus\b").search(part) and not P["verb"].search(part):
            mode = "write"
        for clause in cased(r",| and | or ").split(part):
            verb = P["verb"].search(clause)
            if verb:
                mode = "write" if verb["write"] else "read"
            own = bool(P["own"].search(clause)) or (
                own and not verb and not P["others"].search(clause)
            )
            seen |= meant(clause, mode, seen, own)
        (refused if negative else may).update(seen)
    return frozenset(may), frozenset(refused)
