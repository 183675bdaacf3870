"""The platform's core knows no world by name: a third one is served as it is."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.toy.world import TOY
from workshop.simulator import worlds
from workshop.simulator.pack_files import PackError

CORE = Path(worlds.__file__).parent
OURS = [
    path
    for path in sorted(CORE.rglob("*.py"))
    if path.name != "worlds.py" and path.relative_to(CORE).parts[0] not in ("store", "company")
]
TASKS = [
    {
        "spec_id": "up",
        "task_text": "Bring it to 3",
        "start": 1,
        "wanted": 3,
        "faults": [{"on": "/add", "nth": 1, "kind": "twice"}],
    }
]


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worlds.WORLDS, TOY.format, TOY)


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_imports_no_world(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert not [
        n for n in names if n.startswith(("workshop.simulator.store", "workshop.simulator.company"))
    ]


def test_another_world_is_served_without_a_change(site_of: Callable[..., Any]) -> None:
    site = site_of(pack=worlds.read_pack(TOY.pack_text("toy", TASKS)))
    (listed,) = site.post("/benchmarks/list").json()["benchmarks"]
    assert (listed["id"], listed["tasks"]) == ("toy", 1)
    routes = site.post("/benchmarks/view", benchmark="toy").json()["routes"]
    assert [one["path"] for one in routes] == list(TOY.routes)
    assert site.post("/benchmarks/view", benchmark="store").status_code == 404
    task = site.post("/tasks/start", benchmark="toy", spec_id="up").json()["task_id"]
    assert site.post(f"/store/{task}/read").status_code == 404
    assert site.post(f"/toy/{task}/add", number=0).json()["error"] == "cannot add 0"
    assert site.post(f"/toy/{task}/add", number=2).json() == {"value": 3}
    assert site.simulator.platform.acts(task) == (2,)
    done = site.post("/tasks/complete", task_id=task).json()["eval"]
    assert (done["score"], done["logs"].splitlines()[0]) == (0.9, "GOOD: wanted 3, found 3")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("toy-pack/1", "other/1"), "format must be .*'toy-pack/1', not 'other/1'"),
        (('"/add"', '"/burn"'), "unknown path '/burn'; faults apply to /read, /add, /tasks"),
    ],
)
def test_a_pack_names_its_world(change: tuple[str, str], told: str) -> None:
    text = json.dumps(json.loads(TOY.pack_text("toy", TASKS))).replace(*change)
    with pytest.raises(PackError, match=told):
        worlds.read_pack(text)
