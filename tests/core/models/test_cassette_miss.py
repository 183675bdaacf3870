"""A request that is not on a tape: what is told about it."""

from __future__ import annotations

from core.models.cassette import DIFF_LINES, LINE_CHARS, Player
from tests.core.models.tapes import Record, ask, missed, reply


def test_a_miss_shows_the_nearest_request_and_where_it_differs(record: Record) -> None:
    rules = [f"Rule {i}: {'word ' * 20}" for i in range(30)]
    changed = [r.replace("Rule 17:", "Rule 17, new:") for r in rules]
    tape = record(
        (ask("Buy two cups", system="Quite another prompt"), reply()),
        (ask("Buy two cups", system="\n".join(rules)), reply()),
        (ask("Sell all that there is and go home", system="\n".join(rules)), reply()),
        (ask("Buy two cups", model="other/model", system="\n".join(changed)), reply()),
    )
    text = missed(Player(tape), ask("Buy two cups", system="\n".join(changed)))
    assert f"the cassette {tape.path} has no such request" in text
    text = missed(Player(tape), ask("Buy two cups!", system="\n".join(changed)))
    assert "nearest is exchange 2, 99." in text
    diff = text.splitlines()[1:]
    assert diff[0].strip() == "--- recorded"
    assert [line[:15] for line in diff if line[0] in "+-"][2:] == [
        "-Rule 17: word ", "+Rule 17, new: ", "-Buy two cups", "+Buy two cups!",
    ]  # fmt: skip
    assert all(len(line) <= LINE_CHARS + 1 for line in diff)


def test_a_miss_says_where_only_parameters_differ(record: Record) -> None:
    tape = record((ask(temperature=0.0, effort="low"), reply()))
    text = missed(Player(tape), ask(temperature=0.5, max_tokens=9))
    was, now = "{'effort': 'low', 'temperature': 0.0}", "{'max_tokens': 9, 'temperature': 0.5}"
    assert f"exchange 1 has the same prompt, but from ('openai/some', {was}), not" in text
    assert text.endswith(f"('openai/some', {now})")


def test_a_miss_is_of_sane_length_and_shows_signs_of_a_terminal_as_escapes(record: Record) -> None:
    tape = record((ask("a\x1b[31m" + "word " * 90_000), reply()))
    text = missed(Player(tape), ask("b\x1b[31m\n" + "other \r\n" * 90_000))
    assert len(text.splitlines()) <= DIFF_LINES + 5
    assert len(text) < DIFF_LINES * LINE_CHARS * 2
    assert "\x1b" not in text
    assert "\r" not in text
    assert "more lines" in text
    assert "has no exchanges" in missed(Player(record()), ask())
