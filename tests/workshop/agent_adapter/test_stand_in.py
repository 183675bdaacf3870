"""Scripts for the official SDK, run unchanged with our client in its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.core.erc3_client.company_pack import PACK
from workshop.agent_adapter.stand_in import PLATFORM
from workshop.agent_adapter.stand_in.erc3.core import ERC3

ROOT = Path(__file__).parents[3]
SCRIPTS = Path(__file__).parent / "scripts"
NOWHERE = "http://127.0.0.1:9"
UNDER = ["-m", "workshop.agent_adapter"]
TASKS = [scenario["spec_id"] for scenario in PACK["scenarios"]]


def run(*words: str | Path, flags: list[str] = UNDER, **variables: str) -> Any:
    """A Python with these words, and the variables that are set in addition."""
    known = {"ERC3_BASE_URL": NOWHERE, "ERC3_API_KEY": "key-test", **variables}
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, *flags, *map(str, words)],
        cwd=ROOT,
        env={name: value for name, value in (kept | known).items() if value},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def script(tmp_path: Path) -> Any:
    def write(text: str, name: str = "agent.py") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_store_agent_plays_a_session(base_url: str) -> None:
    done = run(SCRIPTS / "store_agent.py", "store", ERC3_BASE_URL=base_url)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Session has 1 tasks"
    assert "ERR: Error 400: status=400 error='page limit exceeded: 10 > 2' code=''" in done.stdout
    assert 'OUT: {"line_count":1,"item_count":2}' in lines
    assert "SCORE: 1.0" in lines
    assert lines[-1] == "DONE evaluated"


def test_a_company_agent_plays_a_session(company_url: str) -> None:
    done = run(SCRIPTS / "company_agent.py", ERC3_BASE_URL=company_url)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("===")] == TASKS, done.stdout
    assert [line for line in lines if line.startswith("SCORE")] == ["SCORE: 1.0"] * len(TASKS)
    (logged,) = (line for line in lines if line.startswith("LOGGED"))
    assert json.loads(logged.removeprefix("LOGGED"))["id"] == "te_001"
    assert "ERR: Error 400: status=400 error='page limit exceeded: 4 > -1' code=''" in lines


LOOKS = "import sys\nprint(__name__, __file__, sys.argv, sys.path[0], sys.flags.optimize)\n"
ENDS = {
    "at its end": "print(input())",
    "with a code": "raise SystemExit(7)",
    "with a text": "raise SystemExit('no tasks left')",
    "at once": "import os; os._exit(5)",
    "with an error": "def go():\n    return 1 / 0\ngo()",
    "with a mistake": "def go(:\n    pass",
    "with an interrupt": "raise KeyboardInterrupt",
    "by a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "by a hook": "sys.excepthook = lambda *e: print('hook', e[2].tb_next)\nraise ValueError('x')",
}


@pytest.mark.parametrize("end", ENDS)
def test_a_script_runs_as_python_runs_it(script: Any, end: str) -> None:
    path = script(LOOKS + ENDS[end])
    alone, under = (
        run(path, "--deep", "-m", "x y", "--", "", flags=flags, PYTHONOPTIMIZE="1")
        for flags in (["-W", "error"], ["-W", "error", *UNDER])
    )
    assert under.returncode == alone.returncode
    assert (under.stdout, under.stderr) == (alone.stdout, alone.stderr)


@pytest.mark.parametrize("flags", [["-u", *UNDER], ["-um", "workshop.agent_adapter"]])
def test_options_of_the_interpreter_are_kept(script: Any, flags: list[str]) -> None:
    path = script("import sys; print(sys.orig_argv[1:], sys.stdout.write_through)")
    assert run(path, "x", flags=flags).stdout == f"{['-u', str(path), 'x']} True\n"


def test_modules_of_the_script_come_first(script: Any) -> None:
    for name in ("models", "wire", "worker"):
        script("whose = 'the script'", f"{name}.py")
    path = script(
        "import erc3, models, wire, worker\n"
        "print(models.whose, wire.whose, worker.whose, erc3.store.Req_ViewBasket().tool)"
    )
    done = run(path)
    assert done.stdout == "the script the script the script /basket/view\n", done.stderr


def test_every_way_to_import(script: Any) -> None:
    path = script(
        "import erc3, erc3.store, erc3.erc3.client, erc3.erc3.dtos, erc3.core\n"
        "from erc3 import ERC3, TaskInfo, ApiException, ApiError, StoreClient, Erc3Client\n"
        "from erc3 import erc3 as dev, store\n"
        "from erc3.erc3 import ProjectDetail, Erc3Client as Other, client, dtos\n"
        "from erc3.base import ApiException as Base\n"
        "assert Other is Erc3Client is dev.Erc3Client is client.Erc3Client\n"
        "assert client.Req_WhoAmI is dtos.Req_WhoAmI is dev.Req_WhoAmI\n"
        "assert (Base, erc3.core.TaskInfo) == (ApiException, TaskInfo)\n"
        "class Mine(dev.Req_GetProject): note: str = ''\n"
        "print(Mine(id='proj_a').tool, store.ProductLine(sku='pen', quantity=1))\n"
    )
    done = run(path)
    assert done.stdout == "/projects/get sku='pen' quantity=1\n", done.stderr


def test_child_processes_find_it_too(script: Any) -> None:
    script("import erc3\nprint(erc3.ERC3().base_url)", "child.py")
    path = script(
        "import multiprocessing, subprocess, sys, os\n"
        "from erc3 import ERC3\n"
        "def show(): print(ERC3().base_url, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    os.environ['ERC3_BASE_URL'] = 'https://elsewhere.example'\n"
        "    here = os.path.dirname(__file__)\n"
        "    subprocess.run([sys.executable, 'child.py'], cwd=here, check=True)\n"
        "    job = multiprocessing.get_context('spawn').Process(target=show)\n"
        "    job.start(); job.join()\n"
    )
    done = run(path)
    assert done.stdout == f"{NOWHERE}\n{NOWHERE}\n", done.stderr


def test_the_environment_names_platform_and_account(script: Any) -> None:
    path = script(
        "from erc3 import ERC3\n"
        "for _ in range(2):\n"
        "    api = ERC3(key='key-mine', base_url='https://erc.example/', session=object())\n"
        "    print(api.base_url, api.key)\n"
        "print(ERC3(base_url='http://127.0.0.1:9/').base_url)\n"
    )
    done = run(path)
    assert done.stdout == f"{NOWHERE} key-test\n" * 2 + f"{NOWHERE}\n"
    assert done.stderr == (
        "agent_adapter: the script asks for https://erc.example/, "
        f"ERC3_BASE_URL={NOWHERE} is used\n"
    )


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from erc3 import demo", "erc3.demo"),
        ("import erc3.demo", "erc3.demo"),
        ("from erc3.erc3 import Req_DeleteProject", "erc3.erc3.Req_DeleteProject"),
        ("from erc3.store import Resp_Refund", "erc3.store.Resp_Refund"),
        ("from erc3.erc3.dtos import Unheard", "'Unheard' from 'erc3.erc3.dtos'"),
        ("import erc3; erc3.ERC3().get_demo_client(None)", "ERC3.get_demo_client"),
        ("import erc3; erc3.ERC3().get_store_client(x)", "name 'x' is not defined"),
        ("import erc3; erc3.core.Nothing", "erc3.core.Nothing"),
    ],
)
def test_what_is_lacking_is_named(script: Any, line: str, name: str) -> None:
    done = run(script(line))
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert name in last
    assert "stand" in last or "agent adapter" in last or "not defined" in last


def test_what_may_be_lacking_can_be_asked_for(script: Any) -> None:
    path = script("import erc3, copy\nprint(hasattr(erc3, 'x'), hasattr(erc3.ERC3(), 'y'))")
    assert run(path).stdout == "False False\n"


OPENAI = SimpleNamespace(prompt_tokens=7, completion_tokens=2)
ANTHROPIC = {"input_tokens": 7, "output_tokens": 2}


@pytest.mark.parametrize("usage", [OPENAI, ANTHROPIC])
def test_usage_as_older_sdks_take_it(monkeypatch: pytest.MonkeyPatch, usage: object) -> None:
    seen: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content))
        return httpx.Response(200, json={})

    monkeypatch.setenv(PLATFORM, NOWHERE)
    api = ERC3(session=httpx.Client(transport=httpx.MockTransport(answer)))
    api.log_llm("tsk-1", "m", 0.5, usage=usage)
    api.log_llm(task_id="tsk-1", model="m", duration_sec=0.5, usage=usage, completion="text")
    counts = {"prompt_tokens": 7, "completion_tokens": 2, "cached_prompt_tokens": 0}
    common = {"task_id": "tsk-1", "model": "m", "duration_sec": 0.5, **counts}
    assert seen == [common | {"completion": ""}, common | {"completion": "text"}]
    with pytest.raises(TypeError, match="completion"):
        api.log_llm(task_id="tsk-1", model="m", duration_sec=0.5)


@pytest.mark.parametrize(
    ("failure", "name"),
    [
        (httpx.ConnectError, "ConnectionError"),
        (httpx.ReadError, "ConnectionError"),
        (httpx.ConnectTimeout, "ConnectTimeout"),
        (httpx.ReadTimeout, "ReadTimeout"),
    ],
)
def test_a_network_that_fails(
    monkeypatch: pytest.MonkeyPatch, failure: type[httpx.TransportError], name: str
) -> None:
    requests = pytest.importorskip("requests")

    def answer(request: httpx.Request) -> httpx.Response:
        raise failure("gone")

    monkeypatch.setenv(PLATFORM, NOWHERE)
    api = ERC3(session=httpx.Client(transport=httpx.MockTransport(answer)))
    task = SimpleNamespace(task_id="tsk-1")
    for call in (api.list_benchmarks, api.get_erc_client(task).who_am_i):
        with pytest.raises(requests.RequestException, match="gone") as caught:
            call()
        assert type(caught.value) is getattr(requests.exceptions, name)
    monkeypatch.setitem(sys.modules, "requests", None)
    with pytest.raises(failure):
        api.list_benchmarks()


WRONG: dict[str, tuple[list[str], dict[str, str], str]] = {
    "no script": ([], {}, "no script is named"),
    "no such script": (["nowhere/agent.py"], {}, "nowhere/agent.py: there is no such file"),
    "a folder": (["tests"], {}, "tests: is a folder"),
    "no address": (["setup"], {"ERC3_BASE_URL": ""}, "set ERC3_BASE_URL to the address"),
    "no key": (["setup"], {"ERC3_API_KEY": ""}, "set ERC3_API_KEY to an account key"),
    "no scheme": (["setup"], {"ERC3_BASE_URL": "127.0.0.1:80"}, "127.0.0.1:80 is no address"),
    "no port": (["setup"], {"ERC3_BASE_URL": "http://a:b"}, "http://a:b is no address"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_mistakes_of_the_user(script: Any, mistake: str) -> None:
    words, variables, told = WRONG[mistake]
    path = str(script("print('ran')"))
    done = run(*(path if word == "setup" else word for word in words), **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("agent_adapter: ")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interpreter_that_ignores_the_environment(script: Any) -> None:
    done = run(script("print('ran')"), flags=["-E", "-m", "workshop.agent_adapter"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "leave out -E and -I" in done.stderr


def test_help() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m workshop.agent_adapter SCRIPT.py")
