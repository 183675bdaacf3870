"""Where two runs of one task part: the first turn in which they did something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.ledger import ToolCall
from core.runs.task_record import TaskRecord, TurnLog
from core.terminal.figures import cut

INSTRUCTION_CHARS = 240
ASPECTS = {"state": "another state", "calls": "other calls", "words": "other words"}
"""What two turns can differ in, in the order in which it happens; words alone weigh least."""


@dataclass(frozen=True)
class Step:
    """One turn in short, with a mark for each aspect: equal marks are equal turns."""

    number: int
    decision: str
    """"" for a turn that is not over."""
    instruction: str
    """Its beginning."""
    calls: str
    marks: tuple[int, int, int]
    """In the order of :data:`ASPECTS`."""


@dataclass(frozen=True)
class Parting:
    """Where two tasks part."""

    at: int | None
    """Place of the turn among both: the first with another state or other calls, else the first
    with other words; None: they are the same."""
    first: dict[str, int]
    """By aspect the number of the first turn that differs in it; of the others there is none."""
    ended: str = ""
    """"A" or "B" where that one had ended by then."""
    known: bool = True
    """Whether turns of both are recorded."""

    @property
    def text(self) -> str:
        """Where, and in what, in a few words."""
        if not self.known:
            return "turns not recorded"
        if self.at is None:
            return "the same"
        if self.ended:
            return f"turn {self.at + 1}: {self.ended} has ended"
        what = [ASPECTS[name] for name, turn in self.first.items() if turn == self.at + 1]
        return f"turn {self.at + 1}: {', '.join(what)}"

    @property
    def entries(self) -> bool:
        """Whether more than words differs."""
        return bool(self.ended or self.first.keys() - {"words"})


def steps_of(record: TaskRecord) -> tuple[Step, ...]:
    """The turns of the attempt that counts."""
    return tuple(_step(act) for act in record.last)


def _step(act: TurnLog) -> Step:
    turn = act.turn
    if turn is None:
        return Step(act.number, "", "", "", (0, 0, 0))
    entries = [(c.name, c.arguments, c.outcome, c.result, c.error) for c in act.tools]
    decision = turn.decision
    marks = turn.state, (decision.decision, turn.refused, entries), decision.instruction
    return Step(
        number=act.number,
        decision=decision.decision,
        instruction=cut(" ".join(decision.instruction.split()), INSTRUCTION_CHARS),
        calls=_calls(act.tools),
        marks=(hash(marks[0]), hash(repr(marks[1])), hash(marks[2])),
    )


def _calls(calls: Sequence[ToolCall]) -> str:
    counts = Counter(c.name if c.outcome == "done" else f"{c.name} {c.outcome}" for c in calls)
    return ", ".join(name if many == 1 else f"{name} ×{many}" for name, many in counts.items())


def parting(left: Sequence[Step], right: Sequence[Step]) -> Parting:
    """Where two tasks part, turn by turn; an agent that is not ours has none."""
    if not left or not right:
        return Parting(None, {}, known=False)
    first: dict[str, int] = {}
    ended: tuple[int, str] | None = None
    for place, (one, other) in enumerate(zip_longest(left, right)):
        if one is None or other is None:
            ended = place, "A" if one is None else "B"
            break
        for name, mark, its in zip(ASPECTS, one.marks, other.marks, strict=True):
            if mark != its:
                first.setdefault(name, place + 1)
    entries = [turn - 1 for name, turn in first.items() if name != "words"]
    if ended and not entries:
        return Parting(ended[0], first, ended[1])
    at = min(entries) if entries else first["words"] - 1 if first else None
    return Parting(at, first)
