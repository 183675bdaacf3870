"""The faulty model: its ids, its schedule, and what becomes of good work done with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Ledger, tool
from core.models.model_call import ExchangeFailed, KeptCalls, Message, ModelCall, Reply
from core.models.model_client import ModelClient, ModelFailed
from core.models.reply_code import find_code
from core.models.reply_text import clean
from core.models.reprompt import Misread
from tests.replies import read_decision
from tests.scripted import play
from worker.worker import Worker
from workshop.rule_based.faulty import provider as faulty
from workshop.rule_based.faulty.provider import (
    ENDLESS_CHARS,
    KINDS,
    Spec,
    fitting,
    read_spec,
)

CODE = "x = 1\nfinal_answer(x)"
HANDS = f"Thought: go.\n<code>\n{CODE}\n</code>"
EYES = "THOUGHT: look\nDECISION: PROCEED\nINSTRUCTION: List it."
DRESSED = {"think", "channels", "fence", "blocks", "pascal-case"}
FAILING = {
    "http-429", "http-500", "http-503", "network", "timeout", "bad-answer", "http-401", "quota",
    "context-window",
}  # fmt: skip
FED_BACK = {"syntax", "unknown-tool"}


def prompt(text: str = "Buy 2 mugs") -> list[Message]:
    return [
        {"role": "system", "content": "You decide."},
        {"role": "user", "content": f"<task>\n{text}\n</task>"},
    ]


def going_on(messages: list[Message], said: str = "(empty)") -> list[Message]:
    return [
        *messages,
        {"role": "assistant", "content": said},
        {"role": "user", "content": "Again, please."},
    ]


def ask(model: str, messages: list[Message]) -> str:
    """One word for what came: the kind of the failure, or the text."""
    try:
        said = faulty.reply(model, messages)
    except ExchangeFailed as failure:
        return failure.kind
    return said if isinstance(said, str) else said.model_dump_json()


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        ("store", Spec(provider="playbook", name="store")),
        ("playbook/store", Spec(provider="playbook", name="store")),
        ("scripted/a?seed=7", Spec(provider="scripted", name="a", seed=7)),
        (
            "store?rate=1&streak=3&wait=0.5",
            Spec(provider="playbook", name="store", rate=1.0, streak=3, wait=0.5),
        ),
        (
            "store?kinds=empty,cut,empty",
            Spec(provider="playbook", name="store", kinds="empty,cut"),
        ),
        ("store?kinds=repairable", Spec(provider="playbook", name="store")),
    ],
)
def test_an_id_is_read(model: str, spec: Spec) -> None:
    assert read_spec(model) == spec


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("", "'' is no rule-based model"),
        ("openai/gpt", "'openai/gpt' is no rule-based model"),
        ("faulty/store", "'faulty/store' is no rule-based model"),
        ("store?speed=1", "speed: Extra inputs are not permitted"),
        ("store?seed", "seed"),
        ("store?other=x", "other"),
        ("store?seed=x", "seed: Input should be a valid integer"),
        ("store?rate=2", "rate: Input should be less than or equal to 1"),
        ("store?rate=nan", "rate: Input should be"),
        ("store?streak=0", "streak: Input should be greater than or equal to 1"),
        ("store?wait=-1", "wait: Input should be greater than or equal to 0"),
        ("store?kinds=empty,odd", "unknown kinds odd"),
        ("store?kinds=,", "unknown kinds (none given)"),
    ],
)
def test_a_wrong_id_is_told_with_what_is_right(model: str, said: str) -> None:
    with pytest.raises(LookupError) as caught:
        faulty.reply(model, prompt())
    assert said in str(caught.value)
    assert "kinds=A,B" in str(caught.value)
    assert "http-429" in str(caught.value)


def test_an_unknown_model_says_so_through_the_client() -> None:
    with pytest.raises(ModelFailed, match="there is no model playbook/cellar"):
        ModelClient("faulty/cellar?seed=1", "evaluator").complete(prompt())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("good", [HANDS, EYES], ids=["worker", "evaluator"])
@pytest.mark.parametrize("seed", range(4))
def test_every_kind_is_what_it_says(kind: str, good: str, seed: int) -> None:
    if kind not in fitting((kind,), good):
        return
    if kind in FAILING:
        with pytest.raises(ExchangeFailed):
            KINDS[kind](good, Random(seed))
        return
    said = KINDS[kind](good, Random(seed))
    assert len(said.text) <= ENDLESS_CHARS
    found = find_code(clean(said.text, said.finish_reason, said.reasoning))
    if good is HANDS:
        assert (found.code == CODE) == (kind in DRESSED)
        assert (found.code is not None) == (kind in DRESSED | FED_BACK)
    elif kind in DRESSED:
        assert read_decision(said.text, said.finish_reason) == read_decision(EYES)
    else:
        with pytest.raises(Misread):
            read_decision(said.text, said.finish_reason, said.reasoning)


PROMPTS = [prompt(f"Buy {n} mugs") for n in range(60)]


def test_nothing_and_everything_is_spoiled() -> None:
    good = [ask("store?rate=0", p) for p in PROMPTS]
    assert all(reply.startswith("THOUGHT") for reply in good)
    assert not set(good) & {ask("store?rate=1&kinds=empty,prose,http-429", p) for p in PROMPTS}


def test_the_rate_and_the_kinds_are_kept() -> None:
    many = [prompt(str(n)) for n in range(2000)]
    spec = read_spec("store?rate=0.3&seed=5")
    assert 0.26 < sum(spec.spoiled_in_a_row(p) for p in many) / len(many) < 0.34
    said = Counter(ask("store?rate=1&kinds=network,http-429,quota", p) for p in PROMPTS)
    assert set(said) == {"network", "rate_limit", "quota"}


def test_another_seed_is_another_schedule() -> None:
    one, two = ([read_spec(f"store?seed={s}").spoiled_in_a_row(p) for p in PROMPTS] for s in (1, 2))
    assert one != two


def test_the_schedule_knows_no_order_and_no_threads() -> None:
    model = "store?seed=3&rate=0.5"
    one_by_one = [ask(model, p) for p in PROMPTS]
    ask("store?rate=0", prompt())  # a good reply: what follows is no further attempt
    backwards = [ask(model, p) for p in reversed(PROMPTS)][::-1]
    with ThreadPoolExecutor(8) as pool:
        side_by_side = list(pool.map(lambda p: ask(model, p), PROMPTS))
    assert one_by_one == backwards == side_by_side


def test_the_same_prompt_in_all_threads_is_a_first_attempt_in_each() -> None:
    together = Barrier(8)

    def go(_: int) -> list[str]:
        together.wait()
        return [ask("store?rate=1&kinds=network", PROMPTS[0])[:7] for _ in range(3)]

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(go, range(8)))
    assert said == [["network", "THOUGHT", "network"]] * 8


def test_what_follows_a_spoiled_reply_is_good() -> None:
    model = "store?seed=9&rate=1&kinds=empty,http-500"
    for messages in PROMPTS[:10]:
        first = ask(model, messages)
        assert not first.startswith("THOUGHT")
        assert ask(model, messages).startswith("THOUGHT")  # the same attempt again
        assert ask(model, going_on(messages)).startswith("THOUGHT")  # a question back
        assert ask(model, messages) == first  # and from the start


@given(
    st.integers(0, 50), st.floats(0.2, 1), st.integers(1, 3),
    st.lists(st.booleans(), min_size=8, max_size=8), st.text(max_size=5),
)  # fmt: skip
def test_streaks_end_whatever_a_conversation_does(
    seed: int, rate: float, streak: int, repeats: list[bool], text: str
) -> None:
    spec = Spec(provider="playbook", name="store", seed=seed, rate=rate, streak=streak)
    if streak > 1:  # attempts and prompts are counted apart
        repeats = [repeats[0]] * len(repeats)
    messages, attempt, row = prompt(text), 0, 0
    for again in repeats:
        bad = spec.spoiled_in_a_row(messages, attempt)
        row = row + 1 if bad else 0
        assert row <= streak
        if bad and again:
            attempt += 1
        else:
            messages, attempt = going_on(messages), 0


def test_longer_streaks_happen_where_they_are_allowed() -> None:
    spec = Spec(provider="playbook", name="store", rate=1.0, streak=2)
    asked = [prompt()]
    for _ in range(5):
        asked.append(going_on(asked[-1]))
    assert [spec.spoiled_in_a_row(p) for p in asked] == [1, 2, 0] * 2


def test_the_pause_that_is_asked_for() -> None:
    with pytest.raises(ExchangeFailed) as caught:
        faulty.reply("store?rate=1&kinds=http-429&wait=2.5", prompt("Buy a pan"))
    assert (caught.value.kind, caught.value.status) == ("rate_limit", 429)
    assert caught.value.retry_after == 2.5


def test_faults_of_the_wire_are_met_by_the_door() -> None:
    calls: list[ModelCall] = []
    client = ModelClient(
        "faulty/store?rate=1&kinds=http-429,http-503,network,timeout,bad-answer",
        "evaluator",
        KeptCalls(calls),
    )
    for messages in PROMPTS[:10]:
        assert client.complete(messages).text.startswith("THOUGHT")
    assert [c.error is None for c in calls] == [False, True] * 10


def test_a_script_may_be_behind_it(bench: Callable[[], Ledger]) -> None:
    name = play("behind", [HANDS] * 8)
    for seed in range(4):
        client = ModelClient(f"faulty/{name}?seed={seed}&rate=1&kinds=syntax,no-code,cut", "worker")
        report = Worker(client).carry_out("Do it.", bench())
        assert (report.result, report.error) == (1, None)


def test_a_reply_that_is_a_record_is_spoiled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workshop.rule_based.store.model.reply", lambda m, p: Reply(text=EYES))
    assert ask("store?rate=0", prompt()) == Reply(text=EYES).model_dump_json()
    assert json.loads(ask("store?rate=1&kinds=empty", prompt("x")))["text"] == ""


@pytest.fixture
def bench() -> Callable[[], Ledger]:
    def make() -> Ledger:
        def Look() -> dict[str, Any]:
            """Looks."""
            return {}

        ledger = Ledger()
        ledger.offer([tool("read", Look)])
        return ledger

    return make
