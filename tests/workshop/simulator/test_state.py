"""The state file: what it held is there again, whenever and however the platform ended."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workshop.simulator.faults import FaultPlan, read_faults
from workshop.simulator.platform import Platform
from workshop.simulator.request_handler import NO_FAULTS, RequestHandler
from workshop.simulator.server import serve
from workshop.simulator.state import StateError, StateFile
from workshop.simulator.store.pack import Pack

PROJECT = Path(__file__).parents[3]
KEY = "key-very-secret"
MakePack = Callable[..., Pack]
Scenario = Callable[..., dict[str, Any]]


@pytest.fixture
def pack(make_pack: MakePack, scenario_json: Scenario) -> Pack:
    drop = {"on": "/basket/add", "nth": 3, "kind": "twice"}
    return make_pack(scenario_json(faults=[drop]), scenario_json(spec_id="more"))


def handler_of(path: Path | None, pack: Pack, plan: FaultPlan = NO_FAULTS) -> RequestHandler:
    file = StateFile(path, pack) if path else None
    return RequestHandler(Platform(pack), plan, file)


def state_of(handler: RequestHandler) -> dict[str, Any]:
    """All that a platform knows, as plain values."""
    platform = handler.platform
    tasks = {}
    for task_id, task in platform._tasks.items():
        shop = task.world
        goods = (
            {name: one for name, one in vars(shop).items() if name != "_scenario"} if shop else None
        )
        state = (task.session_id, task.num, task.status, len(task.reports), task.evaluation)
        tasks[task_id] = repr((state, task.error_message, task.log, platform.acts(task_id), goods))
    sessions = {
        one: repr((session.asked.account_key, session.asked, session.created, session.status))
        for one, session in platform.sessions.items()
    }
    return {"tasks": tasks, "sessions": sessions, "arrivals": dict(handler._arrivals)}


def start_all(handler: RequestHandler) -> list[str]:
    """A session with its tasks started, and a task without one."""
    opened = {"account_key": KEY, "benchmark": "store", "workspace": "w", "flags": ["f"]}
    session = handler.take("/sessions/start", opened).answer["session_id"]
    status = handler.take("/sessions/status", {"session_id": session}).answer
    tasks = [task["task_id"] for task in status["tasks"]]
    for task_id in tasks:
        handler.take("/tasks/start", {"task_id": task_id, "benchmark": None})
    outside = handler.take("/tasks/start", {"benchmark": "store", "spec_id": "more"})
    if outside.status == 200 and outside.answer:
        tasks.append(outside.answer["task_id"])
    return tasks


skus = st.sampled_from(["tea-green", "cup", "pot", "mug"])
moves: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.tuples(
        st.sampled_from(["/basket/add", "/basket/remove"]),
        st.fixed_dictionaries({"sku": skus, "quantity": st.integers(-1, 4)}),
    ),
    st.tuples(
        st.just("/coupon/apply"),
        st.fixed_dictionaries({"coupon": st.sampled_from(["TEN", "HUGE", "", "NO"])}),
    ),
    st.tuples(
        st.sampled_from(["/coupon/remove", "/basket/checkout", "/basket/view", "/burn"]),
        st.dictionaries(st.sampled_from(["tool", "x"]), st.text(max_size=3), max_size=1),
    ),
    st.tuples(
        st.just("/products/list"),
        st.fixed_dictionaries({"offset": st.integers(), "limit": st.integers(0, 3)}),
    ),
    st.tuples(
        st.just("/tasks/log"),
        st.fixed_dictionaries(
            {
                "model": st.text(),
                "duration_sec": st.floats(allow_nan=False, allow_infinity=False),
                "completion": st.text(max_size=5),
            }
        ),
    ),
    st.tuples(st.sampled_from(["/tasks/complete", "/tasks/view"]), st.just({})),
)
plans = st.builds(
    lambda seed, rate: read_faults(f"any:any:{rate},any:twice:{rate},seed={seed}"),
    st.integers(0, 99),
    st.sampled_from([0, 0.2, 0.7]),
)


def play(
    handler: RequestHandler, tasks: list[str], steps: list[tuple[int, tuple[str, dict[str, Any]]]]
) -> None:
    for who, (path, body) in steps:
        task_id = tasks[who % len(tasks)]
        if path.startswith("/tasks"):
            handler.take(path, body | {"task_id": task_id})
        else:
            handler.take(path, body, task_id)


scripts = st.lists(st.tuples(st.integers(0, 2), moves), max_size=25)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(scripts, scripts, plans, plans, st.booleans())
def test_a_restart_changes_nothing(
    pack: Pack,
    tmp_path_factory: pytest.TempPathFactory,
    before: list[Any],
    after: list[Any],
    plan: FaultPlan,
    later: FaultPlan,
    force: bool,
) -> None:
    path = tmp_path_factory.mktemp("state") / "state.jsonl"
    first = handler_of(path, pack, plan)
    tasks = start_all(first)
    play(first, tasks, before)
    known = state_of(first)
    first.close()
    second = handler_of(path, pack, later)
    assert state_of(second) == known
    play(second, tasks, after)
    for session_id in known["sessions"]:
        second.take("/sessions/submit", {"session_id": session_id, "force": force})
    fresh = start_all(second)
    assert set(fresh).isdisjoint(known["tasks"])
    known = state_of(second)
    second.close()
    third = handler_of(path, pack)
    assert state_of(third) == known
    third.close()


@pytest.mark.promise("nothing lost at a kill")
def test_a_file_cut_anywhere_holds_every_complete_line(pack: Pack, tmp_path: Path) -> None:
    path, cut = tmp_path / "state.jsonl", tmp_path / "cut.jsonl"
    handler = handler_of(path, pack)
    task_id = start_all(handler)[0]
    sizes, states = [0, path.stat().st_size], [state_of(handler_of(None, pack)), state_of(handler)]
    for call in (
        ("/basket/add", {"sku": "cup", "quantity": 1}, task_id),
        ("/basket/checkout", {}, task_id),
        ("/tasks/complete", {"task_id": task_id}, None),
    ):
        handler.take(*call)
        sizes.append(path.stat().st_size)
        states.append(state_of(handler))
    handler.close()
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    for size in (*range(header + 1), *range(sizes[1], len(content) + 1)):
        cut.write_bytes(content[:size])
        again = handler_of(cut, pack)
        assert state_of(again) == states[sum(one <= size for one in sizes) - 1]
        again.take("/basket/view", {}, task_id)
        expected = state_of(again)
        again.close()
        again = handler_of(cut, pack)
        assert state_of(again) == expected
        again.close()


@pytest.mark.promise("nothing lost at a kill")
def test_the_line_stands_before_the_effect_and_is_synced_where_it_counts(
    pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = handler_of(tmp_path / "state.jsonl", pack)
    task_id = start_all(handler)[0]
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    handler.take("/basket/add", {"sku": "cup", "quantity": 1}, task_id)
    assert synced == []
    purchases = handler.platform.acts(task_id)

    def fail(fd: int) -> None:
        assert handler.platform.acts(task_id) == purchases == ()
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fail)
    refused = handler.take("/basket/checkout", {}, task_id)
    assert refused.status == 500
    assert refused.answer["error"].endswith("cannot be written: Input/output error")
    monkeypatch.undo()
    assert handler.take("/basket/checkout", {}, task_id).status == 200
    known = state_of(handler)
    handler.close()
    assert state_of(handler_of(tmp_path / "state.jsonl", pack)) == known


def test_a_full_disk_refuses_and_leaves_a_good_file(
    pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = handler_of(tmp_path / "state.jsonl", pack)
    task_id = start_all(handler)[0]
    known, write, cut = state_of(handler), os.write, os.ftruncate
    call: Any = ("/basket/add", {"sku": "cup", "quantity": 1}, task_id)
    monkeypatch.setattr(os, "write", lambda fd, line: write(fd, line[:20]))
    assert "the disk is full" in handler.take(*call).answer["error"]

    def stuck(fd: int, size: int) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(os, "ftruncate", stuck)
    assert [handler.take(*call).status for _ in range(2)] == [500, 500]
    assert state_of(handler) == known
    monkeypatch.setattr(os, "write", write)
    assert handler.take(*call).status == 500
    monkeypatch.setattr(os, "ftruncate", cut)
    assert handler.take(*call).status == 200
    known = state_of(handler)
    handler.close()
    assert state_of(handler_of(tmp_path / "state.jsonl", pack)) == known


@pytest.mark.promise("no secret in an output")
def test_no_secret_is_kept(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "state.jsonl"
    handler = handler_of(path, pack)
    task_id = start_all(handler)[0]
    report = {"task_id": task_id, "model": "m", "duration_sec": 1, "completion": f"my {KEY}"}
    assert handler.take("/tasks/log", report).status == 200
    for key in ("key-", "a-secret"):
        body = {"account_key": key, "benchmark": "store", "workspace": "w"}
        assert handler.take("/sessions/start", body).answer["error"] == "invalid account key"
    handler.close()
    assert KEY not in path.read_text()
    assert "a-secret" not in path.read_text()
    again = handler_of(path, pack)
    found = again.take("/sessions/search", {"account_key": KEY}).answer["sessions"]
    assert len(found) == 1
    other = again.take("/sessions/search", {"account_key": "key-other"}).answer
    assert other == {"sessions": []}
    again.close()


def damaged(line: str) -> Callable[[str], str]:
    return lambda text: text + line + "\n"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda _: "notes", "is not a state file; name another one"),
        (lambda _: "my\nnotes\n", "is not a state file; name another one"),
        (lambda _: "[1]\n", "is not a state file; name another one"),
        (
            lambda text: text.replace("platform-state/1", "platform-state/9"),
            "has the format 'platform-state/9'; this platform needs 'platform-state/1'",
        ),
        (damaged("{"), "line 2 is damaged: Invalid JSON"),
        (damaged('{"at": 1}'), "line 2 is damaged: Field required"),
    ],
)
def test_other_files_are_refused_and_left_alone(
    pack: Pack, tmp_path: Path, change: Callable[[str], str], text: str
) -> None:
    path = tmp_path / "state.jsonl"
    handler_of(path, pack).close()
    path.write_text(change(path.read_text()))
    before = path.read_bytes()
    with pytest.raises(StateError, match=f"state.jsonl: {text}"):
        serve(pack, state=path)
    with pytest.raises(StateError, match=text):
        serve(pack, state=path)
    assert path.read_bytes() == before


def test_another_pack_is_refused(pack: Pack, make_pack: MakePack, tmp_path: Path) -> None:
    path = tmp_path / "state.jsonl"
    handler_of(path, pack).close()
    with pytest.raises(StateError, match=r"belongs to the pack 'test' \(\w{12}\), not to 'test'"):
        serve(make_pack(), state=path)


def test_one_platform_at_a_time(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "state.jsonl"
    with (
        serve(pack, state=path),
        pytest.raises(StateError, match="is in use by another simulator"),
    ):
        serve(pack, state=path)
    with serve(pack, state=path) as running:
        taken = int(running.base_url.rsplit(":", 1)[1])
    with serve(pack, port=taken), pytest.raises(OSError, match="in use"):
        serve(pack, port=taken, state=path)
    serve(pack, state=path).stop()


@pytest.fixture
def start_process(tmp_path: Path) -> Iterator[Callable[[], tuple[subprocess.Popen[str], str]]]:
    shop = {
        "spec_id": "pens",
        "task_text": "Buy pens",
        "page_limit": 5,
        "products": [{"sku": "pen", "name": "Pen", "price": 1, "available": 10**9}],
        "expect": {"checkouts": 0},
    }
    whole = {"format": "store-pack/1", "name": "pens", "scenarios": [shop]}
    (tmp_path / "pack.json").write_text(json.dumps(whole))
    program = [sys.executable, str(PROJECT / "submission.py"), "serve"]
    command = [*program, "--pack", "pack.json", "--state", "state.jsonl"]
    running: list[subprocess.Popen[str]] = []

    def start() -> tuple[subprocess.Popen[str], str]:
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment
        )
        running.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.promise("nothing lost at a kill")
def test_killed_in_mid_traffic(start_process: Callable[[], Any]) -> None:
    answered: dict[str, int] = {}
    sent: dict[str, int] = {}

    def shop(base_url: str, task_id: str, enough: threading.Event) -> None:
        url = f"{base_url}/store/{task_id}/basket/add"
        with httpx.Client(trust_env=False, verify=False, timeout=60) as http:
            try:
                while True:
                    sent[task_id] += 1
                    size = http.post(url, json={"sku": "pen", "quantity": 1}).json()["item_count"]
                    assert size > answered[task_id]
                    answered[task_id] = size
                    if size % 40 == 0:
                        enough.set()
            except httpx.TransportError:
                return

    for _ in range(3):
        process, base_url = start_process()
        with httpx.Client(base_url=base_url, trust_env=False, verify=False, timeout=60) as http:
            for task_id, size in answered.items():
                found = http.post(f"/store/{task_id}/basket/view", json={}).json()
                kept = sum(line["quantity"] for line in found["items"] or [])
                assert size <= kept <= sent[task_id]
                sent[task_id] = answered[task_id] = kept
            new = http.post("/tasks/start", json={"benchmark": "store", "spec_id": "pens"}).json()
        assert new["task_id"] > max(answered, default="")
        answered[new["task_id"]] = sent[new["task_id"]] = 0
        enough = threading.Event()
        threads = [
            threading.Thread(target=shop, args=(base_url, task_id, enough)) for task_id in answered
        ]
        for thread in threads:
            thread.start()
        assert enough.wait(100)
        process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
