"""What a text names: people, projects, customers, places, skills, out of a company's records.

This file is also worker code, so it knows nothing but the standard library.
"""

import math
import re
import unicodedata
from typing import Any

Record = dict[str, Any]
LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ß": "ss", "æ": "a", "œ": "o"})
GENERIC = frozenset(
    "the and for with from our own that this these those which who whom whose what where when how "
    "many much team project projects project's job jobs customer customers client clients buyer role lead leads leading "
    "led are was were has have had does did does please put set hours hour yesterday today day before billable draft "
    "note notes people person colleague colleagues all any one two into out not its their they them "
    "his her you your can could would should will may about there here some somebody anyone new old "
    "mail email address contact department status paused active archived work more most than other others "
    "office site lab studio hq mill house gmbh company house team's last first down name something looks look looking after takes care manages handles talk contact please".split()
)
WISHING = frozenset(
    "wish wishes interest interested likes like liking happy pleasure joy fun appetite curiosity "
    "willing willingness readiness ready wanting want wants drive".split()
)
OF_COUNTRIES = (
    "danish denmark dutch netherlands french france swiss switzerland spanish spain welsh wales british "
    "kingdom english kingdom scottish scotland irish ireland greek greece turkish turkey"
).split()
"""People of countries whose name begins with other letters than their country's."""


def fold(text: str) -> str:
    """Lower case, no diacritics, ä = ae, words with one blank between."""
    short = re.sub(r"([aou])e", r"\1", text.lower().translate(LETTERS))
    plain = unicodedata.normalize("NFKD", short)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(re.findall(r"[^\W_]+", plain.replace("'s ", " ").replace("’s ", " ")))


def holds(text: str, phrase: str) -> bool:
    """Whether folded words stand in a folded text."""
    return bool(phrase) and f" {phrase} " in f" {text} "


def akin(one: str, other: str) -> bool:
    """Whether two folded words are forms of one: graft, grafts, grafted."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    same = len(short) >= 4 and long.startswith(short[: max(4, len(short) - 2)])
    return same and len(long) - len(short) <= 3


def words(text: str) -> list[str]:
    """The folded words of a text that say something."""
    return [w for w in fold(text).split() if len(w) > 2 and w not in GENERIC]


def by_id(raw: str, records: list[Record]) -> list[Record]:
    """Records whose id stands in the text."""
    low = raw.lower()
    return [r for r in records if re.search(rf"(?<![\w-]){re.escape(r['id'].lower())}(?!\w)", low)]


def people_in(raw: str, people: list[Record]) -> list[list[Record]]:
    """Who is named, in the order of the text; for each mention everybody whom it fits."""
    text = fold(raw)
    found = [(raw.lower().find(p["id"].lower()), [p]) for p in by_id(raw, people)]
    capitals = {fold(w) for w in re.findall(r"[^\W\d_][\w-]*", raw) if w[0].isupper()}
    whole: dict[str, list[Record]] = {}
    part: dict[str, list[Record]] = {}
    for person in people:
        names = fold(person["name"]).split()
        for at in range(1, len(names)) or (0,):
            whole.setdefault(" ".join(names[at:] + names[:at]), []).append(person)
        whole.setdefault(" ".join(names), []).append(person)
        for name in {names[0], " ".join(names[1:]), names[-1]}:
            part.setdefault(name, []).append(person)
    rest, known = f" {text} ", {p["id"] for _, group in found for p in group}
    for names_of, full in ((whole, True), (part, False)):
        for name in sorted(names_of, key=len, reverse=True):
            group = list({p["id"]: p for p in names_of[name]}.values())
            fits = " " in name if full else len(name) > 2 and name.split()[-1] in capitals
            if fits and holds(rest, name) and (full or not known & {p["id"] for p in group}):
                found.append((text.find(name), group))
                rest = rest.replace(f" {name} ", " | ")
        known |= {p["id"] for _, group in found for p in group}
    return [group for _, group in sorted(found, key=lambda pair: pair[0])]


def named_in(raw: str, records: list[Record]) -> list[Record]:
    """Records that are named in full or by id, longest names first taken, in text order."""
    text = f" {fold(raw)} "
    found = [(raw.lower().find(r["id"].lower()), r) for r in by_id(raw, records)]
    for record in sorted(records, key=lambda r: -len(r["name"])):
        name = fold(record["name"])
        if name and holds(text, name):
            found.append((text.find(f" {name} "), record))
            text = text.replace(f" {name} ", " | ")
    chosen = {r["id"]: r for _, r in sorted(found, key=lambda pair: pair[0])}
    return list(chosen.values())


def paraphrased(raw: str, records: list[Record], told: dict[str, str], near: float) -> list[Record]:
    """Records that a text describes: the best one, or all that are nearly as good.

    ``told`` is what is said of each by id; at least two words have to fit.
    """
    asked = list(dict.fromkeys(words(raw)))
    asked += [OF_COUNTRIES[OF_COUNTRIES.index(w) + 1] for w in asked if w in OF_COUNTRIES[::2]]
    known = {id_: set(words(text)) for id_, text in told.items()}
    scores: list[tuple[float, Record]] = []
    for record in records:
        hits = [w for w in asked if any(akin(w, k) for k in known[record["id"]])]
        if len(hits) >= 2:
            rare = [1 + math.log(len(records) / spread(w, known)) for w in hits]
            scores.append((sum(rare), record))
    scores.sort(key=lambda pair: -pair[0])
    return [r for score, r in scores if score >= near * scores[0][0]]


def spread(word: str, known: dict[str, set[str]]) -> int:
    """In how many records a word occurs."""
    return sum(any(akin(word, k) for k in words_) for words_ in known.values())


def by_one_word(raw: str, records: list[Record], told: dict[str, str]) -> list[Record]:
    """The one record of which a text has a word that no other has."""
    known = {id_: set(words(text)) for id_, text in told.items()}
    rare = [w for w in words(raw) if spread(w, known) == 1]
    hits = [r for r in records if any(akin(w, k) for w in rare for k in known[r["id"]])]
    return hits if len(hits) == 1 else []


def projects_in(
    raw: str, projects: list[Record], customers: list[Record], near: float = 0.8, loose: bool = True
) -> list[Record]:
    """The projects that a text names, else those that it describes.

    ``loose``: one word is enough that is told of a single project; else it has to be of its name.
    """
    names = {c["id"]: f"{c['name']} {c.get('brief', '')}" for c in customers}
    told = {
        p["id"]: f"{p['name']} {p.get('description', '')} {names.get(p['customer'], '')}"
        for p in projects
    }
    short = {p["id"]: p["name"] for p in projects}
    return (
        named_in(raw, projects)
        or paraphrased(raw, projects, told, near)
        or by_one_word(raw, projects, short)
        or (by_one_word(raw, projects, told) if loose else [])
    )


def customers_in(raw: str, customers: list[Record]) -> list[Record]:
    """The customers that a text names, else those that it describes."""
    told = {c["id"]: f"{c['name']} {c.get('brief', '')} {c.get('location', '')}" for c in customers}
    return (
        named_in(raw, customers)
        or paraphrased(raw, customers, told, 0.8)
        or by_one_word(raw, customers, told)
    )


def of_country(raw: str, place: str) -> bool:
    """Whether a text names a country, or its people: Finland, Finnish."""
    asked, last = words(raw), fold(place).split()[-1:]
    asked += [OF_COUNTRIES[OF_COUNTRIES.index(w) + 1] for w in asked if w in OF_COUNTRIES[::2]]
    peoples = [w for w in asked if re.search(r"(?:ish|ian|ese|an|ch)$", w)]
    return holds(fold(raw), fold(place)) or any(
        w == x or (len(x) > 4 and any(p[:3] == x[:3] and len(p) > 4 for p in peoples))
        for x in last for w in asked
    )  # fmt: skip


def departments_in(raw: str, people: list[Record]) -> list[str]:
    """The departments that a text names."""
    return [r["name"] for r in named_in(raw, of_field(people, "department"))]


def locations_in(raw: str, people: list[Record], pages: dict[str, str]) -> list[str]:
    """The locations that a text names: as the register writes them, or by a town's name."""
    places = of_field(people, "location")
    named = [r["name"] for r in named_in(raw, places)]
    if named:
        return named
    text = fold(raw)
    aliases: dict[str, set[str]] = {}
    for place in (r["name"] for r in places):
        own = set(words(place))
        lines = [x for page in pages.values() for x in page.splitlines() if place in x and "|" in x]
        for line in lines:
            own.add(fold(line.split(place, 1)[1].strip(" |").split("|")[0]))
        aliases[place] = own
    return [p for p, own in aliases.items() if any(holds(text, a) for a in own)]


