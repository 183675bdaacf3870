"""Sentences of a policy: whose right they speak of, what they give and what they refuse."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from playbooks.company.things import (
    CHANGES,
    EVERY,
    LOOK,
    NEGATIVE,
    OWN,
    POSITIVE,
    READ,
    WRITE,
    meant,
)
from playbooks.company.tickets import sentences, speaks_of_ticket

SAME = regex.compile(
    r"\b(?:all|everything|whatever) (?:of )?(?:the |that is )?(?:above|others|this|these)\b"
    r"|\beverything in\b", regex.I
)  # fmt: skip
_TITLE = regex.compile(
    r"^\s*(?:#{1,6}\s+(?P<a>.+)|(?:[-*]\s+)?\*\*(?P<b>.+?)\*\*[.:]?\s*(?P<b2>.*)"
    r"|(?:\d+[.)]|[-*])\s+(?P<c>[^:.|]{3,60}):\s*(?P<c2>.*))\s*$"
)
_VERB = regex.compile(rf"\b(?:(?P<write>{WRITE})|(?P<read>{READ}))(?:e?s)?\b", regex.I)
_ACTION = regex.compile(
    rf"^\s*(?:[-*]|\d+[.)])\s+(?:\*\*)?(?P<what>(?P<verb>{WRITE}|archive|{READ}|hand out|tell)"
    r"(?:,? (?-i:\p{Ll})[^:.|;*]{0,140})?)(?:\*\*:|:\*\*|:)\s*(?P<who>.+)$", regex.I
)  # fmt: skip
"""An entry that names what is done first, and behind a colon those who may do it."""
_ACTORS = regex.compile(
    r"(?:only |solely )?(?:(?:the|a|an|its|our|each|every|any) )*(?P<name>"
    r"(?:(?:team|project) )?leads?(?: (?:of|for)(?: (?:the|a|that|it|project|people|on|team|of|for|customer|client))+)?"
    r"|account managers?(?: of (?:the|a|that) (?:customer|client))?"
    r"|(?:employees?|staff|everybody|everyone)(?: (?:employed|with a login|signed in|logged in|here))*"
    r"|(?-i:\p{Lu}[\w&'’-]*(?: (?:of |the |& )?\p{Lu}[\w&'’-]*)*))(?: (?:alone|only|too|as well))*", regex.I
)  # fmt: skip
_PLAIN_ACTION = regex.compile(
    rf"(?:(?:{WRITE}|archiv(?:e|ing)|above|all|the|an?|any|of|in|on|to|it|for|its|their|one's|own|every|again|active|paused|other|others|another|somebody|else|also|them"
    r"|and|or|pay|salar(?:y|ies)|wages?|notes?|levels?|skills?|wills?|status|teams?|roles?|shares?|slices?|below|under|[\w-]+/"
    r"|hours|time|entries|pages?|wiki|projects?|person|persons|people|profiles?|members?)(?:,? |$))+", regex.I
)  # fmt: skip
"""A change without anything that narrows it but a status or a folder, which a scope tells."""
_STRONG = r"\b(?:old|former\w*|draft|propos\w+|examples?|approv\w+|agree\w*|consent\w*|sign\w*|decid\w*|following|until|unless)\b"
_NARROWING = regex.compile(
    rf"{_STRONG}|\b(?:if|when|after|with|instead|ask\w*|told|inform\w*|only)\b", regex.I
)
"""What over a list of actions is more than a heading."""
_SUBJECT = regex.compile(
    r"^\W*(?:Only )?(?P<who>(?!(?:They|It|He|She|May|Can|Must|Also|Not|No|That|This|You|We|What|Which|Nothing|There)\b)\p{Lu}[^.;,:|]{1,45}?)"
    r" (?:may|can|are allowed to|is allowed to|sees?|gets?|changes?|sets?|writes?|must not|cannot"
    r"|hears?|reads?|looks?|moves|books|records|edits|decides|corrects|raises|manages|keeps|trims?)\b"
)
"""A sentence that says whose right it speaks of."""
_PASSIVE = regex.compile(
    r"^\W*(?P<what>(?!They\b|It\b|This\b)[^.;:]+?) (?:may|can|must|is|are)(?: only)?(?: be)? "
    r"(?:(?P<read>seen|viewed|read|visible|shown|available|looked up)"
    r"|changed|moved|edited|written|set|logged|recorded|booked|updated|corrected|removed|renamed|deleted)"
    r"(?: only)? (?:by|to|for) (?P<who>[^.;]+)", regex.I
)  # fmt: skip
_BY = regex.compile(
    r"\b(?:is|are|be|being|has been)\b[^.;]*?\b(?:\p{L}+ed|set|written|put|made|done|given|kept)\b[^.;]*\bby\b(?! them\b)",
    regex.I,
)
"""A sentence that says by whom something is done: it is about nobody else."""
_CONTINUED = regex.compile(r"\W*(?:They|It|He|She|Both|These|May)\b")
_YES = frozenset({"yes", "y", "x", "✓", "✔", "may", "allowed", "full"})
_NO = frozenset({"no", "n", "-", "–", "—", "✗", "✘", "", "never", "denied"})
_PAIR = regex.compile(
    r"\b(skills?|wills?)(?: levels?)? (?:and|or) (?:their )?(?:skills?|wills?)\b", regex.I
)
_DROPPED = regex.compile(r"\([^)]*\)|\S+\.md\b|\bwithout (?:the )?(?:pay|salar\w+)|`[^`]*`")
_NOBODY = r"\b(?:no one|nobody|none|not|never|else|other)\b"


@dataclass
class Group:
    """Whoever a title speaks of, and what the sentences below it give and refuse."""

    title: str
    body: str = ""
    entry: str = ""
    """The sentence of an entry that names the action first."""
    may: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    by: dict[str, list[str]] = field(default_factory=dict)
    """The sentences that give each right."""


def groups(policy: str) -> Iterator[Group]:
    """The groups that headings, list entries, tables, paragraphs and single sentences speak of."""
    group, header = Group(""), list[str]()
    lines, above = policy.splitlines(), ""
    for at, line in enumerate(lines):
        if line.lstrip().startswith("|"):
            cells = [c.strip(" *`") for c in line.strip().strip("|").split("|")]
            if header and len(cells) == len(header):
                yield Group(cells[0], _row(header, cells))
            header = header or cells
            continue
        header = []
        if _ACTION.match(line) and (
            named := list(_by_action(line, _below(lines[at + 1 :]), above))
        ):
            yield from (group, *named)
            group = Group("")
            continue
        title = _TITLE.match(line)
        if line.strip() and not regex.match(r"\s*(?:[-*]|\d+[.)])\s", line):
            above = line
        if title:
            yield group
            name = title["a"] or title["b"] or title["c"] or ""
            group = Group(name.strip(" *.:"), title["b2"] or title["c2"] or "")
        elif not line.strip() and group.body.strip():
            yield group
            group = Group("")
        elif group.title:
            group.body += f" {line.strip()}"
        else:
            yield from _by_subject(line.strip())
    yield group
    for sentence in sentences(regex.sub(r"(?m)^\s*(?:[-*]\s+)?\*\*.+?\*\*[.:]?", "", policy)):
        yield from _spoken_of(sentence)


def _spoken_of(sentence: str) -> Iterator[Group]:
    """Whose rights a sentence speaks of by itself: `X may …`, `… may be seen by X and Y`."""
    if "|" in sentence:
        return
    subject = _SUBJECT.match(sentence)
    if subject and not regex.search(
        r"\b(?:not(?! signed| logged| known)|never|no|nobody|none)\b", subject["who"], regex.I
    ):
        yield Group(subject["who"].strip(" *"), sentence[subject.end("who") :])
    passive = _PASSIVE.match(sentence)
    for who in regex.split(r",| and | or ", passive["who"]) if passive else ():
        if not regex.search(_NOBODY, who, regex.I):
            name = regex.sub(r"\b(?:by|only|the|to|for)\b", " ", who).strip(" .*")
            yield Group(name, f"May {'see' if passive['read'] else 'change'} {passive['what']}")


def _below(lines: list[str]) -> str:
    """The lines that go on with an entry."""
    more = itertools.takewhile(
        lambda x: x[:1].isspace() and x.strip() and not _TITLE.match(x), lines
    )
    return " ".join(x.strip() for x in more)


def _by_action(line: str, below: str, above: str) -> Iterator[Group]:
    """The groups that an entry names behind what is done; ``above``: what stands over the list.

    What narrows the action or the groups and is not understood makes a condition of it: it stops
    changes.
    """
    refusing = regex.search(
        r"\b(?:not|no|never|nobody|cannot|forbid\w*|refus\w+|den(?:y|ied))\b|n['’]t\b",
        above,
        regex.I,
    )
    refusing = refusing if above.startswith("#") or above.rstrip().endswith(":") else None
    narrowed = (
        _NARROWING.search(above)
        if above.startswith("#") or ":" in above
        else regex.search(_STRONG, above, regex.I)
    )
    told = sentences(f"{line} {below}".rstrip())
    parts = [
        p
        for s in told
        if (p := regex.fullmatch(r"(?P<what>[^:]+?):\**\s*(?P<who>.+)", s.strip(" *-")))
    ]
    hedged = bool(refusing or narrowed or len(parts) != len(told))
    before, same = "", list[str]()
    for part in parts:
        what = regex.sub(r"^\d+[.)]\s*", "", part["what"]).strip(" *")
        if regex.search(r"\b(?:them|it)$|^any other\b", what, regex.I) and before:
            thing = regex.sub(
                rf"^(?:(?:{WRITE}|{READ}|or|and|archive),? )+", "", before, flags=regex.I
            )
            what = regex.sub(
                r"\b(?:them|it)$", thing, regex.sub(r"^any", "change any", what, flags=regex.I)
            )
        who, before = part["who"].strip(" .*"), what
        who = regex.sub(r"^(?:nobody|no one)(?: else)? (?:but|except|other than)\b", "", who)
        if regex.match(r"(?:nobody|no one|none)\b", who, regex.I):
            yield Group("Nobody", f"May not {what}.", part[0])
            continue
        named, unsure = _actors(who, same)
        if named is None:
            return
        write = regex.match(rf"(?:{WRITE}|archive)\b", what, regex.I)
        open_ = hedged or unsure or bool(write and not _PLAIN_ACTION.fullmatch(what))
        if write and open_ and regex.search(r"approv|consent|deci|agree|everything", what, regex.I):
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
    for part in regex.split(r"\s*(?:[,;]|\band\b|\bor\b)\s*", who):
        actors = _ACTORS.fullmatch(part)
        if regex.fullmatch(r"the same(?: people| groups?)?", part):
            named += same
        elif actors:
            named.append(actors["name"])
        elif regex.search(r"\b(?:not|no|never|but|except|without|save|unless)\b", part):
            return None, True
        elif part and not regex.fullmatch(r"(?:nobody|no one) else|as drafts?", part):
            unsure = True
    return named, unsure


def _by_subject(paragraph: str) -> Iterator[Group]:
    """The groups that a paragraph without a title speaks of, each with the sentences about it."""
    group = Group("")
    for sentence in sentences(paragraph):
        subject = _SUBJECT.match(sentence)
        if subject:
            yield group
            group = Group(subject["who"].strip(" *"))
        elif not _CONTINUED.match(sentence):
            yield group
            group = Group(" ".join(sentence.split()[:4]))
        if (
            subject
            or _CONTINUED.match(sentence)
            or (NEGATIVE.search(sentence) and not POSITIVE.search(sentence))
        ):
            group.body += f" {sentence}"
    yield group


def _row(header: list[str], cells: list[str]) -> str:
    """A row of a table of rights as sentences; "" where the table is of something else."""
    said = []
    for name, cell in zip(header[1:], cells[1:], strict=True):
        if cell.lower() in _YES | _NO:
            said.append(f"{'Not' if cell.lower() in _NO else 'May'}: {name}.")
        elif regex.search(r"not\b|refused|never|forbidden|denied", name, regex.I):
            said.append(f"May not {cell}.")
        elif (verb := _column(name)) and "may" not in name.lower():
            said += [f"May {verb} {part.strip(' +')}." for part in cell.split(";")]
        elif regex.search(r"\bmay\b|allowed|\bcan\b|rights?\b|granted", name, regex.I):
            said.append(f"May {cell}.")
    return " ".join(said)


def _column(name: str) -> str:
    """What those may do with a column's cells who stand at the head of a row."""
    if regex.search(r"\b(?:looks?|sees?|reads?|views?|hears?)\b", name, regex.I):
        return "see"
    return "change" if regex.search(r"\b(?:chang|writ|edit|set|alter|updat)", name, regex.I) else ""


