"""The models that fail on purpose, which other tests play with: they keep to their schedule."""

from __future__ import annotations

import pytest

from core.models.model_call import ExchangeFailed, Message
from core.models.providers import NOTHING_PLAYED
from tests.kit import faulty_models
from tests.kit.canned import play
from tests.kit.faulty_models import KINDS, Spec, read_spec

GOOD = "THOUGHT: x\nDECISION: FINISH\nINSTRUCTION: DONE"


def asked(options: str, *prompts: str) -> list[str]:
    """What is replied to prompts whose good replies are all the same."""
    play("good", [GOOD] * len(prompts))
    replies = []
    for prompt in prompts:
        messages: list[Message] = [{"role": "user", "content": prompt}]
        try:
            reply = faulty_models.reply(f"canned/good?{options}", messages, NOTHING_PLAYED)
            replies.append(reply if isinstance(reply, str) else reply.text)
        except ExchangeFailed as failure:
            replies.append(failure.kind)
    return replies


def test_nothing_and_everything_is_spoiled() -> None:
    prompts = [f"p{n}" for n in range(30)]
    assert asked("rate=0", *prompts) == [GOOD] * 30
    assert GOOD not in asked("rate=1&kinds=empty", *prompts)


def test_a_seed_spoils_the_same_replies_again() -> None:
    prompts = [f"p{n}" for n in range(60)]
    once = asked("seed=3&rate=0.5&kinds=empty", *prompts)
    assert once == asked("seed=3&rate=0.5&kinds=empty", *prompts)
    assert once != asked("seed=4&rate=0.5&kinds=empty", *prompts)
    assert 10 < once.count("") < 50


def test_what_follows_a_spoiled_reply_is_good() -> None:
    assert asked("rate=1&kinds=http-500", "p", "p", "p") == ["overload", GOOD, "overload"]


def test_an_id_is_read() -> None:
    assert read_spec("store") == Spec(provider="scripted", name="store")
    read = read_spec("canned/a?seed=7&kinds=empty")
    assert (read.provider, read.name, read.seed, read.kinds) == ("canned", "a", 7, ("empty",))


@pytest.mark.parametrize("model", ["", "faulty/x", "store?rate=7", "store?kinds=odd", "store?x=1"])
def test_a_wrong_id_is_refused(model: str) -> None:
    with pytest.raises(LookupError):
        faulty_models.check(model)


def test_there_are_kinds_for_either_role() -> None:
    assert {"empty", "syntax", "pascal-case"} <= KINDS.keys()
