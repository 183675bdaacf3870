"""Run folders made of the records themselves: small, hostile where asked, any number of tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.ledger import ToolCall, WireCall
from core.models.model_call import ModelCall, Usage
from core.runs.journal import Journal
from core.runs.manifest import Identity, Manifest, PackInfo
from core.runs.prompts import Prompts
from core.runs.results import ResultsFile, TaskResult
from core.runs.task import Decision, Turn
from core.runs.work import StepRecord, WorkReport

HOSTILE = (
    "<script>window.hit=1</script><img src=x onerror=window.hit=2> "
    '</script></template>{{7*7}} & "quotes" \' \u202egnp.exe'
)
"""A name that would be markup, a template or a trick if it were taken for anything but a text."""
CODE = (
    'p = {"queries": ["tea"]}\nfor query in p["queries"]:\n    found = Find(query=query)\n'
    'print(found)\nfinal_answer({"found": found})'
)


def state(*lines: dict[str, Any]) -> str:
    return json.dumps({"held": {"items": list(lines), "total": sum(x["price"] for x in lines)}})


def asked(role: Any = "evaluator", **more: Any) -> ModelCall:
    known = {"text": "THOUGHT: see", "usage": Usage(prompt=900, completion=60, cached=100)}
    values = {"model": "lab/model", "cost_usd": 0.0012, "seconds": 0.2} | known | more
    return ModelCall(role=role, **values)


def found(name: str, line: int | None = 3, **more: Any) -> ToolCall:
    """One call of the snippet with a product of that name in its answer."""
    wire = WireCall(path="/list", body={"offset": 0}, kind="read", outcome="done", seconds=0.01)
    values = {
        "number": 1,
        "name": "Find",
        "kind": "read",
        "arguments": {"query": "tea"},
        "outcome": "done",
        "result": {"matches": [{"sku": "tea", "name": name, "price": 4}], "near": []},
        "step": 1,
        "line": line,
        "seconds": 0.03,
        "requests": (wire,),
    }
    return ToolCall(**(values | more))


def worked(number: int = 1, name: str = "Green Tea", **more: Any) -> Turn:
    """A turn in which the worker looked something up."""
    report = WorkReport(
        steps=(StepRecord(code=CODE, prints=f"found {name}", sandbox="monty"),),
        result={"found": name},
        answered=True,
        calls=(found(name),),
        requests=1,
    )
    values = {
        "number": number,
        "state": state(),
        "decision": Decision(
            thought=f"Look for {name}.", decision="PROCEED", instruction=f"Find {name}"
        ),
        "report": report,
        "seconds": 0.5,
    }
    return Turn(**(values | more))


def ended(number: int = 2, thought: str = "Nothing fits.") -> Turn:
    """The last turn: the evaluator gives up, with something in the state by then."""
    held = state({"sku": "tea", "price": 4})
    decision = Decision(thought=thought, decision="FINISH", instruction="")
    return Turn(number=number, state=held, decision=decision, seconds=0.1)


class RunFolder:
    """Writes one run folder, task by task."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: list[TaskResult] = []
        (path / "tasks").mkdir(parents=True)

    def task(self, spec: str, *entries: Any, text: str = "Buy tea", **result: Any) -> RunFolder:
        """One task: model calls and turns in order, then its result unless ``score=...``."""
        task_id = f"tsk-{spec}"
        with closing(Journal(self.path / "tasks" / f"{spec}.jsonl")) as journal:
            journal.write("task", {"spec_id": spec, "task_id": task_id, "text": text})
            for entry in entries:
                if isinstance(entry, ModelCall):
                    journal.write("model_call", entry.model_dump(mode="json"))
                elif isinstance(entry, Turn):
                    journal.write("turn", entry.model_dump(mode="json"))
                else:
                    journal.write(entry["type"], entry)
            if result.get("outcome") != "running":
                values = {
                    "outcome": "finished",
                    "verdict": "declined",
                    "score": 1.0,
                    "group": "refuse",
                    "cost_usd": 0.01,
                }
                values |= {"tokens": Usage(prompt=900, completion=60, cached=0), "seconds": 0.7}
                spent = {"turns": 2, "tool_calls": 1, "requests": 2}
                named = {"spec_id": spec, "task_id": task_id, "task_text": text, "journal": spec}
                done = TaskResult(**(named | {"pack": "small"} | values | spent | result))
                journal.write("result", done.model_dump(mode="json"))
                self.results.append(done)
        return self

    def write(self, *, finished: bool = True, **more: Any) -> Path:
        """Write ``run.json`` and ``results.jsonl``; the folder."""
        now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC).isoformat()
        (self.path / "results.jsonl").unlink(missing_ok=True)
        ResultsFile(self.path).append(self.results)
        facts = {
            "benchmark": "store",
            "strategy": "evaluator-worker",
            "identity": Identity(
                models={"evaluator": "lab/model", "worker": "lab/model"}, pack="small"
            ),
            "packs": (PackInfo(name="small", tasks=len(self.results)),),
            "harm_name": "wrong checkout",
            "groups": ("buy", "refuse"),
            "seconds": 1.5,
            "finished": now if finished else None,
        }
        facts = {"run_id": self.path.name, "created": now} | facts | more
        Manifest.model_validate(facts).write(self.path)
        return self.path


