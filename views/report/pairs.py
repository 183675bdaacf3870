"""Two runs side by side: tasks paired by spec, what became better or worse, both stories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from runs.journal import write_whole
from runs.story import Act, RunView, Story
from views.report.render import packed, page
from views.report.rows import Row, flags, labels, rows_of, totals
from views.report.story import pair_html

COLUMNS = (
    ("task", "Task"), ("score", "Score"), ("change", "Change"), ("turns num", "Turns"),
    ("requests num", "Requests"), ("tokens num", "Tokens"), ("time num", "Time"),
)  # fmt: skip
FILTERS = {
    "worse": "Worse",
    "better": "Better",
    "other": "Other way",
    "failed": "Failed in one",
    "wrong": "",
    "alone": "Only in one",
}


@dataclass(frozen=True)
class Pair:
    """The same task in both runs; None where a run does not have it."""

    key: str
    spec_id: str
    left: Row | None
    right: Row | None
    names: tuple[str, str]
    """Of the runs."""

    @property
    def stories(self) -> tuple[Story | None, Story | None]:
        """Both stories."""
        left, right = self.left, self.right
        return left.story if left else None, right.story if right else None

    @property
    def change(self) -> str:
        """What happened from the first run to the second."""
        left, right = self.stories
        if left is None or right is None:
            return "only in the second" if left is None else "only in the first"
        if left.score is not None and right.score is not None and left.score != right.score:
            return "better" if right.score > left.score else "worse"
        if left.outcome != right.outcome:
            return "other outcome"
        return "same" if _way(left) == _way(right) else "other way"

    @property
    def turns(self) -> list[tuple[Act | None, Act | None]]:
        """The turns of both, side by side."""
        left, right = self.stories
        return list(zip_longest(left.acts if left else (), right.acts if right else ()))

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script filters and sorts by."""
        stories = [story for story in self.stories if story]
        marks = {flag for story in stories for flag in flags(story)} & set(FILTERS)
        change = self.change
        kind = {"other outcome": "other", "other way": "other"}.get(change, change)
        marks |= {"alone"} if len(stories) == 1 else {kind} & set(FILTERS)
        one = self.left or self.right
        assert one is not None, "a pair has at least one side"
        return {
            "key": self.key,
            "flags": sorted(marks),
            "labels": sorted({label for story in stories for label in story.labels}),
            "find": " ".join(dict.fromkeys((change, *_texts(stories)))).casefold(),
            "sort": {
                "task": self.spec_id,
                "score": _difference(self, lambda row: row.story.score),
                "change": change,
                "turns num": _difference(self, lambda row: row.turns),
                "requests num": _difference(self, lambda row: row.requests),
                "tokens num": _difference(self, lambda row: row.tokens),
                "time num": _difference(self, lambda row: row.seconds),
            },
        }


def _texts(stories: list[Story]) -> list[str]:
    return [t for s in stories for t in (s.spec_id, s.text, s.outcome, s.error, s.eval_log)]


def _difference(pair: Pair, value: Any) -> float | None:
    if pair.left is None or pair.right is None:
        return None
    one, other = value(pair.left), value(pair.right)
    return None if one is None or other is None else other - one


def _way(story: Story) -> list[tuple[object, ...]]:
    """What was decided and what was called, without times and thoughts."""
    return [
        (
            act.turn.decision.decision if act.turn else None,
            act.turn.decision.instruction if act.turn else None,
            *((call.name, str(call.arguments), call.outcome) for call in act.tools),
        )
        for act in story.acts
    ]


def pairs_of(left: RunView, right: RunView) -> list[Pair]:
    """Tasks paired by spec, the nth with the nth of the same spec; the first run's order leads."""
    ones, others = _numbered(left), _numbered(right)
    names = left.name, right.name
    return [
        Pair(f"{at}-{task[0]}", task[0], ones.get(task), others.get(task), names)
        for at, task in enumerate(dict.fromkeys([*ones, *others]))
    ]


def _numbered(run: RunView) -> dict[tuple[str, int], Row]:
    rows: dict[tuple[str, int], Row] = {}
    seen: dict[str, int] = {}
    for row in rows_of(run.stories):
        spec = row.story.spec_id
        rows[spec, seen.get(spec, 0)] = row
        seen[spec] = seen.get(spec, 0) + 1
    return rows


def pair_page(left: RunView, right: RunView) -> str:
    """The page of two runs with both stories of every task in it."""
    pairs = pairs_of(left, right)
    found = [pair.data for pair in pairs]
    marks = [flag for task in found for flag in task["flags"]]
    runs = [(left, totals(left)), (right, totals(right))]
    return page(
        "pair.html.jinja",
        {"tasks": found},
        pairs=pairs,
        runs=runs,
        groups=list(dict.fromkeys(name for _, sums in runs for name in sums.groups)),
        filters=[
            (name, title or right.harm_name.capitalize(), marks.count(name))
            for name, title in FILTERS.items()
        ],
        labels=labels([*left.stories, *right.stories]),
        columns=COLUMNS,
        stories=[packed(pair_html(pair)) for pair in pairs],
    )


def write_comparison(left: RunView, right: RunView, path: Path) -> Path:
    """Write the page of two runs to a file; its path. Raises OSError."""
    write_whole(path, pair_page(left, right))
    return path
