"""The lab knows no benchmark: a made-up one runs in it, and the words of guests stand elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import pytest
import regex
from rich.console import Console

from cli.store_adapter import kit as store
from workshop.lab.benchmark_adapter import Attempt, BenchmarkAdapter, Floor, Known
from workshop.lab.engines import Here, Job
from workshop.lab.lab_folder import LabFolder, carry_out
from workshop.lab.lab_run import Settings
from workshop.lab.packs import sources_of
from workshop.lab.play_job import play_job
from workshop.lab.report import failed_lines, report

ROOM = Path(__file__).parents[3] / "workshop" / "lab"
NEUTRAL = sorted(ROOM.glob("*.py"))
WORDS = regex.compile(
    r"basket|coupon|checkout|product|(?<!work)shop|purchase|salary|employee|wiki", regex.IGNORECASE
)


@dataclass(frozen=True)
class Question:
    spec_id: str
    right: str


@dataclass(frozen=True)
class Quiz:
    name: str
    scenarios: Sequence[Question]


def read(text: str, _source: str) -> Quiz:
    body = json.loads(text)
    return Quiz(body["name"], [Question(o["spec_id"], o["right"]) for o in body["scenarios"]])


def says_yes(question: Question) -> Attempt:
    return Attempt(float(question.right == "yes"), acts=1, requests=1)


def quiz() -> BenchmarkAdapter:
    """A benchmark whose answers have no price and cannot be taken back."""
    guest = replace(store().guest, id="quiz", harm_name="false claim")
    return replace(
        store(),
        guest=guest,
        format="quiz-pack/1",
        packs={},
        read=read,
        known=lambda question, raw: Known(f"says {question.right}", tuple(raw["tags"])),
        floors={"yes": Floor("say yes", says_yes)},
    )


def test_a_made_up_benchmark_is_run_and_reported_in_its_own_words(tmp_path: Path) -> None:
    pack, path = tmp_path / "quiz.json", tmp_path / "run"
    questions = [
        {"spec_id": f"q{n}", "right": right, "tags": ["short"]}
        for n, right in enumerate(("yes", "no", "yes"))
    ]
    pack.write_text(quiz().pack_text("quiz", questions), encoding="utf-8")
    path.mkdir()
    settings = Settings(
        benchmark="quiz", packs=(str(pack),), evaluator="e", worker="w", baseline_only=True, chunk=2
    )
    folder = LabFolder(path)
    run = folder.fill(quiz(), sources_of(settings.packs, quiz()), settings)
    done = carry_out(folder, run, Here(quiz))
    (yes,) = done.summaries
    assert {name: (s.passed, s.of) for name, s in yes.groups.items()} == {
        "says no": (0, 1),
        "says yes": (2, 2),
    }
    assert (yes.harm.passed, yes.gap, yes.cost_usd) == (1, None, 0)
    assert [(s.name, s.harm) for s in yes.by_mechanic] == [("short", 1)]
    screen = Console(file=StringIO(), width=100)
    screen.print(report(done))
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert all(text in shown for text in ("say yes", "false claims", "says no"))
    assert "$" not in shown.replace("$0.0000", "")
    assert failed_lines(folder.baselines(), done.harm_name) == ["q1: FALSE CLAIM: "]


@pytest.mark.parametrize("path", NEUTRAL, ids=lambda path: path.name)
def test_no_word_of_a_guest_stands_in_the_lab(path: Path) -> None:
    assert not WORDS.findall(path.read_text(encoding="utf-8"))


def test_a_task_whose_worker_has_no_model_is_a_failure_of_the_world() -> None:
    kit = store()
    some = [next(sources_of(["bundled"], kit)[0].scenarios())]
    settings = Settings(
        benchmark="store", packs=(), evaluator="playbook/store", worker="playbook/next-step"
    )
    (found,) = play_job(Job(0, 0, kit.pack_text("one", some), None, settings), store)
    assert (found.failure, found.infrastructure_failure, found.passed) == ("model", True, False)