def hostile_run(path: Path) -> Path:
    """A passed, a failed, a wrongly bought and a broken task; hostile texts wherever one can be."""
    run = RunFolder(path)
    run.task("good", asked(), asked("worker"), worked(), asked(), ended())
    run.task(
        "hostile",
        asked(text=HOSTILE),
        asked("worker", error=HOSTILE, backend="b1", next="next backend: b2"),
        worked(name=HOSTILE),
        asked(),
        ended(thought=HOSTILE),
        {"type": "warning", "text": HOSTILE},
        text=f"Buy {HOSTILE}",
        score=0.0,
        eval_log=f"FAIL: {HOSTILE}",
        group="buy",
    )
    run.task(
        "wrong",
        asked(),
        worked(),
        score=0.0,
        acts=1,
        harm=True,
        outcome="finished",
        verdict="purchased",
        group="refuse",
    )
    run.task("broken", asked(error="no answer"), score=None, outcome="error", error="model failed")
    return run.write()


BEGAN = datetime(2026, 5, 4, 22, 0, tzinfo=UTC)


def done(spec: str, score: float | None = 1.0, **more: Any) -> TaskResult:
    """A task that was refused and passed, unless told otherwise."""
    values = {"outcome": "finished", "verdict": "declined", "turns": 2, "cost_usd": 0.01}
    tokens = Usage(prompt=900, completion=100, cached=0, reasoning=0)
    values |= {"tokens": tokens, "seconds": 0.5}
    return TaskResult(**(values | {"spec_id": spec, "score": score} | more))


def counted_run(
    path: Path,
    *tasks: TaskResult,
    hours: float | None = 0,
    prompts: Mapping[str, str] = MappingProxyType({}),
    **facts: Any,
) -> Path:
    """A run folder without journals; ``hours`` after the first, None for a time nobody can read.

    ``facts``: of ``run.json`` or of its identity; ``model``, ``worker`` and ``pack`` by name.
    """
    run, pack = RunFolder(path), facts.pop("pack", "small")
    run.results = [one.model_copy(update={"pack": pack, "journal": one.spec_id}) for one in tasks]
    model = facts.pop("model", "lab/one")
    models = {"evaluator": model, "worker": facts.pop("worker", model)}
    identity = Identity(
        models=models,
        prompts={role: Prompts(path).keep(text) for role, text in prompts.items()},
        pack=pack,
        scenarios=facts.pop("scenarios", {}),
    )
    created = "some day" if hours is None else (BEGAN + timedelta(hours=hours)).isoformat()
    packs = (PackInfo(name=pack, tasks=len(tasks)),)
    return run.write(created=created, identity=identity, packs=packs, **facts)