def of_field(people: list[Record], field: str) -> list[Record]:
    """The values of a field as records that can be looked for."""
    return [{"id": v, "name": v} for v in dict.fromkeys(p[field] for p in people) if v]


def labels_of(pages: dict[str, str], ids: list[str]) -> dict[str, str]:
    """What the wiki calls each skill and will, by id; on a line: id and name, or name and id."""
    found: dict[str, str] = {}
    told = "\n".join(pages.values())
    for id_ in [*ids, *re.findall(r"\b(?:skill|will)_\w+", told)]:
        behind = re.search(
            rf"\b{id_}\b`?[ \t]*(?:[|:=–,(-]|hides|means|is|stands for)?[ \t]*([^\W\d_a-z][^|,.;:\n`)]*)",
            told,
        )
        before = re.search(rf"(?m)^[\s|*-]*([^|\n:=]*?[^|\n:=\s])\s*[|:=–]\s*`?{id_}\b", told)
        if hit := behind or before:
            found.setdefault(id_, hit[1].strip(" *`-"))
    return found


def levels_in(raw: str, labels: dict[str, str], loose: bool = True) -> list[str]:
    """Ids of the skills and wills that a text names, in its order; ``loose``: or paraphrases."""
    text, place = fold(raw), dict[str, int]()
    for record in named_in(raw, [{"id": i, "name": n} for i, n in labels.items()]):
        place[record["id"]] = max(text.find(fold(record["name"])), text.find(fold(record["id"])))
    exact = len(place)
    for id_, label in labels.items() if loose else ():
        core = [
            w
            for w in fold(label).split()
            if len(w) > 2 and w not in WISHING | {"for", "the", "with"}
        ]
        at = [next((text.find(w) for w in text.split() if akin(w, c)), -1) for c in core]
        if id_ not in place and core and min(at) >= 0 and (len(core) > 1 or not exact):
            place[id_] = min(at)
    return sorted(place, key=lambda i: place[i])
