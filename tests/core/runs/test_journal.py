"""The journal: whole lines or none, whatever ends the writing."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.journal import Journal, JournalFailed, text_hash

RECORDS = st.lists(st.dictionaries(st.text(), st.text() | st.integers(), max_size=3), max_size=5)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.promise("nothing lost at a kill")
@given(records=RECORDS, more=RECORDS, cut=st.integers(0, 10_000))
def test_after_a_cut_at_any_byte_every_line_is_whole(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, object]],
    more: list[dict[str, object]],
    cut: int,
) -> None:
    path = tmp_path_factory.mktemp("journal") / "task.jsonl"
    journal = Journal(path)
    for record in records:
        journal.write("note", {"record": record})
    journal.close()
    data = path.read_bytes()
    cut = min(cut, len(data))
    path.write_bytes(data[:cut])
    again = Journal(path)
    for record in more:
        again.write("note", {"record": record})
    again.close()
    # A line that lacks nothing but its end is whole.
    whole = data[:cut].count(b"\n") + (data[cut : cut + 1] == b"\n")
    assert [line["record"] for line in lines(path)] == [*records[:whole], *more]


def test_a_long_torn_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    path.write_bytes(b'{"v": 1, "type": "note"}\n' + b"x" * 200_000)
    Journal(path).close()
    assert path.read_bytes() == b'{"v": 1, "type": "note"}\n'


def test_signs_that_readers_take_for_line_ends_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    journal = Journal(path)
    journal.write("note", {"text": "a\u2028b\x85c\ud800"})
    journal.close()
    assert path.read_text(encoding="utf-8").count("\n") == 1
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1
    assert lines(path)[0]["text"] == "a\u2028b\x85c\ud800"


def test_a_text_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    journal = Journal(path)
    assert journal.text("hello") == journal.text("hello") == text_hash("hello")
    journal.text("other")
    journal.close()
    assert [line["text"] for line in lines(path)] == ["hello", "other"]


@pytest.fixture
def little_room() -> Iterator[None]:
    """Files of this process end at 2,000 bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.usefixtures("little_room")
def test_a_record_that_does_not_fit_leaves_nothing_and_ends_the_writing(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    journal = Journal(path)
    journal.write("note", {"text": "x" * 500})
    with pytest.raises(JournalFailed, match=r"task\.jsonl cannot be written: File too large"):
        journal.write("note", {"text": "y" * 5_000})
    assert [line["text"] for line in lines(path)] == ["x" * 500]
    with pytest.raises(JournalFailed, match="File too large"):
        journal.write("note", {"text": "small"})
    journal.close()
    assert len(lines(path)) == 1


def test_a_journal_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JournalFailed, match="cannot be written"):
        Journal(tmp_path / "file" / "task.jsonl")


WRITER = """
import os, sys
from pathlib import Path
from core.runs.journal import Journal
journal = Journal(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while True:
    journal.write("note", {"number": number, "text": "z" * 3000})
    number += 1
"""


@pytest.mark.promise("nothing lost at a kill")
def test_kill_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "task.jsonl"
    root = Path(__file__).parents[3]
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], cwd=root, stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    writer.stdout.readline()
    while not path.exists() or path.stat().st_size < 300_000:
        os.sched_yield()
    writer.kill()
    writer.wait()
    Journal(path).close()
    assert [line["number"] for line in lines(path)] == list(range(len(lines(path))))
    assert len(lines(path)) >= 90
