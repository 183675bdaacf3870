"""Sentences of a policy: whose right they speak of, what they give and what they refuse."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from playbooks.company.tickets import sentences, speaks_of_ticket

PLAIN = frozenset({"register", "wiki_read", "own_pay", "date", "place"})
"""Rights that whoever is signed in has unless a sentence refuses them."""
CHANGES = frozenset(
    "own_levels own_hours note_write levels_write status team pay_write draft_hours wiki_write".split()
)
_LOOK = {"note_write": "notes", "levels_write": "levels"}
"""Who changes it may look at it."""
EVERY = PLAIN | CHANGES | frozenset("account_manager contact pay notes levels load hours".split())
SAME = regex.compile(
    r"\b(?:all|everything|whatever) (?:of )?(?:the |that is )?(?:above|others|this|these)\b"
    r"|\beverything in\b", regex.I
)  # fmt: skip
_TITLE = regex.compile(
    r"^\s*(?:#{1,6}\s+(?P<a>.+)|(?:[-*]\s+)?\*\*(?P<b>.+?)\*\*[.:]?\s*(?P<b2>.*)"
    r"|(?:\d+[.)]|[-*])\s+(?P<c>[^:.|]{3,60}):\s*(?P<c2>.*))\s*$"
)
NEGATIVE = regex.compile(
    r"^\W*(?:(?:they |who )?may not|must not|cannot|can't|are not|refused|denied|forbidden"
    r"|not|never|nor|no|nothing|nobody|they do not|do not|does not|they change nothing)\b"
    r"|\b(?:may|must|can) (?:not|never)\b|\bdo(?:es)? not\b|\bnot even\b|\bnever\b"
    r"|\boff.limits\b|\b(?:is|are|remains?|stays?) (?:not(?! signed| logged| known)|refused|forbidden|denied|prohibited|secret)\b"
    r"|\bchange nothing\b|\bnothing about\b|\bgo(?:es)? to nobody\b|\bto nobody\b|\bneither\b", regex.I
)  # fmt: skip
_POSITIVE = regex.compile(
    r"^\W*(?:they |and |but )?(?:may|can|are allowed to)\b(?! not| never)", regex.I
)
_WRITE = (
    "change|set|write|writes|edit|edits|move|record|records|log|logs|book|books|rename|remove|delete"
    "|update|correct|alter|adjust|maintain|enter|put|swap|pause|create|add|grant|decide|swap"
    "|raise|apply|carry out"
)
_READ = (
    "see|look|look up|look at|read|learn|know|hear|view|have|ask|asks|compare|told|search|find|get"
    "|consult|use"
)
_VERB = regex.compile(rf"\b(?:(?P<write>{_WRITE})|(?P<read>{_READ}))(?:e?s)?\b", regex.I)
_ACTION = regex.compile(
    rf"^\s*(?:[-*]|\d+[.)])\s+(?:\*\*)?(?P<what>(?P<verb>{_WRITE}|archive|{_READ}|hand out|tell)"
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
    rf"(?:(?:{_WRITE}|the|an?|any|of|in|on|to|for|its|their|one's|own|other|others|another|somebody|else|also|them"
    r"|and|or|pay|salar(?:y|ies)|wages?|notes?|levels?|skills?|wills?|status|teams?|roles?|shares?|slices?"
    r"|hours|time|entries|pages?|wiki|projects?|person|persons|people|profiles?|members?)(?:,? |$))+", regex.I
)  # fmt: skip
"""A change without anything that narrows it."""
_NARROWING = regex.compile(
    r"\b(?:if|when|after|until|unless|with|old|former\w*|draft|propos\w+|examples?|instead|ask\w*|told|inform\w*"
    r"|approv\w+|agree\w*|consent\w*|sign\w*|decid\w*|only)\b", regex.I
)  # fmt: skip
"""What over a list of actions is more than a heading."""
_SUBJECT = regex.compile(
    r"^\W*(?:Only )?(?P<who>(?!(?:They|It|He|She|May|Can|Must|Also|Not|No|That|This|You|We|What|Which|Nothing|There)\b)\p{Lu}[^.;,:|]{1,45}?)"
    r" (?:may|can|are allowed to|is allowed to|sees?|gets?|changes?|sets?|writes?|must not|cannot"
    r"|hears?|reads?|looks?|moves|books|records|edits|decides|corrects|raises|manages|keeps)\b"
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
_YES = frozenset({"yes", "y", "x", "✓", "✔", "may", "allowed", "full"})
_NO = frozenset({"no", "n", "-", "–", "—", "✗", "✘", "", "never", "denied"})
_OWN = regex.compile(r"\b(?:their|his|her|one's|your|our) own\b|\bown\b|\boneself\b", regex.I)
_PAY = regex.compile(r"\bpay\b|salar|\bearns?\b|\bwages?\b|compensation|\braises?\b", regex.I)
_PAIR = regex.compile(
    r"\b(skills?|wills?)(?: levels?)? (?:and|or) (?:their )?(?:skills?|wills?)\b", regex.I
)
_DROPPED = regex.compile(r"\([^)]*\)|\S+\.md\b|\bwithout (?:the )?(?:pay|salar\w+)|`[^`]*`")


@dataclass
class Group:
    """Whoever a title speaks of, and what the sentences below it give and refuse."""

    title: str
    body: str = ""
    may: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    by: dict[str, list[str]] = field(default_factory=dict)
    """The sentences that give each right."""


def spoken_of(sentence: str) -> Iterator[Group]:
    """Whose rights a sentence speaks of by itself: `X may …`, `… may be seen by X and Y`."""
    if "|" in sentence:
        return
    subject = _SUBJECT.match(sentence)
    if subject and not regex.search(
        r"\b(?:not(?! signed| logged| known)|never|no|nobody|none)\b", subject["who"], regex.I
    ):
        yield Group(subject["who"].strip(" *"), sentence[subject.end("who") :])
    passive = _PASSIVE.match(sentence)
    if passive:
        verb = "see" if passive["read"] else "change"
        for who in regex.split(r",| and | or ", passive["who"]):
            if regex.search(r"\b(?:no one|nobody|none|not|never|else|other)\b", who, regex.I):
                continue
            yield Group(
                regex.sub(r"\b(?:by|only|the|to|for)\b", " ", who).strip(" .*"),
                f"May {verb} {passive['what']}",
            )


def groups(policy: str) -> Iterator[Group]:
    """The groups that headings, list entries, tables and paragraphs speak of."""
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
            found := list(_by_action(line, _below(lines[at + 1 :]), above))
        ):
            yield group
            yield from found
            group = Group("")
            continue
        title = _TITLE.match(line)
        if line.strip() and not regex.match(r"\s*(?:[-*]|\d+[.)])\s", line):
            above = line
        if title:
            if group.body.strip() or group.title:
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
    entry = _ACTION.match(f"{line} {below}".rstrip())
    if entry is None:
        return
    who, *rest = sentences(entry["who"])
    what = entry["what"].strip(" *")
    who = regex.sub(
        r"^(?:nobody|no one)(?: else)? (?:but|except|other than)\b", "", who.strip(" .*")
    )
    if regex.match(r"(?:nobody|no one|none)\b", who, regex.I):
        yield Group("Nobody", f"May not {what}.")
        return
    refusing = regex.search(
        r"\b(?:not|no|never|nobody|cannot|forbid\w*|refus\w+|den(?:y|ied))\b|n['’]t\b",
        above,
        regex.I,
    )
    named, hedged = list[str](), bool(rest or refusing or _NARROWING.search(above))
    for part in regex.split(r"\s*(?:[,;]|\band\b|\bor\b)\s*", who):
        if not part or regex.fullmatch(r"(?:nobody|no one) else|as drafts?", part):
            continue
        actors = _ACTORS.fullmatch(part)
        if actors:
            named.append(actors["name"])
        elif regex.search(r"\b(?:not|no|never|but|except|without|save|unless)\b", part):
            return
        else:
            hedged = True
    if regex.match(rf"(?:{_WRITE}|archive)\b", what, regex.I):
        hedged = hedged or not _PLAIN_ACTION.fullmatch(what)
        if hedged and regex.search(r"approv|consent|deci|agree|everything", what, regex.I):
            return
    for name in named:
        yield Group(name, f"May {'not ' if refusing else ''}{what}{', if so' if hedged else ''}.")


def _by_subject(paragraph: str) -> Iterator[Group]:
    """The groups that a paragraph without a title speaks of, each with the sentences about it."""
    group = Group("")
    for sentence in sentences(paragraph):
        subject = _SUBJECT.match(sentence)
        if subject:
            yield group
            group = Group(subject["who"].strip(" *"))
        elif not regex.match(r"\W*(?:They|It|He|She|Both|These|May)\b", sentence):
            yield group
            group = Group(" ".join(sentence.split()[:4]))
        if subject or regex.match(r"\W*(?:They|It|He|She|Both|These|May)\b", sentence) or (
            NEGATIVE.search(sentence) and not _POSITIVE.search(sentence)
        ):  # fmt: skip
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
        found |= _meant(clause, "write", found) & CHANGES
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
        if SAME.search(sentence) and not NEGATIVE.search(sentence):
            may |= before
        elif regex.search(
            r"\beverything\b(?! else)|\b(?:full access|all rights|change anything)\b", sentence
        ) and not NEGATIVE.search(sentence):
            looks = regex.match(r"May see\b", sentence)
            may |= EVERY - CHANGES if looks else EVERY
        group.may |= may
        for right in may:
            group.by.setdefault(right, []).append(sentence)
    group.may |= {_LOOK[change] for change in _LOOK.keys() & group.may}
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
        if _POSITIVE.search(part):
            negative = False
        elif NEGATIVE.search(part):
            negative = True
        if regex.search(r"change nothing|no changes?\b", part):
            refused |= CHANGES
        seen: set[str] = set()
        if regex.search(r"\bstatus\b", part) and not _VERB.search(part):
            mode = "write"
        for clause in regex.split(r",| and | or ", part):
            verb = _VERB.search(clause)
            if verb:
                mode = "write" if verb["write"] else "read"
            seen |= _meant(clause, mode, seen)
        (refused if negative else may).update(seen)
    return may, refused


def _meant(clause: str, mode: str, before: set[str]) -> set[str]:
    """The rights that a clause names; ``mode``: write, read or, without a verb, nothing."""
    own = bool(_OWN.search(clause))
    write = mode == "write"
    found: set[str] = set()

    def says(pattern: str) -> bool:
        return bool(regex.search(pattern, clause, regex.I))

    if _PAY.search(clause):
        if says(r"\blist|sum|total|average|added up|several|everybody|everyone|all of"):
            return {"pay_sum"}
        return {"own_pay" if own else "pay_write" if write or says(r"\braise") else "pay"}
    if says(r"\bhours?\b|\btime\b|\btime entr"):
        if says(r"approved"):
            return {"approved_hours"}
        if own:
            return {"own_hours"}
        return {"draft_hours" if write or says(r"draft") else "hours"}
    if says(r"\bnotes?\b"):
        return {"note_write" if write else "notes"}
    if says(r"contact"):
        return {"contact"}
    if says(r"\bskills?\b|\bwills?\b|\blevels?\b|can do|abilit|competenc|motivation"):
        found.add(("own_levels" if own else "levels_write") if write else "levels")
    if says(r"\bload(?:ed|s)?\b|workload|\bbus(?:y|ier|iest)\b|utili[sz]ation|capacity"):
        found.add("load")
    if says(r"\bstatus|\bphases?\b|\bpauses?\b") and (mode != "read"):
        found.add("status")
    if says(r"\bteams?\b|who is on|\bstaffing\b") and (write or (not mode and "status" in before)):
        found.add("team")
    if says(r"\bwiki|\bpages?\b|handbook"):
        in_charge = not mode and "status" in before
        found.add("wiki_write" if write or in_charge else "wiki_read")
    if says(r"looks after|account manager"):
        found.add("account_manager")
    if says(
        r"\bsites?\b|\bplaces?\b|\btowns?\b|\bcit(?:y|ies)\b|where|studios?|offices?|locations?|countr"
        r"|\bshops?\b|\bstores?\b|branch|premises|depots?\b|plants?\b|\bmills?\b|\byards?\b"
    ):
        found.add("place")
    if says(r"\bdates?\b|what day|\btoday|\bdays?\b"):
        found.add("date")
    if not write and says(r"names?\b|\bmail|directory|register|projects?|\bjobs?\b|people|customers?|clients?|departments?|roles?"):  # fmt: skip
        found.add("register")
    return found
