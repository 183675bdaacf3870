"""The benchmarks as tasks of Inspect AI."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from cli.lab import LAB

pytest.importorskip("inspect_ai", reason="needs the extra: pip install '.[inspect]'")
import inspect_ai
from click.testing import CliRunner, Result
from inspect_ai._cli.main import inspect
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.solver import SolverSpec

import cli.inspect_plugin  # noqa: F401 - an installation from before it was there has no entry point
from tests.workshop.environments.plays import BENCHMARKS, NUMBERS, SEED, native, plays
from workshop.environments import inspect_tasks
from workshop.environments.drawn import draw_pack, open_world
from workshop.environments.inspect_tasks import DrawnTasks
from workshop.lab.engines import Job
from workshop.lab.play_job import play_job
from workshop.lab.settings import Settings
from workshop.simulator.open_world import Call
from workshop.simulator.store.pack import BUNDLED_PACK
from workshop.simulator.worlds import load_pack

OUR_AGENT = SolverSpec("erc3/evaluator_worker")
Answer = Callable[[list[ChatMessage], Any, Any, Any], ModelOutput]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


def played(task: str, answer: Answer, **more: Any) -> EvalLog:
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_ai.eval(task, model=model, display="none", **more)
    return read_eval_log(log.location)


def scripted(calls_of: Mapping[str, list[Call]], benchmark: str) -> Answer:
    """A model that makes the calls of a task one by one; the task is known by its text."""
    names = {tool.path: tool.name for tool in open_world(benchmark, SEED).tools}

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        task = next(one.text for one in messages if one.role == "user")
        done = sum(one.role == "tool" for one in messages)
        if done < len(calls_of[task]):
            path, body = calls_of[task][done]
            output = ModelOutput.for_tool_call("mockllm", names[path], body)
        else:
            output = ModelOutput.from_content("mockllm", "That is all.")
        output.usage = ModelUsage()  # else it counts them by a table that it downloads
        return output

    return answer


def samples_of(log: EvalLog) -> list[EvalSample]:
    assert log.status == "success", log.error
    return sorted(log.samples or [], key=lambda sample: str(sample.id))


def score_of(sample: EvalSample) -> Any:
    assert sample.scores
    return sample.scores["final_state"].value


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("way", ["right", "wrong"])
def test_a_play_has_the_score_calls_and_answers_that_it_has_here(benchmark: str, way: str) -> None:
    worlds = [open_world(benchmark, SEED, number) for number in NUMBERS]
    chosen = [plays(benchmark, number)[way] for number in NUMBERS]
    texts = [world.task for world in worlds]
    answer = scripted(dict(zip(texts, chosen, strict=True)), benchmark)
    arguments = {"seed": SEED, "count": len(NUMBERS)}
    log = played(f"erc3/{benchmark}", answer, task_args=arguments)
    by_text = {str(sample.input): sample for sample in samples_of(log)}
    for number, text in zip(NUMBERS, texts, strict=True):
        sample = by_text[text]
        score, answers = native(benchmark, number, chosen[number])
        assert score_of(sample)["score"] == score == float(way == "right")
        harm = open_world(benchmark, SEED, number)
        for call in chosen[number]:
            harm.call(*call)
        assert score_of(sample)["harm"] == float(harm.score().harm)
        assert [Call(*call) for call in sample.store["calls"]] == chosen[number]
        told = [one for one in sample.messages if one.role == "tool"]
        for message, expected in zip(told, answers, strict=True):
            if expected.status == 200:
                assert (message.error, json.loads(message.text)) == (None, expected.body)
            else:
                assert message.error
                assert message.error.message == f"{expected.status}: {expected.body['error']}"


def on_the_command_line(*words: str) -> Result:
    return CliRunner().invoke(inspect, ["eval", *words], catch_exceptions=False)


def test_a_user_evaluates_a_model_by_typing_the_name_of_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def uncounted(*_: Any) -> None:
        """Its table of tokens is downloaded."""

    monkeypatch.setattr(MockLLM, "_ensure_default_usage", uncounted)
    done = on_the_command_line("erc3/store", "--model", "mockllm/model", "--limit", "3")
    assert done.exit_code == 0, done.output
    (path,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    expected = [open_world("store", "0", number) for number in range(3)]
    assert [sample.id for sample in log.samples or []] == [one.scenario.spec_id for one in expected]
    # The model does nothing, which is right where nothing is to be bought.
    assert [score_of(sample)["score"] for sample in log.samples or []] == [
        one.score().score for one in expected
    ]


@pytest.mark.nightly("what it says first is checked by day, and so is a play in this process")
def test_our_agent_plays_without_a_key_in_a_process_of_its_own(tmp_path: Path) -> None:
    assert "erc3" in entry_points(group="inspect_ai").names, "install the project once more"
    words = "eval erc3/store --solver erc3/evaluator_worker --model scripted/store --limit 2"
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", *words.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    assert [score_of(one)["score"] for one in samples_of(read_eval_log(str(path)))] == [1, 1]


@pytest.mark.parametrize(
    ("benchmark", "model"), [("store", "scripted/store"), ("company", "scripted/company")]
)
def test_our_agent_does_in_inspect_what_it_does_in_the_lab(benchmark: str, model: str) -> None:
    (log,) = inspect_ai.eval(
        f"erc3/{benchmark}",
        solver=OUR_AGENT,
        model=model,
        task_args={"seed": SEED, "count": len(NUMBERS)},
        display="none",
    )
    settings = Settings(
        benchmark=benchmark, evaluator=model, worker=model, packs=("x",), with_trivial=False
    )
    for number, sample in zip(NUMBERS, log.samples or [], strict=True):
        pack = draw_pack(benchmark, SEED, number).model_dump_json()
        (spec,) = (one["spec_id"] for one in json.loads(pack)["scenarios"])
        job = Job(0, pack, frozenset({spec}), settings, epoch=0)
        (trial,) = play_job(job, LAB[benchmark])
        assert (score_of(sample)["score"], sample.output.completion) == (
            trial.score,
            trial.verdict or trial.outcome,
        )
        (usage,) = sample.model_usage.values()
        assert (usage.input_tokens, usage.output_tokens) == (
            trial.tokens.prompt,
            trial.tokens.completion,
        )


def test_a_model_that_fails_is_an_error_of_the_sample_and_no_score() -> None:
    def answer(*_: Any) -> ModelOutput:
        raise ValueError("the model is away")

    log = played("erc3/store", answer, solver=OUR_AGENT, task_args={"count": 1})
    assert log.status == "error"
    (sample,) = log.samples or []
    assert sample.error
    assert "the model is away" in sample.error.message
    assert not sample.scores


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_tasks, "BATCH", 2)


@pytest.mark.usefixtures("small_batches")
def test_tasks_have_no_end_and_the_same_ids_each_time() -> None:
    log = played("erc3/store", quiet, limit=5)
    ids = [f"gen-0-{number}-" for number in range(5)]
    found = sorted(str(sample.id) for sample in log.samples or [])
    assert [one[: len(ids[0])] for one in found] == ids
    again = DrawnTasks("store", "0", 0).take(5)
    assert sorted(str(sample.id) for sample in again) == found


def quiet(*_: Any) -> ModelOutput:
    output = ModelOutput.from_content("mockllm", "Nothing.")
    output.usage = ModelUsage()
    return output


def test_a_pack_is_played_whole() -> None:
    log = played("erc3/store", quiet, task_args={"pack": "bundled"})
    expected = {one.spec_id for one in load_pack(BUNDLED_PACK).scenarios}
    assert {sample.id for sample in samples_of(log)} == expected


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("first=-1", "there is no task number -1: they are counted from 0 on"),
        ("pack=nothing.json", "nothing.json: cannot be read: No such file or directory"),
    ],
)
def test_a_wrong_argument_is_said_without_a_traceback(option: str, why: str) -> None:
    with pytest.raises(PrerequisiteError, match=re.escape(why)):
        on_the_command_line("erc3/company", "--model", "mockllm/model", "-T", option)
