"""What each guard of the company is worth: a model that makes one mistake, with and without it.

    python workshop/perf/guards.py [--pack FILE] [--jobs 2]

The rule-based model closes every task; where a mistake fits, its first FINISH is spoiled by it,
and right once the agent prompts again. Counted are the tasks in which it was made, those in which
it reached the platform, and the mean score of all tasks, with all guards and without the one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import regex

sys.path.insert(0, str(Path(__file__).parents[2]))

from cli import cli
from core.models import providers
from core.models.model_call import Message
from workshop.perf.measure import PACKS
from workshop.rule_based import provider as rule_based

FINISH = "DECISION: FINISH"
WRITES = ("/employees/update", "/projects/team/update", "/projects/status/update", "/time/log",
          "/time/update")  # fmt: skip
_LINKS = regex.compile(r"^LINKS: .*$", regex.M)
_OUTCOME = regex.compile(r"\bOUTCOME: .*$", regex.M)
_MESSAGE = regex.compile(r"^MESSAGE: ", regex.M)


class Mistake(NamedTuple):
    """A way to close a task wrongly, and the guard that is there for it."""

    guard: str
    text: str
    spoil: Callable[[str, str, CarelessModel], str | None]
    """Reply and prompt -> the reply with the mistake; None where it does not fit."""


class CarelessModel:
    """The rule-based model, careless once a task."""

    def __init__(self, mistake: Mistake, pack: dict[str, Any]) -> None:
        """``pack``: what the leak of a guest's task is taken from."""
        self.mistake = mistake
        self.people = [c["employees"][0]["name"] for c in pack["companies"].values()]
        self.mistakes_made = 0
        self.texts: set[str] = set()

    def names(self) -> Sequence[str]:
        """The one model there is."""
        return ["company"]

    def reply(self, model: str, messages: list[Message], /) -> str:
        """The model's reply, spoiled where it may be and before any second prompt."""
        reply = rule_based.reply(model, messages)
        prompt = "\n".join(m["content"] for m in messages if m["role"] == "user")
        if "<instruction>" in prompt and "<task>" not in prompt:
            return reply
        if "CHALLENGE:" in prompt or "not answered:" in prompt:
            return reply
        wrong = self.mistake.spoil(reply, prompt, self)
        if wrong is None or wrong == reply:
            return reply
        self.mistakes_made += 1
        self.texts.add(wrong.partition("INSTRUCTION: ")[2].strip())
        return wrong


def closes(reply: str, *outcomes: str) -> bool:
    return FINISH in reply and (not outcomes or any(f"OUTCOME: {o}\n" in reply for o in outcomes))


def unlinked(reply: str, _prompt: str, _model: CarelessModel) -> str | None:
    return _LINKS.sub("LINKS: none", reply) if closes(reply, "ok_answer") else None


def invented(reply: str, _prompt: str, _model: CarelessModel) -> str | None:
    if not closes(reply, "ok_answer"):
        return None
    return _LINKS.sub("LINKS: employee:nobody_at_all", reply)


def contradicted(reply: str, prompt: str, _model: CarelessModel) -> str | None:
    changed = '"changes": "none"' not in prompt.rpartition("<state>")[2]
    fits = closes(reply, "ok_answer") and changed
    return _OUTCOME.sub("OUTCOME: none_unsupported", reply) if fits else None


def hidden(reply: str, prompt: str, _model: CarelessModel) -> str | None:
    if not closes(reply) or "refused" not in prompt.rpartition("<state>")[2]:
        return None
    return _OUTCOME.sub("OUTCOME: ok_answer", reply)


def early(reply: str, prompt: str, _model: CarelessModel) -> str | None:
    if FINISH in reply or "<turn" in prompt:
        return None
    answer = "OUTCOME: ok_not_found\nMESSAGE: There is nothing of that.\nLINKS: none"
    return f"THOUGHT: It is not there.\n{FINISH}\nINSTRUCTION: {answer}"


def leaked(reply: str, prompt: str, careless: CarelessModel) -> str | None:
    if not closes(reply) or "guest" not in prompt.partition("<briefing>")[2][:300].lower():
        return None
    return _MESSAGE.sub(f"MESSAGE: Ask {' or '.join(careless.people)}. ", reply, count=1)


def nameless(reply: str, _prompt: str, _model: CarelessModel) -> str | None:
    if not closes(reply, "error_internal"):
        return None
    return _OUTCOME.sub("OUTCOME: none_clarification_needed", reply)


MISTAKES = (
    Mistake("identity", "answers although whoami failed", nameless),
    Mistake("guest", "tells a guest who works there", leaked),
    Mistake("unseen", "links a record that was never shown", invented),
    Mistake("failed-write", "calls a refused change done", hidden),
    Mistake("written", "denies what it has changed", contradicted),
    Mistake("links", "leaves all links out", unlinked),
    Mistake("looked", "finds nothing before it has looked", early),
)


def play(mistake: Mistake, guards: str, pack: Path, jobs: int) -> tuple[int, int, float]:
    """One run: mistakes made, those that were sent, the mean score."""
    careless = CarelessModel(mistake, json.loads(pack.read_text(encoding="utf-8")))
    providers.register("careless", lambda: careless)
    with tempfile.TemporaryDirectory() as out:
        sys.argv = [
            "submission.py", "--benchmark", "company", "--pack", str(pack), "--quiet",
            f"--guards={guards}", "--evaluator", "careless/company", "--worker",
            "playbook/company", "--jobs", str(jobs), "--out", out,
        ]  # fmt: skip
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                raise
        (file,) = Path(out).glob("*/results.json")
        score = json.loads(file.read_text(encoding="utf-8"))["totals"]["score_mean"]
        ends = [last_decision(journal) for journal in Path(out).glob("*/tasks/*.jsonl")]
    return careless.mistakes_made, sum(end in careless.texts for end in ends), score


def last_decision(journal: Path) -> str:
    """What the last turn of a task decided."""
    lines = journal.read_text(encoding="utf-8").splitlines()
    turns = [line for line in map(json.loads, lines) if line["type"] == "turn"]
    return str(turns[-1]["decision"]["instruction"]).strip() if turns else ""


def spoilt(mistake: Mistake, pack: Path, folder: Path) -> Path:
    """The pack to measure a mistake on: for `failed-write` one whose first writes are refused."""
    if mistake.guard != "failed-write":
        return pack
    read = json.loads(pack.read_text(encoding="utf-8"))
    for scenario in read["scenarios"]:
        scenario["faults"] = [
            {"on": path, "nth": 1, "kind": "status", "status": 400, "times": 1} for path in WRITES
        ]
    refusing = folder / "refusing.json"
    refusing.write_text(json.dumps(read), encoding="utf-8")
    return refusing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, default=PACKS["company"])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(
        "| guard | the mistake | made in tasks | sent with it | without it | score with | without |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for mistake in MISTAKES:
            pack = spoilt(mistake, options.pack.resolve(), Path(folder))
            mistakes, sent, score = play(mistake, "all", pack, options.jobs)
            without, slipped, less = play(mistake, f"all,-{mistake.guard}", pack, options.jobs)
            cells = [f"`{mistake.guard}`", mistake.text, mistakes, sent, slipped, score, less]
            if mistakes != without:
                cells[2] = f"{mistakes}; {without} without"
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
