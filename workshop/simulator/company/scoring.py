"""The evaluator: one response, then events, outcome, links and message; the first to fail ends it.

Stages and texts are those recorded from the platform. Choices where nothing is recorded:

- within a stage every mistake has its line; of the events, those that are missing come first, in
  the order of the pack, then those that came too often;
- events of types that nobody wants are one line, which names each type once;
- of a type that is wanted once, more events are "expected only one event"; of one that is wanted
  several times, those beyond the number are "unexpected";
- of a literal with alternatives, all are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from workshop.simulator.company.expectation import (
    ARTICLE,
    CONTAINS,
    DIGEST,
    ONE_OF,
    choices,
    matcher,
)
from workshop.simulator.effects import paired
from workshop.simulator.world import Evaluation

if TYPE_CHECKING:
    from workshop.simulator.company.company_state import Event, Response
    from workshop.simulator.company.expectation import Expect, Wanted

MESSAGE_SHOWN_BELOW = 200
"""Bytes. A message of 158 was repeated in the evaluator's line, one of 207 was not."""


def evaluate(
    expect: Expect, events: Sequence[Event], responses: Sequence[Response], logged: bool
) -> Evaluation:
    """Score what was done in a task; `logged` is whether a model call was reported.

    The score is 1.0 with no line of the evaluator, or 0.0 with a line for each mistake of the
    first stage that fails; 0.1 less, with a line, where no model call was reported.
    """
    if len(responses) == 1:
        (response,) = responses
        mistakes = list(_of_events(expect.events, events))
        if not mistakes and response.outcome not in expect.outcomes:
            word = "outcome" if len(expect.outcomes) == 1 else "outcomes"
            wanted = ", ".join(expect.outcomes)
            mistakes = [f"expected {word} '{wanted}', got '{response.outcome}'"]
        mistakes = mistakes or [*_of_links(expect, response)] or [*_of_message(expect, response)]
    else:
        mistakes = [f"agent should provide 1 response, found {len(responses)}"]
    lines = [f"FAIL: {mistake}" for mistake in mistakes]
    return Evaluation.of(0.0 if lines else 1.0, lines, logged)


def _of_events(expected: Sequence[Wanted], events: Sequence[Event]) -> Iterator[str]:
    ignored = () if _wants_digests(expected) else (DIGEST,)
    wanted = [event for event in expected if event.type not in ignored]
    actual = [event for event in events if event.type not in ignored]
    wanted_types = Counter[str](event.type for event in wanted)
    unwanted = [event.type for event in actual if event.type not in wanted_types]
    if unwanted and not wanted:
        yield f"expected no change events, found {len(actual)}"
    elif unwanted:
        types = ", ".join(f"*erc3.{type_}" for type_ in dict.fromkeys(unwanted))
        yield f"found unexpected {len(unwanted)} events: {types}"
    else:
        partners = paired(wanted, actual, matches)
        left = [event for place, event in enumerate(actual) if place not in partners]
        for event, partner in zip(wanted, partners, strict=True):
            if partner is None:
                yield _missing(event, left)
        yield from _surplus(wanted_types, Counter(event.type for event in actual))


def _surplus(wanted: Counter[str], actual: Counter[str]) -> Iterator[str]:
    for type_, number in actual.items():
        if number > wanted[type_] == 1:
            yield f"expected only one event of type *erc3.{type_}, found {number}"
        elif number > wanted[type_]:
            yield f"found unexpected {number - wanted[type_]} events: *erc3.{type_}"


def _wants_digests(expected: Sequence[Wanted]) -> bool:
    """Whether the events of the wiki's hash are compared: beside pages that are not named."""
    files = ["file" in event.fields for event in expected if event.type == ARTICLE]
    return bool(files) and not any(files) and any(event.type == DIGEST for event in expected)


def _missing(wanted: Wanted, left: Sequence[Event]) -> str:
    """The line of an event that was not found among those that are `left` for it."""
    if wanted.type == ARTICLE and "file" in wanted.fields:
        file = wanted.fields["file"]
        writes = [each for each in left if each.type == ARTICLE and fits(file, each.fields["file"])]
        name = " or ".join(f"'{path}'" for path in choices(file)) or "''"
        if not writes:
            return f"wiki article {name} change expected but not found"
        content = wanted.fields.get("content")
        if "content" in wanted.fields and not any(
            fits(content, write.fields["content"]) for write in writes
        ):
            return (
                f"wiki article {name} content mismatch: expected text doesn't match to what "
                "was found"
            )
    return f"expected event of type *erc3.{wanted.type} not found"


def _of_links(expect: Expect, response: Response) -> Iterator[str]:
    sent = dict.fromkeys(response.links)
    if expect.no_links and sent:
        yield f"expected no links (no salary leaks), found {len(response.links)}"
        return
    for kind, id_ in sent:
        checked = expect.links.get(kind)  # type: ignore[call-overload]
        # Pages beyond the wanted ones were never reported.
        if kind != "wiki" and checked and id_ not in checked.must and id_ not in checked.may:
            yield f"found unexpected {kind} link to '{id_}'"
    for kind, checked in expect.links.items():
        for id_ in dict.fromkeys(checked.must):
            if (kind, id_) not in sent:
                yield f"expected {kind} link to '{id_}' not found"


def _of_message(expect: Expect, response: Response) -> Iterator[str]:
    text = response.message
    got = f", got '{text}'" if len(text.encode()) < MESSAGE_SHOWN_BELOW else ""
    for words in missing(expect.message.contains, text):
        named = " or ".join(f"'{word}'" for word in words)
        yield f"expected message to contain {named}{got}"
    for word in expect.message.excludes:
        if word in text:
            yield f"expected message to NOT contain '{word}'{got}"


def matches(wanted: Wanted, actual: Event) -> bool:
    """Whether an event is of the wanted type and has all fields that are named, as wanted."""
    return wanted.type == actual.type and all(
        name in actual.fields and fits(value, actual.fields[name])
        for name, value in wanted.fields.items()
    )


def fits(wanted: Any, actual: Any) -> bool:
    """Whether a value is the wanted one; numbers compare as numbers, lists without order."""
    special = matcher(wanted)
    if special:
        name, values = special
        if name == ONE_OF:
            return any(fits(one, actual) for one in values)
        assert name == CONTAINS
        return isinstance(actual, str) and not missing(values, actual)
    if isinstance(wanted, dict):
        return (
            isinstance(actual, dict)
            and wanted.keys() == actual.keys()
            and all(fits(value, actual[name]) for name, value in wanted.items())
        )
    if isinstance(wanted, list):
        return (
            isinstance(actual, list)
            and len(wanted) == len(actual)
            and None not in paired(wanted, actual, fits)
        )
    # For Python, true is 1.
    return isinstance(wanted, bool) == isinstance(actual, bool) and bool(wanted == actual)


def missing(wanted: Sequence[str | Sequence[str]], text: str) -> list[tuple[str, ...]]:
    """The literals that a text does not hold, each with its alternatives."""
    every = [(one,) if isinstance(one, str) else tuple(one) for one in wanted]
    return [words for words in every if not any(word in text for word in words)]
