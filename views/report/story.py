"""The story of a task as HTML, and two of them side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from runs.story import Act, Story
from views.report.blocks import counted, number, seconds, tokens_of
from views.report.markup import block, data, label, quoted, shown
from views.report.work import asked_html, work_html

if TYPE_CHECKING:
    from views.report.pairs import Pair

Row = list[tuple[str, float]]
"""Parts of a bar: class and size."""
_CHART_HEAD = (
    '<table class="chart"><caption class="unseen">Time and tokens of each turn</caption>'
    '<thead><tr><th scope="col">Turn</th><th scope="col" colspan="2">Time '
    '<span class="key eyes"></span>evaluator <span class="key hands"></span>worker '
    '<span class="key tools"></span>tools <span class="key rest"></span>rest</th>'
    '<th scope="col" colspan="2">Tokens <span class="key eyes"></span>prompt '
    '<span class="key rest"></span>cached <span class="key hands"></span>completion</th>'
    "</tr></thead><tbody>"
)


def story_html(story: Story) -> str:
    """The story of one task as a piece of a page."""
    return f"{_opening(story)}{''.join(map(_turn, story.acts))}{_ending(story)}"


def pair_html(pair: Pair) -> str:
    """The stories of one task in two runs, turn beside turn."""
    missing = '<p class="dim">This run does not have the task.</p>'
    none = '<section class="turn"><p class="dim">no such turn</p></section>'
    openings = [
        f'<p class="dim">{shown(name)}</p>{_opening(story) if story else missing}'
        for name, story in zip(pair.names, pair.stories, strict=True)
    ]
    turns = [_sides(_turn(act) if act else none for act in both) for both in pair.turns]
    endings = _sides(_ending(story) if story else "" for story in pair.stories)
    return f"{_sides(openings)}{''.join(turns)}{endings}"


def _sides(both: Iterable[str]) -> str:
    return f'<div class="sides">{"".join(f"<div>{side}</div>" for side in both)}</div>'


def _opening(story: Story) -> str:
    said = [f"<b>{shown(story.status)}</b>"]
    if story.score is not None:
        said.append(f"score {number(story.score, 1)}")
    said.append(shown(story.outcome))
    wanted = story.of_result("group")
    if wanted:
        said.append(f"wanted: {shown(wanted)}")
    if story.harm:
        said[-1] += f' <span class="tag bad">{shown(story.harm_name)}</span>'
    said[-1] += "".join(f' <span class="tag">{shown(name)}</span>' for name in story.labels)
    if story.resumed:
        said.append(f"resumed {counted(story.resumed, 'time')}")
    parts = [
        f"<h2>{shown(story.spec_id)}</h2>",
        f"<p class={quoted(f'verdict {story.status}')}>{' · '.join(said)}</p>",
        f"<blockquote>{shown(story.text)}</blockquote>",
    ]
    if story.error:
        parts.append(block(story.error, "error"))
    if story.eval_log:
        head = '<h3 class="label">The platform\'s evaluator</h3>'
        parts.append(f'<section class="said">{head}{block(story.eval_log)}</section>')
    return "".join(parts) + _charts(story)


def _ending(story: Story) -> str:
    if not story.notes:
        return ""
    notes = "".join(f"<li>{shown(note)}</li>" for note in story.notes)
    return f'<section class="notes"><h3 class="label">Notes</h3><ul>{notes}</ul></section>'


def _turn(act: Act) -> str:
    attempt = f", attempt {act.attempt}" if act.attempt > 1 else ""
    figures = (
        f"{seconds(act.seconds)} · {number(tokens_of(act.asked))} tokens · {act.requests} requests"
    )
    return (
        f'<section class="turn" data-turn="{act.number}">'
        f"<h3>Turn {act.number}{attempt} <small>{figures}</small></h3>"
        f"{_decision(act)}{work_html(act)}{_states(act)}{asked_html(act.asked)}</section>"
    )


def _decision(act: Act) -> str:
    if act.turn is None:
        return '<p class="dim">This turn is not over, or never was.</p>'
    decision = act.turn.decision
    parts = [f'<p class="thought">{shown(decision.thought)}</p>']
    if act.turn.challenge:
        back = shown(act.turn.challenge)
        parts.append(f'<p class="challenge"><b>Asked back</b> {back}</p>')
    kind = "tag now" if decision.decision == "PROCEED" else "tag"
    tag = f'<span class="{kind}">{shown(decision.decision)}</span>'
    parts.append(f'<p class="decision">{tag}</p>')
    if decision.instruction:
        parts.append(block(decision.instruction, "instruction"))
    return "".join(parts)


def _states(act: Act) -> str:
    if act.before is None:
        cells = [label("State before") + '<p class="dim">not known</p>']
    elif act.before == act.after:
        cells = [label("State before and after") + data(act.before, "state")]
    else:
        after = '<p class="dim">not read again</p>'
        if act.after is not None:
            after = data(act.after, "state after")
        cells = [label("State before") + data(act.before, "state"), label("State after") + after]
    return f'<div class="states">{"".join(f"<div>{cell}</div>" for cell in cells)}</div>'


def _charts(story: Story) -> str:
    """Per turn where the seconds went and how many tokens, as far as they are known."""
    if not story.acts:
        return ""
    times = bars([_times(act) for act in story.acts])
    spent = bars([_tokens(act) for act in story.acts])
    rows = "".join(
        f'<tr><th scope="row">{act.number}</th><td>{time}</td>'
        f'<td class="n">{seconds(act.seconds)}</td><td>{some}</td>'
        f'<td class="n">{number(tokens_of(act.asked))}</td></tr>'
        for act, time, some in zip(story.acts, times, spent, strict=True)
    )
    return f"{_CHART_HEAD}{rows}</tbody></table>"


def _times(act: Act) -> Row:
    """Evaluator, worker's model, tools, the rest."""
    eyes = sum(call.seconds for call in act.asked if call.role == "evaluator")
    hands = sum(call.seconds for call in act.asked if call.role != "evaluator")
    tools = sum(call.seconds for call in act.tools)
    rest = max((act.seconds or 0.0) - eyes - hands - tools, 0.0)
    return [("eyes", eyes), ("hands", hands), ("tools", tools), ("rest", rest)]


def _tokens(act: Act) -> Row:
    """Prompt read anew, prompt from a cache, completion."""
    cached = sum(call.usage.cached or 0 for call in act.asked)
    prompt = sum(call.usage.prompt or 0 for call in act.asked)
    said = sum(call.usage.completion or 0 for call in act.asked)
    return [("eyes", max(prompt - cached, 0)), ("rest", cached), ("hands", said)]


def bars(rows: list[Row]) -> list[str]:
    """Stacked bars; the longest of them is as wide as there is room."""
    longest = max((sum(size for _, size in row) for row in rows), default=0.0) or 1.0
    return [_bar(row, 100 / longest) for row in rows]


def _bar(row: Row, scale: float) -> str:
    parts, at = [], 0.0
    for kind, size in row:
        width = size * scale
        if round(width, 2):
            place = f'x="{at:.2f}" width="{width:.2f}"'
            parts.append(f'<rect class="{kind}" {place} height="8"/>')
        at += width
    box = 'viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"'
    return f'<svg class="stack" {box}>{"".join(parts)}</svg>'
