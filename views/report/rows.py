"""The table of a report: one row a task, with what it is filtered and sorted by; the totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from models.model_call import Usage
from runs.results import TaskResult, Totals, totals_of
from runs.story import RunView, Story
from views.report.blocks import dollars, number, seconds, tokens
from views.report.markup import address, broken, quoted, shown

FILTERS = {
    "failed": "Failed",
    "wrong": "",
    "error": "Error",
    "unscored": "Not scored",
    "running": "Running",
}
FIND_CHARS = 2_000
_MARKS = {
    "passed": ("mark ok", "passed", "✓"),
    "failed": ("mark bad", "failed", "✗"),
    "running": ("mark now", "running", "…"),
    "unscored": ("mark", "not scored", "–"),
}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    story: Story
    tokens: int | None
    cost_usd: float | None
    seconds: float | None
    turns: int
    tool_calls: int | None
    requests: int | None
    token_share: float
    """Percent of the largest of the run, for the small bar."""
    time_share: float

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script filters and sorts by."""
        story = self.story
        find = (story.spec_id, story.text, story.outcome, story.error, story.eval_log)
        return {
            "key": story.key,
            "flags": flags(story),
            "labels": list(story.labels),
            "find": " ".join((*find, *story.labels))[:FIND_CHARS].casefold(),
            "sort": {
                "task": story.spec_id,
                "score": story.score,
                "outcome": story.outcome,
                "turns": self.turns,
                "calls": self.tool_calls,
                "requests": self.requests,
                "tokens": self.tokens,
                "cost": self.cost_usd,
                "time": self.seconds,
            },
        }


def flags(story: Story) -> list[str]:
    """The filters that a task belongs to."""
    is_so = {
        "failed": story.failed,
        "wrong": story.harm,
        "error": bool(story.error),
        "unscored": story.status == "unscored",
        "running": story.status == "running",
    }
    return [name for name, so in is_so.items() if so]


def rows_of(stories: Iterable[Story]) -> list[Row]:
    """A row for each task; the bars are relative to the largest among them."""
    plain = [_values(story) for story in stories]
    most_tokens = max((v["tokens"] or 0 for v in plain), default=0) or 1
    most_time = max((v["seconds"] or 0.0 for v in plain), default=0.0) or 1.0
    return [
        Row(
            **values,
            token_share=round(100 * (values["tokens"] or 0) / most_tokens, 1),
            time_share=round(100 * (values["seconds"] or 0.0) / most_time, 1),
        )
        for values in plain
    ]


def _values(story: Story) -> dict[str, Any]:
    """The result's own figures; of a task under way what its journal tells so far."""
    if story.result is None:
        usage = sum((call.usage for call in story.calls), Usage(prompt=0, completion=0))
        costs = [call.cost_usd for call in story.calls]
        done = [act for act in story.acts if act.turn]
        return {
            "story": story,
            "tokens": tokens(usage),
            "cost_usd": None if None in costs else sum(c or 0.0 for c in costs),
            "seconds": None,
            "turns": len(done),
            "tool_calls": sum(len(act.tools) for act in done),
            "requests": sum(act.requests for act in done),
        }
    spent = story.of_result("tokens")
    spent = spent if isinstance(spent, dict) else {}
    parts = (_whole(spent.get("prompt")), _whole(spent.get("completion")))
    return {
        "story": story,
        "tokens": None if None in parts else sum(p or 0 for p in parts),
        "cost_usd": _real(story.of_result("cost_usd")),
        "seconds": _real(story.of_result("seconds")),
        "turns": _whole(story.of_result("turns")) or 0,
        "tool_calls": _whole(story.of_result("tool_calls")),
        "requests": _whole(story.of_result("requests")),
    }


def row_html(row: Row) -> str:
    """One row of the table of tasks as HTML."""
    story = row.story
    marks = {"wrong": story.harm, "error": bool(story.error)}
    tags = "".join(f' <span class="tag bad">{name}</span>' for name, so in marks.items() if so)
    return (
        f"<tr data-key={quoted(story.key)}>"
        f'<th scope="row" class="task"><a href="#{address(story.key)}">{broken(story.spec_id)}</a>'
        f'</th><td class="score">{mark_html(story)} {number(story.score, 1)}</td>'
        f'<td class="outcome">{shown(story.outcome)}{tags}</td>'
        f'<td class="turns">{row.turns}</td><td class="calls">{number(row.tool_calls)}</td>'
        f'<td class="requests">{number(row.requests)}</td>'
        f'<td class="tokens">{number(row.tokens)}{_share(row.token_share)}</td>'
        f'<td class="cost">{dollars(row.cost_usd)}</td>'
        f'<td class="time">{seconds(row.seconds)}{_share(row.time_share)}</td></tr>'
    )


def mark_html(story: Story) -> str:
    """How a task stands, as one sign in HTML."""
    kind, title, sign = _MARKS[story.status]
    return f'<span class="{kind}" title="{title}">{sign}</span>'


def _share(percent: float) -> str:
    box = 'viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg class="share" {box}><rect width="{percent}" height="4"/></svg>'


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def totals(run: RunView) -> Totals:
    """Sums over the tasks that are done and whose result can be read."""
    results = []
    for story in run.stories:
        try:
            results.append(TaskResult.model_validate(story.result))
        except ValidationError:
            continue
    return totals_of(results, run.seconds or 0.0)


def labels(stories: Iterable[Story]) -> list[str]:
    """Every kind of task of a run, sorted."""
    return sorted({label for story in stories for label in story.labels})
