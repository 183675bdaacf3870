"""What each guard and stage of the company is worth: a model that errs, with and without it.

    python -m workshop.perf.guards [--pack FILE] [--jobs 2] [--only NAME]

The rule-based model closes every task; where a mistake fits, its first FINISH is spoiled by it,
and right once the agent prompts again. Counted are the tasks in which it was made, those in which
it reached the platform, the mean score of all tasks, and tokens and model calls a task: with all
guards and the usual stages, and without the one. Stages whose mistake only a model can make that
reads, such as a right that is misread, are played without one; stages ask no model here.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import regex
import typer

from cli import cli
from core.models import providers
from core.models.model_call import Message
from core.runs.results import read_results
from workshop.rule_based import provider as rule_based
from workshop.simulator.company.pack import BUNDLED_PACK

FINISH = "DECISION: FINISH"
WRITES = ("/employees/update", "/projects/team/update", "/projects/status/update", "/time/log",
          "/time/update")  # fmt: skip
_LINKS = regex.compile(r"^LINKS: .*$", regex.M)
_OUTCOME = regex.compile(r"\bOUTCOME: .*$", regex.M)
_THOUSANDS = regex.compile(r"(?<![\w.,-])\d{4,7}(?![\w,-])(?!\.\d)")
_MESSAGE = regex.compile(r"^MESSAGE: ", regex.M)


Spoil = Callable[[str, str, "CarelessModel"], str | None]
"""Reply and prompt -> the reply with the mistake; None where it does not fit."""


class Mistake(NamedTuple):
    """A way to close a task wrongly, and the guard or stage that is there for it."""

    name: str
    text: str
    spoil: Spoil | None
    """None: only a model can make it that reads."""
    option: str = "guards"


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
        if self.mistake.name == "written":
            # An answer that contradicts its change is never sent as a prepared one.
            reply = reply.partition("\nIF DONE:")[0]
        if "CHALLENGE:" in prompt or "not answered:" in prompt:
            return reply
        wrong = self.mistake.spoil and self.mistake.spoil(reply, prompt, self)
        if wrong is None or wrong == reply:
            return reply
        self.mistakes_made += 1
        self.texts.add(wrong.partition("INSTRUCTION: ")[2].strip())
        return wrong


def closes(reply: str, *outcomes: str) -> bool:
    return FINISH in reply and (not outcomes or any(f"OUTCOME: {o}\n" in reply for o in outcomes))


def swapped(
    part: regex.Pattern[str],
    words: str,
    *outcomes: str,
    fits: Callable[[str], bool] = lambda state: True,
) -> Spoil:
    """Other words for a part of an answer with one of these outcomes, where the state fits."""

    def spoil(reply: str, prompt: str, _model: CarelessModel) -> str | None:
        state = prompt.rpartition("<state>")[2]
        return part.sub(words, reply) if closes(reply, *outcomes) and fits(state) else None

    return spoil


def early(reply: str, prompt: str, _model: CarelessModel) -> str | None:
    if FINISH in reply or "<turn" in prompt:
        return None
    answer = "OUTCOME: ok_not_found\nMESSAGE: There is nothing of that.\nLINKS: none"
    return f"THOUGHT: It is not there.\n{FINISH}\nINSTRUCTION: {answer}"


def leaked(reply: str, prompt: str, careless: CarelessModel) -> str | None:
    if not closes(reply) or '"user": "guest"' not in prompt:
        return None
    return _MESSAGE.sub(f"MESSAGE: Ask {' or '.join(careless.people)}. ", reply, count=1)


def grouped(reply: str, _prompt: str, _model: CarelessModel) -> str | None:
    if not closes(reply, "ok_answer"):
        return None
    head, mark, message = reply.partition("MESSAGE: ")
    text, links, ids = message.partition("\nLINKS:")
    return f"{head}{mark}{_THOUSANDS.sub(lambda m: f'{int(m[0]):,}', text)}{links}{ids}"


MISTAKES = (
    Mistake("identity", "answers although whoami failed",
            swapped(_OUTCOME, "OUTCOME: none_clarification_needed", "error_internal")),
    Mistake("guest", "tells a guest who works there", leaked),
    Mistake("unseen", "links a record that was never shown",
            swapped(_LINKS, "LINKS: employee:nobody_at_all", "ok_answer")),
    Mistake("failed-write", "calls a refused change done",
            swapped(_OUTCOME, "OUTCOME: ok_answer", fits=lambda state: "refused" in state)),
    Mistake("written", "denies what it has changed",
            swapped(_OUTCOME, "OUTCOME: none_unsupported", "ok_answer",
                    fits=lambda state: '"changes": "none"' not in state)),
    Mistake("links", "leaves all links out", swapped(_LINKS, "LINKS: none", "ok_answer")),
    Mistake("looked", "finds nothing before it has looked", early),
    Mistake("wording", "writes 48,000 for 48000", grouped, "stages"),
    Mistake("entities", "resolves no name by itself", None, "stages"),
    Mistake("rule_book", "reads no page that it is not shown", None, "stages"),
    Mistake("guest", "tells a guest who works there", leaked, "stages"),
    Mistake("ties", "knows no tie that it is not told", None, "stages"),
)  # fmt: skip
COLUMNS = (
    "guard or stage", "the mistake", "made in tasks", "sent with it", "without", "score with",
    "without", "tokens with", "without", "calls with", "without",
)  # fmt: skip


class Played(NamedTuple):
    """What a run came to."""

    mistakes: int
    """Tasks in which the mistake was made."""
    sent: int
    score: float
    tokens: int
    """A task."""
    calls: float
    """Of models, a task."""


def play(mistake: Mistake, without: bool, pack: Path, jobs: int) -> Played:
    """One run over a pack, with the guard or stage or ``without`` it."""
    careless = CarelessModel(mistake, json.loads(pack.read_text(encoding="utf-8")))
    providers.register("careless", lambda: careless)
    usual = "all" if mistake.option == "guards" else "default"
    switch = f"{usual},-{mistake.name}" if without else usual
    with tempfile.TemporaryDirectory() as out:
        words = [
            "--benchmark", "company", "--pack", str(pack), "--quiet", "--jobs", str(jobs),
            f"--{mistake.option}={switch}", "--evaluator", "careless/company", "--worker",
            "playbook/company", "--out", out,
        ]  # fmt: skip
        try:
            cli.app(words)
        except SystemExit as end:
            if end.code:
                raise
        (folder,) = Path(out).iterdir()
        totals = read_results(folder).totals.model_dump()
        texts = [path.read_text(encoding="utf-8") for path in Path(out).glob("*/tasks/*.jsonl")]
        journals = [[json.loads(line) for line in text.splitlines()] for text in texts]
    tokens = totals["tokens"]["prompt"] + totals["tokens"]["completion"]
    calls = sum(line["type"] == "model_call" for lines in journals for line in lines)
    return Played(
        careless.mistakes_made,
        sum(sent(lines, careless.texts) for lines in journals),
        totals["score_mean"],
        round(tokens / totals["tasks"]),
        round(calls / totals["tasks"], 2),
    )


def sent(lines: list[dict[str, Any]], texts: set[str]) -> bool:
    """Whether a task ended with one of these texts, whose message was sent as it stands there."""
    last = [line["decision"]["instruction"].strip() for line in lines if line["type"] == "turn"]
    bodies = [line["body"] for line in lines if line["type"] == "intent"]
    messages = [body["message"] for body in bodies if "outcome" in body]
    return bool(last and messages) and last[-1] in texts and messages[-1] in last[-1]


def spoilt(mistake: Mistake, pack: Path, folder: Path) -> Path:
    """The pack to measure a mistake on: for `failed-write` one whose first writes are refused."""
    if mistake.name != "failed-write":
        return pack
    read = json.loads(pack.read_text(encoding="utf-8"))
    for scenario in read["scenarios"]:
        scenario["faults"] = [
            {"on": path, "nth": 1, "kind": "status", "status": 400, "times": 1} for path in WRITES
        ]
    refusing = folder / "refusing.json"
    refusing.write_text(json.dumps(read), encoding="utf-8")
    return refusing


def main(
    pack: Path = BUNDLED_PACK,
    jobs: int = 2,
    only: Annotated[str, typer.Option(help="Rows of one name, or of guards or stages.")] = "",
) -> None:
    """Print a table: what each guard and stage of the company is worth."""
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for mistake in (one for one in MISTAKES if only in ("", one.option, one.name)):
            played = spoilt(mistake, pack.resolve(), Path(folder))
            on, off = (play(mistake, without, played, jobs) for without in (False, True))
            made = str(on.mistakes)
            if on.mistakes != off.mistakes:
                made = f"{on.mistakes}; {off.mistakes} without"
            pairs = zip(on[1:], off[1:], strict=True)
            cells = [f"`{mistake.name}`", mistake.text, made, *(x for pair in pairs for x in pair)]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
