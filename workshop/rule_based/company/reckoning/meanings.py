"""What the wiki says that statuses mean for load; worker code, as `office` is."""

import re

STATUSES = (
    ("idea", r"\bideas?\b"), ("exploring", r"\bexplor\w+"), ("active", r"\bactive\b"),
    ("paused", r"\bpause[ds]?\b"), ("archived", r"\barchive[ds]?\b"),
)  # fmt: skip


def sentences(pages: dict[str, str]) -> list[str]:
    """What the wiki says, in sentences and clauses."""
    return [s for t in pages.values() for s in re.split(r"(?<=[.!?;])\s+|\n+", t) if s.strip()]


def counted_statuses(pages: dict[str, str]) -> set[str]:
    """The statuses whose shares count as load; all where the wiki leaves none out."""
    every = {s for s, _ in STATUSES}
    counted: set[str] = set()
    left: set[str] = set()
    near, page = 0, ""
    for path, sentence in ((f, s) for f, t in pages.items() for s in sentences({f: t})):
        low = sentence.lower()
        near, page = near if path == page else 0, path
        near = (
            5
            if re.search(r"\b(work)?load(?:ed|s)?\b|\bshares?\b|\btime slices?\b|\bcapacity\b", low)
            else near - 1
        )
        if near < 2:
            continue
        if re.search(
            r"\bwhatever|\balike|\bevery status|\bevery (?:project|job|study|one) counts|\bany status|\bregardless|\bno(?:t|\s)+matter|does not matter",
            low,
        ):
            return every
        if re.search(r"\b(?:all|every) (?:the )?(?:others?|rest)\b|\beverything else\b", low):
            return every - left
        named = {s for s, pattern in STATUSES if re.search(rf"{pattern}|\b{s[:5]}\w*", low)}
        named |= {"active"} if re.search(r"\bthat run\b|\brunning\b", low) else set()
        if re.search(
            r"\bnot count|\bdo(?:es)? not\b|\bnothing\b|\bleave out|\bleft out|\bexcept|\bwithout|\bignor",
            low,
        ):
            left |= named
        elif named and re.search(r"\btoo\b|\bas well|\bincluded", low):
            return every
        elif re.search(r"\bsum|=|\bover\b|\bin all\b|\bcounts?\b|\badd|\btotal", low):
            counted |= named
    return counted - left or every - left
