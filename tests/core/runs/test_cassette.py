"""Cassettes: what was recorded is answered again, and nothing else is; no key is on them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.models_file import Backend
from core.models.redact import MASK, remember
from core.runs.cassette import Player, Recorder, Tape, TapeError, Tapes, TapeWriter

TapeOf = Callable[..., Tape]
"""Pairs of request and outcome -> the tape that came of them."""


def ask(
    text: str = "hello", model: str = "openai/some", system: str = "Be brief.", **params: Any
) -> Request:
    messages = ({"role": "system", "content": system}, {"role": "user", "content": text})
    return Request(model=model, messages=messages, params=params)


def reply(text: str = "hi", **fields: Any) -> Reply:
    usage = Usage(prompt=7, completion=2, cached=5, reasoning=1)
    return Reply(
        **({"finish_reason": "stop", "usage": usage, "cost_usd": 0.25} | fields), text=text
    )


class Canned:
    """A transport with outcomes in order; counts how often it was asked."""

    def __init__(self, outcomes: Iterable[Reply | Exception]) -> None:
        self._outcomes = iter(outcomes)
        self.asked = 0

    def send(self, request: Request, timeout: float) -> Reply:
        self.asked += 1
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def attempt(transport: Any, request: Request) -> Reply | ExchangeFailed:
    try:
        return transport.send(request, 1.0)  # type: ignore[no-any-return]
    except ExchangeFailed as error:
        return error


def missed(transport: Any, request: Request) -> str:
    with pytest.raises(ExchangeFailed) as caught:
        transport.send(request, 1.0)
    assert caught.value.kind == "missing"
    assert caught.value.text == str(caught.value)
    return caught.value.text


def record_to(path: Path, *pairs: tuple[Request, Reply | Exception]) -> Tape:
    with closing(TapeWriter(path)) as writer:
        recorder = Recorder(writer, Canned(outcome for _, outcome in pairs))
        for request, _ in pairs:
            attempt(recorder, request)
    return Tape.load(path)


@pytest.fixture
def tape_of(tmp_path: Path) -> TapeOf:
    """Records pairs of request and outcome to a new tape, and reads it."""

    def make(*pairs: Any) -> Tape:
        return record_to(tmp_path / f"tape-{len(list(tmp_path.iterdir()))}.jsonl", *pairs)

    return make


def test_the_nth_request_gets_the_nth_reply_with_all_that_belongs_to_it(tape_of: TapeOf) -> None:
    first, second = reply("one", reasoning="so", answered_by="some-1"), reply("two")
    player = Player(tape_of((ask(), first), (ask("other"), reply("x")), (ask(), second)))
    assert [player.send(ask(), 1.0), player.send(ask(), 1.0)] == [first, second]
    player.send(ask("other"), 1.0)
    assert player.notes() == ()


def test_one_more_than_recorded_is_a_miss_unless_all_say_the_same(tape_of: TapeOf) -> None:
    once = Player(tape_of((ask(), reply())))
    once.send(ask(), 1.0)
    assert "has 1 such, all played" in missed(once, ask())
    apart = Player(tape_of((ask(), reply("a")), (ask(), reply("b"))))
    assert [apart.send(ask(), 1.0).text for _ in "ab"] == ["a", "b"]
    assert "has 2 such" in missed(apart, ask())
    alike = Player(tape_of((ask(), reply("a", usage=Usage())), (ask(), reply("a"))))
    assert [alike.send(ask(), 1.0).usage.prompt for _ in "abc"] == [None, 7, 7]
    ill = ExchangeFailed("overload", "busy")
    failing = Player(tape_of((ask(), ill), (ask(), ill)))
    assert [getattr(attempt(failing, ask()), "kind", None) for _ in "abc"] == [
        "overload", "overload", "missing",
    ]  # fmt: skip


def test_errors_come_again_without_a_wait(tape_of: TapeOf) -> None:
    billed = Usage(prompt=3, completion=0, cached=0, reasoning=0)
    limit = ExchangeFailed("rate_limit", "slow down", status=429, retry_after=30.0, usage=billed)
    tape = tape_of((ask(), limit), (ask(), reply()))
    assert tape.exchanges[0].error is not None
    assert tape.exchanges[0].error.retry_after == 30.0
    player = Player(tape)
    error = attempt(player, ask())
    assert isinstance(error, ExchangeFailed)
    assert (error.kind, error.text, error.status) == ("rate_limit", "slow down", 429)
    assert (error.retry_after, error.usage) == (0.0, billed)
    assert player.send(ask(), 1.0) == reply()


def test_the_order_of_names_is_no_difference_and_everything_else_is(tape_of: TapeOf) -> None:
    base = ask(temperature=0.0, max_tokens=5)
    turned = Request(
        model=base.model,
        messages=tuple(dict(reversed(m.items())) for m in base.messages),
        params={"max_tokens": 5, "temperature": 0.0},
    )
    others = [
        ask(temperature=0.0, max_tokens=6), ask(temperature=0.0),
        ask("hullo", temperature=0.0, max_tokens=5), ask(model="m", temperature=0.0, max_tokens=5),
        base.model_copy(update={"messages": base.messages[::-1]}),
    ]  # fmt: skip
    player = Player(tape_of((base, reply())))
    for other in others:
        missed(player, other)
    assert player.send(turned, 1.0) == reply()


def test_one_backend_is_as_good_as_another_where_that_is_told(tape_of: TapeOf) -> None:
    tape = tape_of(
        (ask(model="a/x"), ExchangeFailed("overload", "busy")),
        (ask(model="b/x"), reply("of b")),
        (ask("later", model="a/x"), reply("of a")),
    )
    player = Player(tape, backends=[("a/x", "b/x")])
    assert isinstance(attempt(player, ask(model="b/x")), ExchangeFailed)
    assert player.send(ask(model="b/x"), 1.0).text == "of b"
    assert player.send(ask("later", model="b/x"), 1.0).text == "of a"
    assert "has no such request (b/x, 2 messages" in missed(Player(tape), ask("later", model="b/x"))


def test_what_is_said_of_a_miss_holds_nothing_of_the_prompt(tape_of: TapeOf) -> None:
    tape = tape_of((ask("Buy two cups"), reply()))
    text = missed(Player(tape), ask("Buy two \x1b[31m mugs\n" * 90_000, system="secret words"))
    assert len(text) < 300
    assert "mugs" not in text
    assert "secret" not in text


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["\ud800", "\udfff\u2028\u2029\x85\r\n\0", '"}\n{"v":1}', "x" * 300_000, "ä\U0001f600"]
)
PARAMS = st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers())


def joined(value: str) -> str:
    """Two halves of one sign are that sign, in JSON as everywhere else."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(ANY_TEXT, PARAMS, ANY_TEXT, ANY_TEXT), min_size=1, max_size=4))
