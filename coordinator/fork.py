"""A fork: a recorded task continues from one of its turns, in a world rebuilt to that moment.

The earlier turns that the evaluator sees come from the journal, so its prompts are the
same. The world is rebuilt by repeating requests, and every turn's state must be as recorded.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest

from coordinator.benchmark import Environment
from coordinator.task_plan import TaskPlan
from core.ledger import Judgement, Ledger, ToolFault
from core.runs.errors import NotRecorded
from core.runs.reader import NOTED
from core.runs.task import TaskRun, Turn
from core.runs.task_record import Line, TaskRecord

ABSENT = "nothing"


class Differs(Exception):
    """The rebuilt world is not the recorded one; the text says where."""


class Past:
    """The turns of a recorded task before the one from which it is played again."""

    def __init__(self, log: TaskRecord, turn: int, edited: Turn | None = None) -> None:
        """``log``: read strictly. Raises NotRecorded when there is no such turn."""
        there = [t.number for t in log.whole]
        if (edited.number if edited else turn) not in there:
            exist = ", ".join(map(str, there)) or "none"
            raise NotRecorded(f"{log.spec_id}: no turn {turn}; recorded turns: {exist}")
        self.log = log
        self.turn = turn
        self._edited = edited
        self._logs = log.before(turn)
        if edited:
            told = [line for line in self._logs[-1].lines if line.kind not in (*NOTED, "turn")]
            line = Line(0, "turn", edited.model_dump(mode="json"))
            self._logs[-1] = replace(self._logs[-1], turn=edited, lines=(*told, line))
        self._before = [one.turn for one in self._logs if one.turn]
        self._reads = 0
        """Requests that went into reading the states of the turns before."""

    def rebuild(self, environment: Environment, text: str) -> None:
        """Bring the world to where the turn began, checking the state at every turn.

        Raises Differs: the task has changed, or the world does not come out as recorded.
        """
        if text != self.log.text:
            raise Differs(f"the task has changed: recorded {self.log.text!r}, now {text!r}")
        in_doubt = 0
        try:
            for turn in self._before:
                self._reads += _check_state(turn, environment, in_doubt)
                calls = turn.report.calls if turn.report else ()
                wires = [wire for call in calls for wire in (*call.requests, *call.kept)]
                if mismatches := environment.repeat(wires, Ledger()):
                    raise Differs(f"turn {turn.number}: {'; '.join(mismatches[:5])}")
                in_doubt += sum(w.kind == "write" and w.outcome == "unknown" for w in wires)
            if not self._edited:  # nobody has seen the state behind an edited turn
                _check_state(self.log.whole[len(self._before)], environment, in_doubt)
        except ToolFault as fault:
            raise Differs(f"the benchmark does not answer: {fault.text}") from None

    def continue_in(self, plan: TaskPlan, environment: Environment) -> None:
        """Have a new task go on from the turn, in a world that was rebuilt.

        Its journal begins with what was recorded before, so that the fork is a whole run.
        """
        plan.environment = environment
        plan.earlier = TaskRun(
            turns=list(self._before),
            calls=[call for log in self._logs for call in log.asked],
            findings=[finding for log in self._logs for finding in log.findings],
            requests=self._reads + sum(t.report.requests for t in self._before if t.report),
        )
        plan.origin = {"forked_from": {"run": self.log.run_id, "turn": self.turn}}
        lines = [line for log in self._logs for line in log.lines]
        # All else but what was judged the world that continues has rebuilt itself.
        plan.entries = [
            Judgement.model_validate(line.record) for line in lines if line.kind == "judged"
        ]
        plan.copied = [
            (line.kind, {k: v for k, v in line.record.items() if k not in ("v", "type")})
            for line in lines
        ]


def _check_state(turn: Turn, environment: Environment, in_doubt: int) -> int:
    """Compare the state with the one that a turn began with; the requests that it took.

    ``in_doubt``: how many repeated requests may have had no effect when they were recorded.
    """
    ledger = Ledger()
    state = environment.state(ledger)
    recorded, now = turn.state, state
    with suppress(ValueError):  # a state may be plain text
        recorded, now = json.loads(turn.state), json.loads(state)
    places = differences(recorded, now)
    if places and in_doubt:
        places[4:] = [
            f"{in_doubt} repeated request{'s' * (in_doubt > 1)} had no response when recorded"
        ]
    if places:
        raise Differs(f"state at the start of turn {turn.number}: {'; '.join(places[:5])}")
    return ledger.requests


def differences(recorded: object, now: object, place: str = "") -> list[str]:
    """List the places where two plain values differ, a line each."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        keys = dict.fromkeys([*recorded, *now])
        pairs = [(f"{place}.{k}" if place else str(k), k) for k in keys]
        return [
            line
            for name, k in pairs
            for line in differences(recorded.get(k, ABSENT), now.get(k, ABSENT), name)
        ]
    if isinstance(recorded, list) and isinstance(now, list):
        rows = enumerate(zip_longest(recorded, now, fillvalue=ABSENT))
        return [line for i, (a, b) in rows for line in differences(a, b, f"{place}[{i}]")]
    if recorded == now:
        return []
    return [f"{place or 'state'}: recorded {_short(recorded)}, now {_short(now)}"]


def _short(value: object) -> str:
    text = value if value == ABSENT else json.dumps(value, ensure_ascii=False)
    return str(text)[:200]
