"""Cassettes: what was recorded is answered again, and nothing else is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from core.models.model_call import ExchangeFailed, KeptCalls, ModelCall, Request, Usage
from core.models.model_client import ModelClient
from core.models.models_file import load_models
from core.runs import cassette
from core.runs.cassette import Player, Recorder, Tape, TapeWriter
from tests.core.runs.tapes import Canned, TapeOf, ask, attempt, missed, reply

ROOT = Path(cassette.__file__).parents[2]


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


def test_a_miss_of_another_cassette_is_no_exchange(tape_of: TapeOf) -> None:
    assert tape_of((ask(), ExchangeFailed("missing", "not there"))).exchanges == ()


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


REFUSED = """
import socket, sys
def refuse(*a, **k):
    raise SystemExit("a connection was tried")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
from pathlib import Path
from core.runs.cassette import Player
from core.runs.cassette import Tape
from core.models.model_client import ModelClient, ModelFailed
from core.models.model_call import KeptCalls
calls = []
def no_sleep(seconds):
    assert seconds == 0, seconds
path, model = sys.argv[1:]
player = Player(Tape.load(Path(path)))
client = ModelClient(
    model, "worker", KeptCalls(calls), transport_factory=lambda _: player, sleep=no_sleep
)
print(client.complete([{"role": "user", "content": "first"}]).text)
try:
    client.complete([{"role": "user", "content": "another"}])
except ModelFailed as error:
    print(error.kind)
assert player.misses == 1
print([(c.error_kind, c.usage.prompt, c.cost_usd) for c in calls])
print([m for m in sys.modules if m in ("litellm", "openai", "smolagents", "httpx")])
"""


def test_a_door_plays_a_tape_without_network_wait_or_litellm(tmp_path: Path) -> None:
    model, path = "nebius/openai/gpt-oss-120b", tmp_path / "t.jsonl"
    limit = ExchangeFailed("rate_limit", "slow down", status=429, retry_after=0.01)
    writer = TapeWriter(path)
    recorder = Recorder(writer, Canned([limit, reply("done")]))
    calls: list[ModelCall] = []
    client = ModelClient(
        model,
        "worker",
        KeptCalls(calls),
        transport_factory=lambda _: recorder,
        models=load_models(),
    )
    assert client.complete([{"role": "user", "content": "first"}]).text == "done"
    writer.close()
    # One hash names a prompt in the journal and on the tape.
    assert {c.prompt_sha256 for c in calls} == {e.prompt_sha256 for e in Tape.load(path).exchanges}
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, str(path), model],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    first = [(c.error_kind, c.usage.prompt, c.cost_usd) for c in calls]
    missing = ("missing", 0, 0.0)
    assert done.stdout.splitlines() == [
        "done", "missing", str([*first, missing]), "[]",
    ]  # fmt: skip
