"""Values and texts at the wall."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import clean
from worker.sandbox.values import (
    NotPlain,
    Prints,
    Unframer,
    display,
    frame,
    plain_json,
    shorten,
)

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)
)
KEYS = st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.sets(st.integers(), max_size=3),
    ),
    max_leaves=20,
)


class Color(enum.IntEnum):
    RED = 1


@dataclass
class Offer:
    sku: str
    price: Decimal


class Model:
    def model_dump(self) -> dict[str, object]:
        return {"sku": "p1"}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": (1, {2})}, {"a": [1, [2]]}),
        ({1: "x", None: "y"}, {"1": "x", "null": "y"}),
        (Offer("p1", Decimal("2.50")), {"sku": "p1", "price": 2.5}),
        (Decimal("3.00"), 3),
        (date(2024, 1, 2), "2024-01-02"),
        (Color.RED, 1),
        (Model(), {"sku": "p1"}),
        ("a\ud800b", "a?b"),
    ],
)
def test_made_plain(value: object, plain: object) -> None:
    assert plain_json(value, 1000, "it") == plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "it holds a value of the type object"),
        ({object: 1}, "it has a key of the type type"),
        (1 << 5000, "it holds an integer of 5001 bits"),
        ("x" * 2000, "it is larger than 1000 characters"),
        ([[]] * 2000, "it is larger than 1000 characters"),
        (b"x", "it holds a value of the type bytes"),
    ],
)
def test_not_plain(value: object, text: str) -> None:
    with pytest.raises(NotPlain, match=text):
        plain_json(value, 1000, "it")


def test_circles_and_depth_end() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(NotPlain, match="deeper than 60"):
        plain_json(circle, 10**6, "it")


def test_copies_are_deep() -> None:
    inner = [1]
    copied = plain_json({"a": inner}, 1000, "it")
    inner.append(2)
    assert copied == {"a": [1]}


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_the_wire_gives_back_what_it_got(value: Any) -> None:
    plain = plain_json(value, 10**6, "it")
    line = Unframer(10**7)
    data = frame({"v": plain})
    line.feed(data[:3])
    assert line.next() is None
    line.feed(data[3:])
    assert line.next() == {"v": plain}


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_what_is_displayed_can_be_written(value: Any) -> None:
    displayed = display(value, 200)
    text = str(displayed)
    assert len(text) < 300
    text.encode()
    assert not any(char in text for char in "\x1b\x07\x85\u2028\u202e")


@pytest.mark.promise("generated code is contained")
@pytest.mark.parametrize(
    "junk", [b"\xff\xff\xff\xff", b"\0\0\0\x01[", b"\0\0\0\x021]", b"\0\0\0\x02[]"]
)
def test_junk_on_the_wire(junk: bytes) -> None:
    line = Unframer(1000)
    line.feed(junk)
    with pytest.raises(ValueError, match=r".*"):
        line.next()


def test_clean() -> None:
    assert clean("a\r\nb\tc\x1b[31m\x9b\u2028") == "a\nb\tc\\x1b[31m\\x9b\\u2028"
    assert clean("<A object at 0x7f3b2c001230>") == "<A object at 0x0>"


def test_shorten() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("a" * 50 + "b" * 50, 10).startswith("aaaaaaaa\n... (90 characters not shown)")


def test_log_keeps_head_and_tail() -> None:
    log = Prints(100)
    for number in range(1000):
        log.write(f"{number}\n")
    assert log.text().startswith("0\n1\n2\n")
    assert log.text().endswith("998\n999\n")
    assert "characters not shown" in log.text()
