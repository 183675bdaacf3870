"""The reflecting model is asked once for each prompt, whatever happens in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from cli.benchmarks import shipped_sections
from core.models.providers import register
from core.runs.errors import CannotRun
from workshop.lab.evolve.optimiser import (
    Chronicle,
    LabAdapter,
    reflection_of,
    template,
    why_of,
)
from workshop.lab.leaks import Secrets


class Script:
    """Counts; has no answer to ``bad``."""

    asked = 0

    def names(self) -> list[str]:
        return ["reader"]

    def check(self, model: str) -> None:
        assert model == "reader"

    def reply(self, model: str, messages: list[dict[str, str]], played: object) -> str:
        self.asked += 1
        if messages[0]["content"] == "bad":
            raise LookupError("no answer")
        return f"answer {self.asked}"


@pytest.fixture
def script() -> Script:
    made = Script()
    register("counted", lambda: made)
    return made


def ask(folder: Path, *prompts: str) -> list[str]:
    with reflection_of("counted/reader", folder) as reflection:
        return [reflection(prompt) for prompt in prompts]


def test_what_was_answered_is_not_asked_again(tmp_path: Path, script: Script) -> None:
    assert ask(tmp_path, "a", "b") == ["answer 1", "answer 2"]
    assert ask(tmp_path, "a", "b", "c") == ["answer 1", "answer 2", "answer 3"]
    last = max(tmp_path.glob("*.jsonl"))
    last.write_bytes(last.read_bytes()[:-9])  # as a crash leaves it
    assert ask(tmp_path, "a", "b", "c") == ["answer 1", "answer 2", "answer 4"]


def test_a_model_that_fails_is_not_asked_on(tmp_path: Path, script: Script) -> None:
    with reflection_of("counted/reader", tmp_path) as reflection:
        for _ in range(2):
            with pytest.raises(CannotRun, match="--resume"):
                reflection("bad")
    assert script.asked == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Why: a limit was ignored.\n```\nx\n```", "a limit was ignored."),
        ("**Why:** so.\n```\nx\n```", "so."),
        ("```\nx\n```", ""),
    ],
)
def test_what_a_change_is_for(answer: str, why: str) -> None:
    assert why_of(answer) == why


def test_every_section_can_be_asked_about() -> None:
    from gepa.strategies.instruction_proposal import InstructionProposalSignature as Gepa

    for name, text in shipped_sections().items():
        asked = template(name, text)
        Gepa.validate_prompt_template(asked)
        assert name in asked
    assert "Keep each placeholder as it stands: {{ rules }} {{ guide }} {{ form }}" in template(
        "evaluator/system", shipped_sections()["evaluator/system"]
    )


@pytest.fixture
def asked() -> Any:
    from workshop.lab.evolve.records import Asked
    from workshop.lab.gate import Terms

    return Asked(
        benchmark="b", train="t", unseen="u", evaluator="e", worker="w",
        strategy="evaluator-worker", max_turns=7, reflection="r", sections=("s",),
        budget_tasks=1, generations=1, batch=1, terms=Terms(looks=1, token_slack=0.1), seed=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("proposal", "why"),
    [
        (
            "x" * 3_000_000,
            "refused: section store/rules has 3,000,000 characters, at most 50,000",
        ),
    ],
)
def test_of_a_refused_proposal_little_is_kept_and_less_is_said(proposal: str, why: str) -> None:
    rules, nothing = "store/rules", cast(Any, None)
    adapter = LabAdapter(nothing, {rules: "Buy."}, {}, Secrets([], []))
    chronicle = Chronicle(adapter, lambda: 0.0)
    chronicle.on_candidate_selected({"candidate_idx": 0, "candidate": {rules: "Buy."}})
    answer = {"new_instructions": {rules: proposal}, "raw_lm_outputs": {rules: proposal}}
    chronicle.on_proposal_end(answer)
    chronicle.on_candidate_rejected({})
    chronicle.on_iteration_end({})
    (kept,) = chronicle.generations
    assert kept.outcome.startswith(why)
    assert len(kept.outcome) < 300
    assert len(kept.text) <= 50_000