def test_any_reply_to_any_request_comes_back_equal(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, dict[str, Any], str, str]]
) -> None:
    requests = [ask(text, **{f"_{n}": v for n, v in params.items()}) for text, params, *_ in said]
    replies = [reply(text, reasoning=thought) for *_, text, thought in said]
    path = tmp_path_factory.mktemp("tape") / "t.jsonl"
    player = Player(record_to(path, *zip(requests, replies, strict=True)))
    assert [player.send(one, 1.0) for one in requests] == [
        one.model_copy(update={"text": joined(one.text), "reasoning": joined(one.reasoning)})
        for one in replies
    ]


def test_every_text_is_stored_once(tape_of: TapeOf) -> None:
    long = "the same rules " * 500
    tape = tape_of(*[(ask(f"question {i}", system=long), reply(str(i))) for i in range(20)])
    assert tape.path.read_text().count(long) == 1
    assert tape.exchanges[19].request == ask("question 19", system=long)


def test_eight_threads_write_one_file_and_eight_read_it(tmp_path: Path) -> None:
    class Echo:
        def send(self, request: Request, timeout: float) -> Reply:
            return reply(request.messages[1]["content"] + "x" * 3000)

    def run(transport: Any) -> list[str]:
        with ThreadPoolExecutor(8) as pool:
            asked = [ask(f"{n % 10}", system="s" * 3000) for n in range(200)]
            return [one.text for one in pool.map(lambda one: transport.send(one, 1.0), asked)]

    with closing(TapeWriter(tmp_path / "t.jsonl")) as writer:
        recorded = run(Recorder(writer, Echo()))
    assert (writer.exchanges, writer.masked) == (200, 0)
    assert run(Player(Tape.load(writer.path))) == recorded


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


def test_a_tape_is_not_written_over_nor_after_its_end(tape_of: TapeOf, tmp_path: Path) -> None:
    path = tape_of((ask(), reply())).path
    before = path.read_bytes()
    with pytest.raises(TapeError, match="is not empty"):
        TapeWriter(path)
    for place in (tmp_path, path / "below", Path("/dev/full")):
        with pytest.raises(TapeError, match="cannot be written"):
            TapeWriter(place)
    (tmp_path / "empty").touch()
    writer = TapeWriter(tmp_path / "empty")
    writer.close()
    with pytest.raises(TapeError, match="is closed"):
        writer.add(ask(), reply(), 1.0)
    assert path.read_bytes() == before


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


def life(folder: Path, inner: Canned, *texts: str) -> list[str]:
    """What a process was answered that works with the tapes of those before it."""
    with closing(Tapes(folder)) as tapes:
        transport = tapes.transport_factory(lambda _backend: inner)(Backend(name="m", model="m"))
        return [transport.send(ask(text), 1.0).text for text in texts]


def replies(*texts: str) -> Canned:
    return Canned([reply(text) for text in texts])


def test_each_recorded_reply_answers_once_and_in_its_order(tmp_path: Path) -> None:
    assert life(tmp_path, replies("a1", "b1", "a2"), "a", "b", "a") == ["a1", "b1", "a2"]
    second = replies("c1", "a3")
    assert life(tmp_path, second, "a", "a", "c", "a") == ["a1", "a2", "c1", "a3"]
    assert second.asked == 2
    every = ["a1", "b1", "a2", "a3", "c1"]
    assert life(tmp_path, replies(), "a", "b", "a", "a", "c") == every


def test_a_failure_is_asked_again(tmp_path: Path) -> None:
    with pytest.raises(ExchangeFailed):
        life(tmp_path, Canned([reply("a1"), ExchangeFailed("network", "gone")]), "a", "b")
    assert life(tmp_path, replies("b1"), "a", "b") == ["a1", "b1"]


@pytest.mark.promise("nothing lost at a kill")
def test_what_a_death_has_cut_is_asked_again(tmp_path: Path) -> None:
    life(tmp_path, replies("a1", "b1"), "a", "b")
    (tape,) = tmp_path.glob("*.jsonl")
    tape.write_bytes(tape.read_bytes()[:-20])
    (tmp_path / "001.jsonl").write_bytes(b"")
    assert life(tmp_path, replies("b2"), "a", "b") == ["a1", "b2"]
