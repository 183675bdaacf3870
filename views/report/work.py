"""The work of a turn as HTML: code with the calls under their lines, what models were asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger import ToolCall, WireCall
from runs.story import Act, Asked
from runs.work import StepRecord
from views.report.blocks import (
    answer,
    arguments,
    counted,
    cut,
    dollars,
    number,
    peek,
    seconds,
    strays,
    tokens_of,
)
from views.report.highlight import code_lines
from views.report.markup import block, data, folded, label, plain, shown

REQUESTS_SHOWN = 30
CALLS_UNFOLDED = 5
"""More calls of one line are folded away together."""


def work_html(act: Act) -> str:
    """The snippets of a turn with their calls, and what came of them; "" for no work."""
    report = act.turn.report if act.turn else None
    if report is None:
        return ""
    tools = frozenset(call.name for call in act.tools)
    made = [_snippet(n, step, act.tools, tools) for n, step in enumerate(act.steps, start=1)]
    odd = strays(act)
    if odd:
        made.append(_under("Calls of code that is not known", odd))
    if report.error:
        made.append(block(report.error, "error"))
    if report.answered:
        said = answer(report.result)
        line = f"Worker's answer {_peeked(cut(said))}"
        made.append(folded(line, f'<div class="inside">{data(said)}</div>', "answer"))
    return "".join(made)


def _snippet(
    number: int, step: StepRecord, calls: Iterable[ToolCall], tools: frozenset[str]
) -> str:
    lines = [
        f'<span class="ln"><i>{at}</i>{line}\n</span>'
        for at, line in enumerate(code_lines(plain(step.code), tools), start=1)
    ]
    under: dict[int, list[ToolCall]] = {}
    loose: list[ToolCall] = []
    for call in calls:
        if call.step == number:
            inside = call.line is not None and 1 <= call.line <= len(lines)
            (under.setdefault(call.line or 0, []) if inside else loose).append(call)
    parts = ['<div class="code">']
    begin = 0
    for end in [*sorted(under), len(lines)]:
        if end > begin:
            parts.append(f'<pre data-first="{begin + 1}">{"".join(lines[begin:end])}</pre>')
            if end in under:
                parts.append(f'<div class="under">{_calls(under[end])}</div>')
            begin = end
    parts.append("</div>")
    if loose:
        parts.append(_under("Calls whose line is not known", loose))
    if step.prints:
        parts.append(label("Printed") + block(step.prints))
    if step.error:
        parts.append(block(step.error, "error"))
    return "".join(parts)


def _under(title: str, calls: Sequence[ToolCall]) -> str:
    return f'<div class="under"><p class="dim">{title}</p>{_calls(calls)}</div>'


def _calls(calls: Sequence[ToolCall]) -> str:
    every = "".join(map(_call, calls))
    if len(calls) <= CALLS_UNFOLDED:
        return every
    off = sum(call.outcome != "done" for call in calls)
    line = f"{len(calls)} calls of {shown(calls[0].name)}"
    if off:
        line += f', <span class="bad">{off} not done</span>'
    return folded(line, every, "many")


def _call(call: ToolCall) -> str:
    done = call.outcome == "done"
    said = answer(call.result) if done else ""
    if done:
        peeked = _peeked(f"→ {cut(said)}")
    else:
        peeked = f'<span class="peek bad">→ {shown(call.outcome)}: {shown(call.error)}</span>'
    line = f'<code><span class="t">{shown(call.name)}</span>({shown(arguments(call))})</code>'
    parts = ['<div class="inside">']
    if call.arguments:
        parts.append(label("Arguments") + data(answer(call.arguments)))
    parts.append(label("Answer"))
    if call.error:
        parts.append(block(call.error, "error"))
    if done:
        parts.append(data(said))
    if call.requests:
        parts.append(_requests(call))
    parts.append("</div>")
    return folded(f"{line} {peeked}", "".join(parts), f"call {call.outcome}")


def _peeked(text: str) -> str:
    return f'<span class="peek">{shown(text)}</span>'


def _requests(call: ToolCall) -> str:
    rows = "".join(map(_request, call.requests[:REQUESTS_SHOWN]))
    inside = f'<table class="wire"><tbody>{rows}</tbody></table>'
    more = len(call.requests) - REQUESTS_SHOWN
    if more > 0:
        inside += f'<p class="dim">… and {more} more in the journal</p>'
    return folded(f"{counted(len(call.requests), 'request')}, {seconds(call.seconds)}", inside)


def _request(request: WireCall) -> str:
    bad = "" if request.outcome == "done" else ' class="bad"'
    why = f": {shown(request.error)}" if request.error else ""
    return (
        f"<tr><td>{shown(request.path)}</td><td><code>{shown(peek(request.body))}</code></td>"
        f"<td{bad}>{shown(request.outcome)}{why}</td>"
        f'<td class="n">{seconds(request.seconds)}</td></tr>'
    )


def asked_html(calls: Sequence[Asked]) -> str:
    """The model calls of a turn, folded; "" for none."""
    if not calls:
        return ""
    line = f"{counted(len(calls), 'model call')}, {number(tokens_of(calls))} tokens"
    failed = sum(bool(call.error) for call in calls)
    if failed:
        line += f', <span class="bad">{failed} failed</span>'
    return folded(line, "".join(map(_asked, calls)), "asked")


def _asked(call: Asked) -> str:
    names = [call.role, call.model, call.backend]
    said = [shown(name) for name in names if name]
    if call.attempt and call.attempt > 1:
        said.append(f"attempt {call.attempt}")
    said.append(seconds(call.seconds))
    if call.error:
        said[-1] += f' <span class="bad">{shown(call.error)}</span>'
    if call.then:
        said.append(f"then {shown(call.then)}")
    usage = call.usage
    end = f", ended by {shown(call.finish_reason)}" if call.finish_reason else ""
    parts = [
        f'<div class="inside"><p class="dim">prompt {number(usage.prompt)} '
        f"(cached {number(usage.cached)}), completion {number(usage.completion)}, "
        f"{dollars(call.cost_usd)}{end}</p>"
    ]
    parts += [folded(f"Prompt, {shown(role)}", block(text)) for role, text in call.prompt]
    for title, text in (("Reasoning", call.reasoning), ("Reply", call.text)):
        if text:
            parts.append(label(title) + block(text))
    parts.append("</div>")
    return folded(" · ".join(said), "".join(parts), "failed" if call.error else "")
