"""The file of a cassette: any text, many threads, any crash, and no key."""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.redact import MASK, remember
from core.runs.cassette import (
    Player,
    Recorder,
    Tape,
    TapeError,
    TapeWriter,
    prompt_hash,
)
from tests.core.runs.tapes import Canned, TapeOf, ask, attempt, missed, reply

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["\ud800", "\udfff\u2028\u2029\x85\r\n\0", '"}\n{"v":1}', "x" * 300_000, "ä\U0001f600"]
)


PARAMS = st.dictionaries(
    st.text(max_size=5),
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    max_size=3,
)


REPLIES = st.builds(
    Reply,
    text=ANY_TEXT,
    reasoning=ANY_TEXT,
    finish_reason=st.none() | st.text(max_size=9),
    usage=st.builds(Usage, prompt=st.none() | st.integers(), cached=st.none() | st.integers()),
    cost_usd=st.none() | st.floats(allow_nan=False),
)


def joined(value: str) -> str:
    """Two halves of one sign are that sign, in JSON as everywhere else."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def whole(answer: Reply) -> Reply:
    texts = {"text", "reasoning", "finish_reason"}
    update = {n: joined(getattr(answer, n)) for n in texts if getattr(answer, n) is not None}
    return answer.model_copy(update=update)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ANY_TEXT, PARAMS, REPLIES), min_size=1, max_size=4))
def test_any_reply_to_any_request_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, dict[str, Any], Reply]]
) -> None:
    path = tmp_path_factory.mktemp("tape") / "t.jsonl"
    writer = TapeWriter(path)
    requests = [
        Request(model="m", messages=({"role": "user", "content": t},), params=p) for t, p, _ in said
    ]
    recorder = Recorder(writer, Canned(answer for *_, answer in said))
    for request in requests:
        recorder.send(request, 1.0)
    player = Player(Tape.load(path))
    assert [player.send(r, 1.0) for r in requests] == [whole(answer) for *_, answer in said]


def test_every_text_is_stored_once(tape_of: TapeOf) -> None:
    long = "the same rules " * 500
    tape = tape_of(*[(ask(f"question {i}", system=long), reply(str(i))) for i in range(20)])
    assert tape.path.read_text().count(long) == 1
    assert tape.exchanges[19].request == ask("question 19", system=long)


def test_eight_threads_write_one_file_and_eight_read_it(tmp_path: Path) -> None:
    class Counting:
        """Says how often it was asked the same."""

        def __init__(self, name: int) -> None:
            self.name, self.asked = name, Counter[str]()

        def send(self, request: Request, timeout: float) -> Reply:
            self.asked[prompt_hash(request.messages)] += 1
            return reply(f"{self.name}: {self.asked[prompt_hash(request.messages)]} " + "x" * 3000)

    writer = TapeWriter(tmp_path / "t.jsonl")
    requests = [ask(f"{i % 10}", system="s" * 3000) for i in range(50)]

    def run(make: Callable[[int], Any]) -> list[list[Reply]]:
        def work(name: int) -> list[Reply]:
            transport = make(name)
            return [transport.send(r, 1.0) for r in requests]

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(work, range(8)))

    recorded = run(lambda name: Recorder(writer, Counting(name)))
    tape = Tape.load(writer.path)
    assert len(tape.exchanges) == writer.exchanges == 400
    assert writer.masked == 0
    player = Player(tape)
    played = run(lambda name: player)
    texts = [Counter(r.text for one in runs for r in one) for runs in (recorded, played)]
    assert texts[0] == texts[1]


@pytest.mark.promise("nothing lost at a kill")
def test_a_tape_cut_at_any_byte_holds_what_was_whole(tape_of: TapeOf) -> None:
    tape = tape_of((ask("a"), reply("one")), (ask("b"), reply("two")))
    data = tape.path.read_bytes()
    header = data.index(b"\n") + 1
    held = Counter[int]()
    for cut in range(header, len(data) + 1):
        tape.path.write_bytes(data[:cut])
        part = Tape.load(tape.path)
        assert part.exchanges == tape.exchanges[: len(part.exchanges)]
        held[len(part.exchanges)] += 1
    assert sorted(held) == [0, 1, 2]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b"", "is not a cassette"),
        (b'{"v": 1, "ty', "is not a cassette"),
        (b"hello\nthere\n", "line 1 "),
        (b'{"format": "store-pack/1"}\n', "line 1 "),
        (b'{"v": 2, "type": "cassette"}\n', "line 1 "),
        (b'{"v": 1, "type": "task"}\n', "is not a cassette"),
        (b'{"v": 1, "type": "cassette"}\n{"v": 1, "typ\n{"v": 1}\n', "line 2 "),
        (
            b'{"v": 1, "type": "cassette"}\n{"v": 1, "type": "exchange"}\n',
            "line 2: missing or wrong",
        ),
    ],
)
def test_what_is_no_tape_is_refused(tmp_path: Path, lines: bytes, said: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines)
    with pytest.raises(TapeError, match=said):
        Tape.load(path)


def test_a_text_that_is_not_there_is_said(tape_of: TapeOf) -> None:
    path = tape_of((ask("a"), reply())).path
    path.write_text("".join(x for x in path.open() if '"Be brief."' not in x))
    with pytest.raises(TapeError, match="line 3: missing or wrong"):
        Tape.load(path)
    with pytest.raises(TapeError, match=r"nowhere\.jsonl: cannot be read: No such file"):
        Tape.load(path.with_name("nowhere.jsonl"))


def test_a_tape_is_not_written_over(tape_of: TapeOf, tmp_path: Path) -> None:
    path = tape_of((ask(), reply())).path
    before = path.read_bytes()
    with pytest.raises(TapeError, match="is not empty"):
        TapeWriter(path)
    assert path.read_bytes() == before
    (tmp_path / "empty").touch()
    TapeWriter(tmp_path / "empty").close()
    for place in (tmp_path, path / "below", Path("/dev/full")):
        with pytest.raises(TapeError, match="cannot be written"):
            TapeWriter(place)


def test_nothing_is_written_behind_a_half_line(tmp_path: Path) -> None:
    writer = TapeWriter(tmp_path / "t.jsonl")
    recorder = Recorder(writer, Canned([reply("one"), reply("two" * 99), reply("three")]))
    recorder.send(ask(), 1.0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (writer.path.stat().st_size + 50, hard))
    try:
        with pytest.raises(TapeError, match="cannot be written: File too large"):
            recorder.send(ask(), 1.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with pytest.raises(TapeError, match="File too large"):
        recorder.send(ask(), 1.0)
    tape = Tape.load(writer.path)
    assert [e.reply for e in tape.exchanges] == [reply("one")]
    writer.close()


def test_a_closed_tape_takes_nothing(tmp_path: Path) -> None:
    writer = TapeWriter(tmp_path / "t.jsonl")
    writer.close()
    with pytest.raises(TapeError, match="it is closed"):
        Recorder(writer, Canned([reply()])).send(ask(), 1.0)


KEYS = {
    "SOME_API_KEY": "zq81-plain-words-9",
    "HF_TOKEN": 'q"uo\\ted-55',
    "MY_PASSWORD": "pässwörd-77",
}


@pytest.mark.promise("no secret in an output")
def test_no_key_is_on_the_tape(monkeypatch: pytest.MonkeyPatch, tape_of: TapeOf) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    remember("told-to-nobody-1234")
    secrets = [*KEYS.values(), "told-to-nobody-1234", "sk-proj-abcDEF1234567890abcDEF"]
    for secret in secrets:
        request = ask(
            f"my key is {secret}.", system=f"Use {secret}", user=secret, nested={"a": [secret]}
        )
        failed = ExchangeFailed("authentication", f"bad key {secret}", status=401)
        answers = reply(f"I know {secret}", reasoning=secret, answered_by=secret)
        tape = tape_of((request, answers), (request, failed))
        text = tape.path.read_text()
        for form in (secret, json.dumps(secret)[1:-1], secret.encode("unicode_escape").decode()):
            assert form not in text
        # The request is known by what was sent, not by what is left of it.
        player = Player(tape)
        played = player.send(request, 1.0)
        assert MASK in played.text
        assert secret not in str(attempt(player, request))
        assert "in 1 replies something that looks like a secret" in player.notes()[0]
        assert secret[:6] not in missed(player, ask(f"{secret} and", model=secret, user=[secret]))
