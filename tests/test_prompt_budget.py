"""What prompts may weigh, and that their stable part comes first and never changes.

Prompts are taken off the wire: a run through the command line, with the playbook brain behind a
model server.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from core.models.tokens import count_messages, count_text
from tests.kit.fake_openai import FakeOpenAI

ROOM = {"evaluator": 1_150, "worker": 745}
"""Tokens of the system prompts, the worker's with every tool. Of the evaluator's, 370 say what the
first turn is, how a purchase is ordered, how one instruction finds, prices and sets, and what a
unit is: readers lost turns of some 2,000 over each, and the prompt is the same for all tasks, so
that providers keep it. Of the worker's, 40 say the one form of all results of Combo tools."""
THREE_TURNS = 7_000
PLAIN = 1_600
"""Tokens of a task that the catalog alone decides: one prompt, and no worker."""
SPECS = (
    "pack_sizes_exact_count", "fixed_item_best_of_five_codes", "exact_quantity_ghost_stock",
    "several_items_over_total_budget",
)  # fmt: skip


@dataclass(frozen=True)
class Prompt:
    """One prompt as it was sent."""

    role: str
    messages: list[dict[str, str]]

    @property
    def user(self) -> str:
        return self.messages[1]["content"]


@dataclass(frozen=True)
class Wire:
    """A run and its prompts, task by task and in order."""

    results: list[dict[str, Any]]
    tasks: list[list[Prompt]]

    def prompts(self, role: str) -> list[Prompt]:
        return [p for task in self.tasks for p in task if p.role == role]


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Wire:
    folder = tmp_path_factory.mktemp("budget")
    with FakeOpenAI() as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        words = ["--json", *(word for spec in SPECS for word in ("--task", spec))]
        env: dict[str, str | None] = {
            **{name: None for name in os.environ if name.startswith("ERC3_")},
            "EVALUATOR_MODEL": "openai/evaluator",
            "WORKER_MODEL": "openai/worker",
            "EVALUATOR_BASE_URL": server.base_url,
            "WORKER_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-nobody",
        }
        done = CliRunner().invoke(app, words, env=env)
    assert done.exit_code == 0, done.output
    tasks: dict[str, list[Prompt]] = {}
    task = ""
    for ask in server.seen:
        prompt = Prompt(ask.model, ask.messages)
        # One job: what the worker is asked belongs to the task that was decided on last.
        if ask.model == "evaluator":
            task = prompt.user.split("</task>")[0]
        tasks.setdefault(task, []).append(prompt)
    return Wire(json.loads(done.stdout)["tasks"], list(tasks.values()))


def test_the_run_is_one_to_measure_by(wire: Wire) -> None:
    assert [task["score"] for task in wire.results] == [1.0] * len(SPECS)
    assert sorted(task["turns"] for task in wire.results) == [1, 2, 2, 3]
    assert len(wire.tasks) == len(SPECS)


@pytest.mark.parametrize("role", ROOM)
def test_the_stable_part_is_first_short_and_equal_to_the_byte(wire: Wire, role: str) -> None:
    prompts = wire.prompts(role)
    assert len(prompts) >= 3
    assert {tuple(m["role"] for m in p.messages) for p in prompts} == {("system", "user")}
    (system,) = {p.messages[0]["content"] for p in prompts}
    assert count_text(system) <= ROOM[role]


def test_within_a_task_a_prompt_goes_on_where_the_one_before_ended(wire: Wire) -> None:
    """Task, log, state: of the log only the last turn is told otherwise once it is older."""
    compared = 0
    for task in wire.tasks:
        texts = [p.user for p in task if p.role == "evaluator"]
        for before, after in pairwise(texts):
            turns = before.count("<turn number=")
            kept = before.index(f'<turn number="{turns}">' if turns else "</task>")
            assert after.startswith(before[:kept])
            assert after.index("</task>") < after.index("<log>") < after.index("<state>")
            compared += turns
    assert compared >= 1


def test_a_task_stays_within_its_tokens(wire: Wire) -> None:
    for result, task in zip(wire.results, wire.tasks, strict=True):
        most = PLAIN if result["turns"] == 1 else THREE_TURNS
        assert sum(count_messages(p.messages) for p in task) <= most
        assert [p.role for p in task].count("worker") < result["turns"]


def test_counting_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("the network is refused")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert 5 <= count_text("Buy two packets of green tea, please.") <= 12