def changes_in(sentence: str) -> set[str]:
    """The changes that a sentence names, whoever makes them."""
    found: set[str] = set()
    for clause in regex.split(r",| and | or ", _DROPPED.sub(" ", sentence)):
        found |= meant(clause, "write", found) & CHANGES
    return found


def read_group(group: Group, before: set[str]) -> None:
    """Fill in what a group may and may not; ``before``: what the groups above it may."""
    for sentence in sentences(group.body):
        if regex.match(r"\W*(?:Every other|Nothing of that|Only the one|That is)", sentence):
            continue
        subject = _SUBJECT.match(sentence)
        if subject and subject["who"].strip(" *") != group.title and not NEGATIVE.search(sentence):
            continue
        if _BY.search(sentence) and not sentence.startswith("May "):
            continue
        may, refused = rights_of(sentence)
        group.refused |= refused
        whole = r"\beverything\b(?! else)|\b(?:full access|all rights|change anything)\b"
        if not NEGATIVE.search(sentence) and SAME.search(sentence):
            may |= before
        elif not NEGATIVE.search(sentence) and regex.search(whole, sentence):
            may |= EVERY - CHANGES if regex.match(r"May see\b", sentence) else EVERY
        group.may |= may
        for right in may:
            group.by.setdefault(right, []).append(sentence)
    group.may |= {LOOK[change] for change in LOOK.keys() & group.may}
    group.refused -= group.may
    group.may -= {"approved_hours"} & group.refused


def rights_of(sentence: str) -> tuple[set[str], set[str]]:
    """What a sentence gives and what it refuses."""
    may: set[str] = set()
    refused: set[str] = set()
    negative, mode = False, ""
    text = _PAIR.sub(r"\1", _DROPPED.sub(" ", sentence))
    if speaks_of_ticket(text):
        return may, refused
    for part in regex.split(r";|(?<=[a-z]), but |: |,\s*(?=(?:nothing|never|not|no)\b)", text):
        if POSITIVE.search(part):
            negative = False
        elif NEGATIVE.search(part):
            negative = True
        if regex.search(r"(?:change|alter) nothing|no changes?\b", part):
            refused |= CHANGES - (meant(part, "write", set()) if OWN.search(part) else set())
        seen: set[str] = set()
        if regex.search(r"\bstatus\b", part) and not _VERB.search(part):
            mode = "write"
        for clause in regex.split(r",| and | or ", part):
            verb = _VERB.search(clause)
            if verb:
                mode = "write" if verb["write"] else "read"
            seen |= meant(clause, mode, seen)
        (refused if negative else may).update(seen)
    return may, refused
