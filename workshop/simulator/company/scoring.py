"""The evaluator: one response, then events, outcome, links and message; the first to fail ends it.

Stages and texts are those recorded from the platform. Choices where nothing is recorded:

- within a stage every mistake has its line: wanted events that are missing, in the order of the
  pack, then those that came too often, then those of types that nobody wanted, one line a type;
- of a type that is wanted once, more events are "expected only one event"; of one that is wanted
  several times, those beyond the number are "unexpected";
- of a literal with alternatives, all are named;
- the address that the line on missing statistics ends with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from workshop.simulator.company.expectation import ARTICLE, DIGEST, choices
from workshop.simulator.company.matching import fits, matches, missing, paired
from workshop.simulator.world import Evaluation

if TYPE_CHECKING:
    from workshop.simulator.company.events import Event, Response
    from workshop.simulator.company.expectation import Expect, Wanted

SAMPLE_AGENT = "https://github.com/trustbit/erc3-agents"


def evaluate(
    expect: Expect, events: Sequence[Event], responses: Sequence[Response], logged: bool
) -> Evaluation:
    """Score what was done in a task; `logged` is whether a model call was reported.

    The score is 1.0 with no line of the evaluator, or 0.0 with a line for each mistake of the
    first stage that fails; 0.1 less, with a line, where no model call was reported.
    """
    lines = _first_failing(expect, events, responses)
    return Evaluation.of(0.0 if lines else 1.0, lines, logged, SAMPLE_AGENT)


def _first_failing(
    expect: Expect, events: Sequence[Event], responses: Sequence[Response]
) -> list[str]:
    if len(responses) != 1:
        return [f"FAIL: agent should provide 1 response, found {len(responses)}"]
    (response,) = responses
    stages: tuple[Callable[[], Iterator[str]], ...] = (
        lambda: _of_events(expect.events, events),
        lambda: _of_outcome(expect, response),
        lambda: _of_links(expect, response),
        lambda: _of_message(expect, response),
    )
    for stage in stages:
        if lines := [f"FAIL: {line}" for line in stage()]:
            return lines
    return []


def _of_events(expected: Sequence[Wanted], events: Sequence[Event]) -> Iterator[str]:
    wanted = [one for one in expected if one.type != DIGEST]
    found = [one for one in events if one.type != DIGEST]
    if not wanted:
        if found:
            yield f"expected no change events, found {len(found)}"
        return
    partners = paired(wanted, found, matches)
    left = [event for place, event in enumerate(found) if place not in partners]
    for one, partner in zip(wanted, partners, strict=True):
        if partner is None:
            yield _missing(one, left)
    often, seen = Counter(one.type for one in wanted), Counter(one.type for one in found)
    for type_, number in often.items():
        if number == 1 and seen[type_] > 1:
            yield f"expected only one event of type *erc3.{type_}, found {seen[type_]}"
    for type_, number in seen.items():
        if often[type_] != 1 and number > often[type_]:
            yield f"found unexpected {number - often[type_]} events: *erc3.{type_}"


def _missing(wanted: Wanted, left: Sequence[Event]) -> str:
    """The line of an event that was not found among those that are `left` for it."""
    if wanted.type == ARTICLE and "file" in wanted.fields:
        file = wanted.fields["file"]
        written = [one for one in left if one.type == ARTICLE and fits(file, one.fields["file"])]
        name = " or ".join(f"'{path}'" for path in choices(file)) or "''"
        if not written:
            return f"wiki article {name} change expected but not found"
        content = wanted.fields.get("content")
        if "content" in wanted.fields and not any(
            fits(content, one.fields["content"]) for one in written
        ):
            return (
                f"wiki article {name} content mismatch: expected text doesn't match to what "
                "was found"
            )
    return f"expected event of type *erc3.{wanted.type} not found"


def _of_outcome(expect: Expect, response: Response) -> Iterator[str]:
    if response.outcome not in expect.outcomes:
        word = "outcome" if len(expect.outcomes) == 1 else "outcomes"
        yield f"expected {word} '{', '.join(expect.outcomes)}', got '{response.outcome}'"


def _of_links(expect: Expect, response: Response) -> Iterator[str]:
    sent = dict.fromkeys(response.links)
    if expect.no_links and sent:
        yield f"expected no links (no salary leaks), found {len(response.links)}"
        return
    for kind, id_ in sent:
        checked = expect.links.get(kind)  # type: ignore[call-overload]
        if checked and id_ not in checked.must and id_ not in checked.may:
            yield f"found unexpected {kind} link to '{id_}'"
    for kind, checked in expect.links.items():
        for id_ in dict.fromkeys(checked.must):
            if (kind, id_) not in sent:
                yield f"expected {kind} link to '{id_}' not found"


def _of_message(expect: Expect, response: Response) -> Iterator[str]:
    text = response.message
    for words in missing(expect.message.contains, text):
        named = " or ".join(f"'{word}'" for word in words)
        yield f"expected message to contain {named}, got '{text}'"
    for word in expect.message.excludes:
        if word in text:
            yield f"expected message to NOT contain '{word}', got '{text}'"
