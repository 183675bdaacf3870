"""Common worker code runs in the sandbox as it does in CPython, row by row."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from worker.sandbox.contract import SandboxError, SandboxKind
from worker.sandbox.executor import NOTHING_CALLED, SandboxExecutor
from worker.sandbox.isolation import open_sandbox

from .common_code import ObservedRequest, Snippet, all_in_cpython, snippets
from .kinds import STANDING
from .shop import Shop


def in_sandbox(snippet: Snippet, box: SandboxExecutor, shop: Shop) -> ObservedRequest:
    logs: list[str] = []
    errors: list[str | None] = []
    final: object = None
    for step in snippet.steps:
        try:
            out = box(step)
        except SandboxError as error:
            lines = [line for line in error.text.splitlines() if not line.startswith("Hint")]
            errors.append(lines[-1].partition(":")[0])
            logs.append(str(box.state["_print_outputs"]))
            continue
        errors.append(None)
        logs.append(out.logs.replace(NOTHING_CALLED, ""))
        final = out.output if out.is_final_answer else final
    seen = ObservedRequest(logs, errors, final, [*shop.calls])
    return ObservedRequest(**json.loads(json.dumps(asdict(seen))))


@pytest.mark.parametrize("kind", STANDING)
def test_as_in_cpython(kind: SandboxKind) -> None:
    rows, expected, seen = snippets(), all_in_cpython(), dict[str, ObservedRequest]()
    for row in rows:
        shop = Shop()
        with open_sandbox(shop, None, kind) as box:
            seen[row.name] = in_sandbox(row, box, shop)
    different = {name: one for name, one in seen.items() if one != expected[name]}
    assert different == {}
    assert len(seen) == len(rows) >= 120
