"""The loop as a whole: it finds what is missing, refuses the rest, and may die at any moment."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import sections_at, shipped_sections
from cli.lab import LAB
from core.runs.cassette import Tape
from workshop.lab.evolve import Loop, summary
from workshop.lab.packs import source_of
from workshop.lab.task_data import TaskData

store = LAB["store"]

pytest.importorskip("gepa")

ROOT = Path(__file__).parents[3]
KILLED = 137
SECTION = "store/playbooks/budget-check"
RIGHT = shipped_sections()[SECTION]
LOOPS, KILLS = 5, 2
MECHANICS = "mechanics=budget,budget-split,packs-budget"
TRAIN, UNSEEN = f"generated:loop:6:{MECHANICS}", f"generated:loop-unseen:18:{MECHANICS}"
THREE = ["Think twice about money.", "{{ guide }}", RIGHT]
SHORT = {"generations": 5, "batch": 6}


@dataclass
class Lives:
    """Lives of loops, forked from a process of their own."""

    process: subprocess.Popen[str]
    folder: Path
    said: list[str] = field(default_factory=list)

    def live(self, words: Sequence[object], texts: Sequence[str], **how: Any) -> int:
        order = {
            "words": [*map(str, words)],
            "texts": texts,
            "log": str(self.folder / "said"),
            "payments": str(self.payments),
            "kill": how.get("kill"),
        }
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return int(json.loads(self.process.stdout.readline()))

    @property
    def payments(self) -> Path:
        return self.folder / "payments"

    @property
    def paid(self) -> Counter[str]:
        return Counter(self.payments.read_text().splitlines())

    def begin(self, **options: object) -> list[object]:
        """The words of a loop that begins without the section."""
        start = self.folder / "start" / f"{SECTION}.md"
        start.parent.mkdir(parents=True, exist_ok=True)
        start.write_text("\n")
        asked = {
            "train": TRAIN,
            "unseen": UNSEEN,
            "evaluator": "paid/literal",
            "worker": "paid/store",
            "reflection": "paid/reflection",
            "sections": SECTION,
            "prompts": self.folder / "start",
            "budget-tasks": 200,
            "jobs": 1,
            "out": self.folder / "logs",
        } | options
        return ["evolve", *(word for k, v in asked.items() for word in (f"--{k}", v))]

    @property
    def run(self) -> Path:
        (found,) = (self.folder / "logs").iterdir()
        return found


@pytest.fixture(scope="module")
def zygote() -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVALUATOR_MODEL": "", "WORKER_MODEL": ""}
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("loop_lives.py"))],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def lives(zygote: subprocess.Popen[str], tmp_path: Path) -> Callable[[str], Lives]:
    def make(name: str) -> Lives:
        folder = tmp_path / name
        folder.mkdir()
        return Lives(zygote, folder)

    return make


def outcome(folder: Path) -> dict[str, object]:
    """All that a loop leaves for its user, without the name of its folder."""
    told = {str(p.relative_to(folder)): p.read_text() for p in folder.glob("proposed/**/*.md")}
    return told | {"evolve.json": (folder / "evolve.json").read_text()}


def loop_at(folder: Path) -> Loop:
    return Loop.model_validate_json((folder / "evolve.json").read_bytes())


def six_texts() -> list[str]:
    """Five that do not help, each in its own way, and the right one."""
    first = next(iter(source_of(TRAIN, store()).scenarios()))
    return [
        "Think twice about money.",
        f"Mind the price of {first['products'][0]['name']}.",
        f"Never buy {first['products'][0]['sku']}.",
        "{{ rules }} hold for money, too.",
        f"Where it says {first['task_text']}, buy nothing.",
        RIGHT,
    ]


def test_the_loop_finds_what_is_missing_and_refuses_all_else(
    lives: Callable[[str], Lives],
) -> None:
    life, texts = lives("six"), six_texts()
    code = life.live(life.begin(generations=30, batch=6), texts)
    told = loop_at(life.run)
    assert code == 0, (life.folder / "said").read_text()
    assert told.reflections == len(texts)
    assert [one[SECTION] for one in told.candidates] == ["", RIGHT]
    assert sum("data of training tasks" in why for why in told.refused.values()) == 3
    assert sum("{{ rules }}" in why for why in told.refused.values()) == 1
    assert told.proposed == 1
    assert told.fitness[1] > told.fitness[0]
    # What is proposed is what is shipped: laid over it changes nothing.
    assert sections_at(life.run / "proposed") == {}
    assert "proven better: candidate 1" in "\n".join(summary(told, life.run))


def test_what_the_reflecting_model_is_told_holds_no_data_of_a_task(
    lives: Callable[[str], Lives],
) -> None:
    life = lives("told")
    assert life.live(life.begin(generations=2, batch=6), ["Think twice about money."]) == 3
    assert not (life.run / "proposed").exists()
    assert summary(loop_at(life.run), life.run)[-1] == "no improvement is proven"
    (tape,) = (life.run / "reflections").iterdir()
    prompts = [exchange.request.messages for exchange in Tape.load(tape).exchanges]
    asked = "".join(str(message["content"]) for prompt in prompts for message in prompt)
    assert "Story" in asked
    assert "Combo_Set_Basket_For_Items(" in asked
    assert "Expected number of checkout events" in asked
    raws = list(source_of(TRAIN, store()).scenarios())
    parts = [part.partition("\nFind what in")[0] for part in asked.split("# Example")[1:]]
    told = "".join(part.partition("\n")[2] for part in parts)
    assert not TaskData(raws, " ".join(shipped_sections().values())).found_in(told)
    for raw in raws:
        for product in raw["products"]:
            assert product["name"] not in asked
            assert f'"{product["sku"]}"' not in asked
        for coupon in raw["coupons"]:
            assert coupon["code"] not in asked


@pytest.fixture(scope="module")
def whole(
    zygote: subprocess.Popen[str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Counter[str], dict[str, object]]:
    """What a loop that nobody disturbs pays and leaves."""
    life = Lives(zygote, tmp_path_factory.mktemp("whole"))
    assert life.live(life.begin(**SHORT), THREE) == 0, (life.folder / "said").read_text()
    return life.paid, outcome(life.run)


@pytest.mark.promise("nothing lost at a kill")
@pytest.mark.nightly("takes half a minute; by day kills of a run and of a lab run are tested")
@pytest.mark.parametrize("seed", range(LOOPS))
def test_a_loop_that_is_killed_comes_to_the_same_end_for_the_same_price(
    lives: Callable[[str], Lives], whole: tuple[Counter[str], dict[str, object]], seed: int
) -> None:
    """Each dies twice, on its way through the same payments: ten moments in all."""
    life, rng = lives("killed"), random.Random(seed)
    words = life.begin(**SHORT)
    moments = rng.sample(range(1, whole[0].total() - 5), KILLS)
    for moment in sorted(moments):
        steps = rng.randrange(25)
        assert life.live(words, THREE, kill=(moment, steps)) == KILLED
        if (life.folder / "logs").exists():
            words = ["evolve", "--resume", "latest", "--jobs", 1, "--out", life.folder / "logs"]
    assert life.live(words, THREE) == 0, (life.folder / "said").read_text()
    assert life.paid == whole[0]
    assert outcome(life.run) == whole[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sections": "store/rulez"}, "did you mean store/rules"),
        ({"budget-tasks": 40}, "need 42 at least"),
        ({"unseen": TRAIN}, "6 of its 6 tasks are training tasks"),
        ({"unseen": ""}, "--train, --unseen and --reflection are required"),
        ({"benchmark": "chess"}, "it plays"),
    ],
)
def test_what_cannot_begin_says_why_and_leaves_nothing(
    lives: Callable[[str], Lives], options: dict[str, object], says: str
) -> None:
    life = lives("wrong")
    assert life.live(life.begin(**options), []) == 2
    told = (life.folder / "said").read_text().replace("│", " ")
    assert says in " ".join(told.split())
    assert not list((life.folder / "logs").glob("*"))


def test_the_budget_keeps_back_what_the_acceptance_test_needs(
    lives: Callable[[str], Lives],
) -> None:
    life = lives("poor")
    assert life.live(life.begin(**SHORT, **{"budget-tasks": 72}), THREE) == 3
    assert 0 < loop_at(life.run).played <= 72
