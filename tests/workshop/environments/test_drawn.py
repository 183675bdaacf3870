from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.toy.world import FORMAT, TOY
from tests.workshop.environments.plays import BENCHMARKS, NUMBERS, SEED, native, plays
from workshop.environments.drawn import draw_pack, open_world
from workshop.generators.generating import generator_of
from workshop.simulator import worlds
from workshop.simulator.open_world import OpenWorld, Verdict, tools_of
from workshop.simulator.pack_files import PackError
from workshop.simulator.platform import Platform
from workshop.simulator.world import Refusal

every_task = pytest.mark.parametrize(
    ("benchmark", "number"), [(b, n) for b in BENCHMARKS for n in NUMBERS]
)


@every_task
def test_the_platform_answers_and_scores_the_same_calls_alike(benchmark: str, number: int) -> None:
    pack = draw_pack(benchmark, SEED, number)
    for name, calls in plays(benchmark, number).items():
        platform = Platform(pack)
        task = platform.start_new_task(benchmark, pack.scenarios[0].spec_id)
        answers = []
        for call in calls:
            try:
                answers.append((200, platform.call(task.task_id, *call)))
            except Refusal as no:
                answers.append((no.status, {"status": no.status, "error": str(no)}))
        told, report = (
            {"task_id": task.task_id},
            {"model": "m", "duration_sec": 1, "completion": ""},
        )
        platform.call_core("/tasks/log", told | report)
        score = platform.call_core("/tasks/complete", told)["eval"]["score"]
        assert score == float(name == "right")
        assert native(benchmark, number, calls) == (score, answers)


def test_a_number_is_the_place_in_the_generated_pack_of_the_seed() -> None:
    for benchmark in ("store", "company"):
        generator = generator_of(benchmark)
        assert generator
        scenarios = generator.scenarios(generator.options(seed=SEED, count=3))
        drawn = [open_world(benchmark, SEED, n).scenario for n in range(3)]
        assert [(one.spec_id, one.task_text) for one in drawn] == [
            (one["spec_id"], one["task_text"]) for one in scenarios
        ]


def test_harm_is_a_change_in_a_task_that_did_not_pass() -> None:
    bought = open_world("store", SEED, 2)
    for call in plays("store", 2)["wrong"]:
        bought.call(*call)
    assert (bought.score().score, bought.score().harm, bought.score().side_effects) == (0, True, 1)
    answered = open_world("company", SEED)
    answered.ask("/respond", outcome="none_unsupported", message="")
    assert (answered.score().score, answered.score().harm) == (0, False)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_tools_have_names_of_their_own_and_schemas_without_references(benchmark: str) -> None:
    tools = open_world(benchmark, SEED).tools
    names = [tool.name for tool in tools]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]{4,40}", name) for name in names)
    assert "$" not in json.dumps([tool.parameters for tool in tools])
    assert not any("tool" in tool.parameters["properties"] for tool in tools)


def test_a_tool_takes_the_fields_of_its_route() -> None:
    tool = {tool.name: tool for tool in tools_of(worlds.FORMATS["store"])}["add_product_to_basket"]
    assert (tool.path, tool.parameters) == (
        "/basket/add",
        {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}},
            "required": ["sku", "quantity"],
            "additionalProperties": False,
        },
    )


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("shop", "a", 0), "no generator draws the benchmark 'shop'; there are store and company"),
        (("store", "a b", 0), "the seed 'a b' cannot be used: letters, digits, - _ . only"),
        (("store", "a", -1), "there is no task number -1: they are counted from 0 on"),
    ],
)
def test_what_cannot_be_drawn_is_said(asked: tuple[str, str, int], why: str) -> None:
    with pytest.raises(PackError, match=re.escape(why)):
        open_world(*asked)


@pytest.fixture
def served_toy() -> Iterator[None]:
    worlds.WORLDS[FORMAT] = TOY
    yield
    del worlds.WORLDS[FORMAT]


@pytest.mark.usefixtures("served_toy")
def test_a_benchmark_that_was_added_opens_as_well() -> None:
    text = TOY.bundled.read_text()
    pack = worlds.read_pack(text, "toy")
    world = OpenWorld(pack, pack.scenarios[0])
    assert [tool.name for tool in world.tools] == ["read_counter", "add_to_counter"]
    assert world.score().score == 0
    world.ask("/add", number=2)
    assert world.score() == Verdict(1.0, False, 1, "GOOD: wanted 5, found 5")
