"""The journal: whole lines or none, whatever ends the writing; and never two tasks in one file."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.runs.journal import Journal, JournalFailed, file_name, journal_paths, text_hash

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


ODD = [
    "buy it", "buy_it", "Buy_It", "BUY IT", "", "task", ".", "..", "a/b", "a_b", "a.b", "a.2", "a",
    "é", "e\u0301", "ß", "ss", "x" * 300, "x" * 299, "日" * 200, "\ud800", "con", "a\0b",
]  # fmt: skip
SPECS = st.lists(st.sampled_from(ODD) | st.text(max_size=8) | st.text("ab_-. 2", max_size=6))


def with_ids(specs: list[str]) -> list[tuple[str, str]]:
    return [(f"tsk-{number}", spec) for number, spec in enumerate(specs)]


@given(SPECS)
def test_no_two_tasks_share_a_file_on_any_file_system(specs: list[str]) -> None:
    paths = journal_paths(Path("run"), with_ids(specs))
    names = [path.name for path in paths.values()]
    assert len({unicodedata.normalize("NFKD", name).casefold() for name in names}) == len(specs)
    for path in paths.values():
        assert path.parent == Path("run/tasks")
        assert path.suffix == ".jsonl"
        assert len(path.name.encode()) <= 120
    assert len({file_name(spec) for spec in set(specs)}) == len(set(specs))


def test_the_names_of_the_usual_ids_are_the_ids() -> None:
    specs = ["soda_pack_optimizer", "buy-gpu-2", "a", "a", "a-2"]
    named = [path.stem for path in journal_paths(Path("run"), with_ids(specs)).values()]
    assert named == ["soda_pack_optimizer", "buy-gpu-2", "a", "a.2", "a-2"]
