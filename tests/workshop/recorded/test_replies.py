"""The file of recorded replies keeps every text, whatever stands in it."""

from __future__ import annotations

import tomllib
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from workshop.recorded.replies import (
    RecordedTask,
    RecordedTurn,
    RecordedVerdict,
    RecordedWiki,
    Recording,
    written,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    ["a'''b\n", "ends'\nwith'", "\\n is no line\n", "tab\there\nand there", "\r\n", "", "\x7f\n"]
)
TURNS = st.builds(
    RecordedTurn,
    evaluator=st.lists(TEXTS, min_size=1, max_size=2).map(tuple),
    worker=st.lists(TEXTS, max_size=2).map(tuple),
)
TASKS = st.builds(
    RecordedTask,
    id=TEXTS,
    text=TEXTS,
    calls=st.dictionaries(st.sampled_from(["entities", "verify"]), TEXTS),
    verdicts=st.lists(st.builds(RecordedVerdict, change=TEXTS, reply=TEXTS), max_size=2).map(tuple),
    turns=st.lists(TURNS, min_size=1, max_size=2).map(tuple),
)
WIKIS = st.builds(RecordedWiki, pages=st.lists(TEXTS, max_size=2).map(tuple), reply=TEXTS)


@given(
    st.lists(TASKS, min_size=1, max_size=3).map(tuple),
    st.lists(WIKIS, max_size=2).map(tuple),
    TEXTS,
)
def test_a_recording_is_read_as_it_was_written(
    tasks: tuple[RecordedTask, ...], wikis: tuple[RecordedWiki, ...], model: str
) -> None:
    recording = Recording(recorded=date(2026, 1, 2), model=model, wikis=wikis, tasks=tasks)
    assert Recording.model_validate(tomllib.loads(written(recording))) == recording
