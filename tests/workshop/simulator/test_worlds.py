"""The platform's core knows no world by name: a second one is served as it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from workshop.simulator import worlds
from workshop.simulator.faults import TASK_PATHS, Fault
from workshop.simulator.pack_files import PackError, Part
from workshop.simulator.server import Simulator, serve
from workshop.simulator.world import NO_STATISTICS, Evaluation, Refusal, Route, World

CORE = Path(worlds.__file__).parent
OURS = [
    path
    for path in sorted(CORE.rglob("*.py"))
    if path.name != "worlds.py" and path.relative_to(CORE).parts[0] not in ("store", "company")
]


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_imports_no_world(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert not [
        n for n in names if n.startswith(("workshop.simulator.store", "workshop.simulator.company"))
    ]


class DeskFault(Fault):
    paths = ("/whoami", "/note", "/respond", *TASK_PATHS)


class DeskScenario(Part):
    spec_id: str
    task_text: str
    company: str
    user: str | None = None
    outcome: str
    faults: tuple[DeskFault, ...] = ()


class DeskPack(Part):
    """Several tasks share a company, which stands in the pack once."""

    format: str
    name: str
    companies: dict[str, dict[str, str]]
    scenarios: tuple[DeskScenario, ...]


class Req_Nothing(BaseModel):
    pass


class Req_Note(BaseModel):
    who: str
    hours: float = 0.0
    tags: list[str] = []


class Req_Respond(BaseModel):
    outcome: str
    message: str = ""


class Resp_Any(BaseModel):
    pass


class CompanyState:
    """Records of one task over a shared company; a single response ends it."""

    def __init__(self, scenario: DeskScenario, company: dict[str, str]) -> None:
        self.scenario, self.company = scenario, company
        self.events: list[dict[str, Any]] = []

    @property
    def acts(self) -> tuple[dict[str, Any], ...]:
        return tuple(self.events)

    def evaluate(self, logged: bool) -> Evaluation:
        sent = [event["outcome"] for event in self.events if "outcome" in event]
        wrong = [f"FAIL: agent should provide 1 response, found {len(sent)}"][: len(sent) != 1]
        if not wrong and sent[0] != self.scenario.outcome:
            wrong = [f"FAIL: expected outcome '{self.scenario.outcome}', got '{sent[0]}'"]
        return Evaluation.of(0.0 if wrong else 1.0, wrong, logged)


def whoami(world: CompanyState, request: Req_Nothing) -> dict[str, Any]:
    if world.scenario.user is None:
        raise Refusal("Not found", 404)
    return {"current_user": world.scenario.user, "company": world.company["name"]}


def note(world: CompanyState, request: Req_Note) -> dict[str, Any]:
    world.events.append(request.model_dump())
    return {"id": f"te_{len(world.events):03}", "tags": request.tags or None}


def respond(world: CompanyState, request: Req_Respond) -> dict[str, Any]:
    world.events.append(request.model_dump())
    return {}


def route(
    path: str, request: type[BaseModel], answer: Callable[[Any, Any], dict[str, Any]]
) -> Route:
    shown = {"description": "What it does.", "sample_request": {}, "sample_response": {}}
    return Route(request, Resp_Any, answer, {"path": path, **shown})


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(
        name="world",
        format="world-pack/1",
        benchmarks=("erc3-dev", "erc3-test"),
        roots=("erc3-dev", "erc3"),
        module="erc3",
        description="Keep the books of a small company.",
        routes={
            "/whoami": route("/whoami", Req_Nothing, whoami),
            "/note": route("/note", Req_Note, note),
            "/respond": route("/respond", Req_Respond, respond),
        },
        irreversible=frozenset({"/note", "/respond"}),
        bundled=tmp_path / "pack.json",
        pack=DeskPack,
        open_task=lambda pack, one: CompanyState(one, pack.companies[one.company]),
    )
    monkeypatch.setitem(worlds.WORLDS, world.format, world)
    world.bundled.write_text(
        """{"format": "world-pack/1", "name": "books",
        "companies": {"fern": {"name": "Fern & Co"}},
        "scenarios": [
        {"spec_id": "ask", "task_text": "Who am I?", "company": "fern", "user": "ute",
         "outcome": "ok", "faults": [{"on": "/note", "nth": 2, "kind": "twice"}]},
        {"spec_id": "broken", "task_text": "Who?", "company": "fern", "outcome": "error"}]}"""
    )
    return world


@pytest.fixture
def served(world: World, tmp_path: Path) -> Iterator[Simulator]:
    with serve(worlds.load_pack(world.bundled), state=tmp_path / "state.jsonl") as running:
        yield running


def test_another_world_is_served_without_a_change(
    served: Simulator, world: World, tmp_path: Path, connections: httpx.Client
) -> None:
    def post(path: str, **body: object) -> httpx.Response:
        return connections.post(served.base_url + path, json=body)

    listed = post("/benchmarks/list").json()["benchmarks"]
    assert [(one["id"], one["tasks"]) for one in listed] == [("erc3-dev", 2), ("erc3-test", 2)]
    view = post("/benchmarks/view", benchmark="erc3-test").json()
    assert (view["id"], [one["path"] for one in view["routes"]]) == (
        "erc3-test",
        list(world.routes),
    )
    assert post("/benchmarks/view", benchmark="store").status_code == 404
    session = post(
        "/sessions/start", account_key="key-x", benchmark="erc3-test", workspace="w"
    ).json()
    tasks = post("/sessions/status", **session).json()["tasks"]
    assert {one["benchmark"] for one in tasks} == {"erc3-test"}
    ask, broken = (one["task_id"] for one in tasks)
    for task_id in (ask, broken):
        post("/tasks/start", task_id=task_id)
    who = post(f"/erc3-dev/{ask}/whoami", tool="/whoami").json()
    assert who == {"current_user": "ute", "company": "Fern & Co"}
    missing = post(f"/erc3/{broken}/whoami")
    assert (missing.status_code, missing.json()["error"]) == (404, "Not found")
    assert post(f"/store/{ask}/whoami").status_code == 404
    assert post(f"/erc3/{ask}/note", who="ute", hours=3).json() == {"id": "te_001", "tags": None}
    assert post(f"/erc3/{ask}/note", who="piet", tags=["a"]).json()["id"] == "te_002"
    assert "hours" in post(f"/erc3/{ask}/note", who="ute", hours="3").json()["error"]
    post(f"/erc3/{ask}/respond", outcome="ok")
    post("/tasks/log", task_id=ask, model="m", duration_sec=1, completion="")
    done = [post("/tasks/complete", task_id=task_id).json()["eval"] for task_id in (ask, broken)]
    fails = "FAIL: agent should provide 1 response, found 0"
    assert done == [
        {"score": 1.0, "logs": ""},
        {"score": 0.0, "logs": f"{fails}\n{NO_STATISTICS}"},
    ]
    lines = [line.text for line in served.platform.task(broken).log]
    assert lines[1:] == ["erc3.Req_Nothing", "Status: 404, Error: Not found, Code: "]
    assert [event.get("who") for event in served.platform.acts(ask)] == [
        "ute",
        "piet",
        "piet",
        None,
    ]
    served.stop()
    pack = worlds.load_pack(world.bundled)
    with serve(pack, state=tmp_path / "state.jsonl") as again:
        assert again.platform.acts(ask) == served.platform.acts(ask)


def test_a_pack_names_its_world(world: World, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(world.bundled.read_text().replace("world-pack/1", "other/1"))
    known = "format must be .*'company-pack/1' or 'world-pack/1', not 'other/1'"
    with pytest.raises(PackError, match=known):
        worlds.load_pack(path)
    path.write_text(world.bundled.read_text().replace("/note", "/basket/add"))
    with pytest.raises(
        PackError, match="unknown path '/basket/add'; faults apply to /whoami, /note"
    ):
        worlds.load_pack(path)
