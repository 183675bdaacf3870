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
    "many much team project projects job jobs customer client role lead leads leading led are was "
    "were has have had does did please put set hours hour yesterday today day before billable draft "
    "note notes people person colleague colleagues all any one two into out not its their they them "
    "his her you your can could would should will may about there here some somebody anyone new old "
    "mail email address contact department status paused active archived work more most than other "
    "office site lab studio hq mill house gmbh company house team's last first down name".split()
)


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
    text, found = fold(raw), []
    for person in by_id(raw, people):
        found.append((raw.lower().find(person["id"].lower()), [person]))
    rest = f" {text} "
    full: dict[str, list[Record]] = {}
    for person in people:
        parts = fold(person["name"]).split()
        for at in range(1, len(parts)) or (0,):
            for name in (" ".join(parts), " ".join(parts[at:] + parts[:at])):
                full.setdefault(name, [])
                if person not in full[name]:
                    full[name].append(person)
    for name in sorted(full, key=len, reverse=True):
        if " " in name and holds(rest, name):
            found.append((text.find(name), full[name]))
            rest = rest.replace(f" {name} ", " | ")
    named = {p["id"] for _, group in found for p in group}
    capitals = {fold(w) for w in re.findall(r"[^\W\d_][\w-]*", raw) if w[0].isupper()}
    parts_of: dict[str, list[Record]] = {}
    for person in people:
        names = fold(person["name"]).split()
        for part in {names[0], " ".join(names[1:]), names[-1]}:
            parts_of.setdefault(part, []).append(person)
    for part in sorted(parts_of, key=len, reverse=True):
        known = part and part.split()[-1] in capitals and len(part) > 2
        if known and holds(rest, part) and not named & {p["id"] for p in parts_of[part]}:
            found.append((text.find(part), parts_of[part]))
            rest = rest.replace(f" {part} ", " | ")
    return [group for _, group in sorted(found, key=lambda pair: pair[0])]


def named_in(raw: str, records: list[Record]) -> list[Record]:
    """Records that are named in full or by id, longest names first taken, in text order."""
    text, found = (
        f" {fold(raw)} ",
        [(raw.lower().find(r["id"].lower()), r) for r in by_id(raw, records)],
    )
    for record in sorted(records, key=lambda r: -len(r["name"])):
        name = fold(record["name"])
        if name and holds(text, name):
            found.append((text.find(f" {name} "), record))
            text = text.replace(f" {name} ", " | ")
    chosen = {r["id"]: r for _, r in sorted(found, key=lambda pair: pair[0])}
    return list(chosen.values())


def paraphrased(
    raw: str, records: list[Record], told: dict[str, str], near: float = 0.8
) -> list[Record]:
    """Records that a text describes: the best one, or all that are nearly as good.

    ``told`` is what is said of each by id; at least two words have to fit.
    """
    asked = list(dict.fromkeys(words(raw)))
    known = {id_: set(words(text)) for id_, text in told.items()}
    scores: list[tuple[float, Record]] = []
    for record in records:
        hits = [w for w in asked if any(akin(w, k) for k in known[record["id"]])]
        rare = [1 + math.log(len(records) / spread(w, known)) for w in hits]
        if len(hits) >= 2:
            scores.append((sum(rare), record))
    scores.sort(key=lambda pair: -pair[0])
    return [r for score, r in scores if score >= near * scores[0][0]]


def spread(word: str, known: dict[str, set[str]]) -> int:
    """In how many records a word occurs."""
    return max(1, sum(any(akin(word, k) for k in words_) for words_ in known.values()))


def projects_in(
    raw: str, projects: list[Record], customers: list[Record], near: float = 0.8
) -> list[Record]:
    """The projects that a text names, else those that it describes."""
    named = named_in(raw, projects)
    if named:
        return named
    names = {c["id"]: f"{c['name']} {c.get('brief', '')}" for c in customers}
    told = {
        p["id"]: f"{p['name']} {p.get('description', '')} {names.get(p['customer'], '')}"
        for p in projects
    }
    return paraphrased(raw, projects, told, near)


def customers_in(raw: str, customers: list[Record]) -> list[Record]:
    """The customers that a text names, else those that it describes."""
    named = named_in(raw, customers)
    if named:
        return named
    told = {c["id"]: f"{c['name']} {c.get('brief', '')} {c.get('location', '')}" for c in customers}
    return paraphrased(raw, customers, told)


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
            cell = line.split(place, 1)[1].strip(" |").split("|")[0]
            own.add(fold(cell))
        aliases[place] = own
    return [p for p, own in aliases.items() if any(holds(text, a) for a in own)]


def of_field(people: list[Record], field: str) -> list[Record]:
    """The values of a field as records that can be looked for."""
    return [{"id": v, "name": v} for v in dict.fromkeys(p[field] for p in people) if v]


def labels_of(pages: dict[str, str], ids: list[str]) -> dict[str, str]:
    """What the wiki calls each skill and will, by id; on a line: id and name, or name and id."""
    found: dict[str, str] = {}
    for page in pages.values():
        for id_, name in re.findall(r"\b((?:skill|will)_\w+)`?\s*[|:=–-]\s*([^|,.;\n]+)", page):
            found.setdefault(id_, name.strip(" *`"))
    lines = [x for page in pages.values() for x in re.split(r"\n|;|, ", page)]
    for id_ in ids:
        if id_ in found:
            continue
        for line in lines:
            parts = [x.strip(" *`()-") for x in re.split(r"[|:=–]|\s\(|\s-\s|`", line)]
            told = [x for x in parts if x]
            if id_ in told and len(told) == 2:
                found[id_] = next(x for x in told if x != id_)
                break
    return found


def levels_in(raw: str, labels: dict[str, str]) -> list[str]:
    """Ids of the skills and wills that a text names, in its order."""
    found = named_in(raw, [{"id": i, "name": n} for i, n in labels.items()])
    text = fold(raw)
    place = {r["id"]: text.find(fold(r["name"])) for r in found}
    for id_ in place:
        if place[id_] < 0:
            place[id_] = text.find(fold(id_.replace("_", " ")))
    return sorted(place, key=lambda i: place[i])
