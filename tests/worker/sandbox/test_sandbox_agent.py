"""The executor in a real CodeAgent, with replies that are written down."""

from __future__ import annotations

from typing import Any

import pytest
from smolagents import CodeAgent, Tool  # type: ignore[import-untyped, unused-ignore]
from smolagents.models import (  # type: ignore[import-untyped, unused-ignore]
    ChatMessage,
    MessageRole,
    Model,
)
from smolagents.monitoring import LogLevel  # type: ignore[import-untyped, unused-ignore]

from worker.sandbox.isolation import open_sandbox

from .kinds import KINDS
from .shop import Shop


class Scripted(Model):  # type: ignore[misc, unused-ignore]
    """Says what it was given, step by step, and keeps what it was shown."""

    def __init__(self, *codes: str) -> None:
        super().__init__(model_id="canned")
        self.codes = list(codes)
        self.shown = ""

    def generate(self, messages: list[Any], **_: Any) -> Any:
        self.shown = str(messages)
        text = f"Thought: go on\n<code>\n{self.codes.pop(0)}\n</code>"
        return ChatMessage(role=MessageRole.ASSISTANT, content=text)


class Search(Tool):  # type: ignore[misc, unused-ignore]
    """What the agent is told about the tool; calls go to the host."""

    name = "search_products"
    description = "Search."
    inputs = {"query": {"type": "string", "description": "words"}}  # noqa: RUF012
    output_type = "object"

    def forward(self, query: str) -> object:
        raise AssertionError(query)


@pytest.mark.parametrize("choice", KINDS)
def test_three_steps(shop: Shop, choice: Any) -> None:
    model = Scripted(
        "found = search_products('soda')['products']\nprint('found', len(found))",
        "print('before')\nfound[99]",
        "final_answer(found[0]['sku'])",
    )
    with open_sandbox(shop, None, choice) as box:
        agent = CodeAgent(
            tools=[Search()], model=model, executor=box, verbosity_level=LogLevel.OFF, max_steps=4
        )
        answer = agent.run("find soda")
    assert answer == "p1"
    assert shop.called() == ["search_products"]
    assert "found 3" in model.shown
    assert "before" in model.shown
    assert "line 2: found[99]" in model.shown
    assert "IndexError: list index out of range" in model.shown
