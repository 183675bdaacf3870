"""The stand-in for the SDK, in an environment that has nothing of this project but pydantic."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workshop.agent_adapter.launch import environment_for
from workshop.agent_adapter.stand_in import stand_in
from workshop.simulator.server import Simulator, serve
from workshop.simulator.worlds import read_pack

KEY = "key-of-this-run"
Run = Callable[..., Any]
ONE_PEN = {
    "format": "store-pack/1",
    "name": "pens",
    "scenarios": [
        {
            "spec_id": "pen",
            "task_text": "Buy one pen",
            "page_limit": 5,
            "products": [{"sku": "pen", "name": "Pen", "price": 3, "available": 2}],
            "expect": {"checkouts": 1, "any_of": [{"items": [{"sku": "pen", "quantity": 1}]}]},
        }
    ],
}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with stand_in() as path:
        yield path


@pytest.fixture(scope="module")
def platform() -> Iterator[Simulator]:
    with serve(read_pack(json.dumps(ONE_PEN))) as simulator:
        yield simulator


@pytest.fixture
def run(their_python: Path, folder: Path, platform: Simulator, tmp_path: Path) -> Run:
    """Runs a text as a script of somebody else's; what it printed and how it ended."""

    def play(text: str, **variables: str) -> Any:
        script = tmp_path / "main.py"
        script.write_text(text, encoding="utf-8")
        user = {"PATH": os.environ["PATH"], **variables}
        return subprocess.run(
            [their_python, script],
            env=environment_for(platform.base_url, KEY, folder, user),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
        )

    return play


def test_the_folder_holds_the_package_alone_and_goes_away() -> None:
    with stand_in() as path:
        assert {one.name.partition("-")[0] for one in path.iterdir()} == {"erc3"}
        assert (path / "erc3" / "wire" / "company_models.py").is_file()
    assert not path.exists()


def test_it_is_written_for_python_3_10_and_names_no_module_of_this_project(folder: Path) -> None:
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        ast.parse(text, feature_version=(3, 10))
        assert "core.erc3_client" not in text
        assert "workshop" not in text


def test_it_loads_pydantic_and_the_standard_library_alone(run: Run) -> None:
    done = run(
        "import sys, erc3, erc3.transport\n"
        "named = {name.split('.')[0] for name in sys.modules} - {'sitecustomize'}\n"
        "print(sorted(n for n in named - set(sys.stdlib_module_names) if n[0] != '_'))\n"
    )
    names = "['annotated_types', 'erc3', 'pydantic', 'pydantic_core', 'typing_extensions', "
    assert done.stdout == f"{names}'typing_inspection']\n", done.stderr


AGENT = """
from erc3 import ERC3, StoreClient, store

api = ERC3(key="key-mine", base_url="https://real.example/")
session = api.start_session("store", workspace="w", name="one pen")
(task,) = api.session_status(session.session_id).tasks
print(task.task_text)
api.start_task(task)
client = api.get_store_client(task)
assert isinstance(client, StoreClient)
client.dispatch(store.Req_AddProductToBasket(sku="pen", quantity=1))
bought = client.dispatch(store.Req_CheckoutBasket())
assert isinstance(bought, store.Resp_CheckoutBasket)
api.log_llm(task.task_id, "m", 0.5, "text", 7, 2)
print(api.complete_task(task).eval.score, bought.total, api.key)
"""


def test_a_task_is_played_on_the_platform_and_with_the_key_that_it_was_started_with(
    run: Run, platform: Simulator
) -> None:
    done = run(AGENT)
    assert done.stdout == f"Buy one pen\n1.0 3 {KEY}\n", done.stderr
    assert done.stderr == (
        f"erc3 stand-in: the agent asked for https://real.example/; using {platform.base_url}\n"
    )


def test_neither_the_agent_nor_its_dot_env_can_name_another_platform_or_key(run: Run) -> None:
    done = run(
        "import os\nos.environ.update(ERC3_BASE_URL='https://real.example', ERC3_API_KEY='key-r')\n"
        "from erc3 import ERC3, StoreClient, client, store\n"
        "api = ERC3()\nprint(api.base_url[:17], api.key)\n"
        "def turned():\n    api.base_url = 'https://real.example'\n    api.list_benchmarks()\n"
        "for call in (\n"
        "    lambda: StoreClient('https://real.example/store/x').dispatch(store.Req_ViewBasket()),\n"
        "    lambda: client.StoreClient('http://127.0.0.1:9/s').dispatch(store.Req_ViewBasket()),\n"
        "    turned,\n"
        "):\n    try:\n        call()\n    except PermissionError as error:\n"
        "        print('sends nothing to' in str(error))\n"
    )
    assert done.stdout == f"http://127.0.0.1: {KEY}\n" + "True\n" * 3, done.stderr


def test_a_platform_that_is_gone_raises_what_requests_raises(run: Run, tmp_path: Path) -> None:
    script = (
        "import os\nos.environ['ERC3_COMPAT_BASE_URL'] = 'http://127.0.0.1:9'\nimport erc3\n"
        "try:\n    erc3.ERC3().list_benchmarks()\nexcept OSError as error:\n"
        "    print(type(error).__module__, type(error).__name__)\n"
    )
    assert run(script).stdout == "builtins ConnectionRefusedError\n"
    library = tmp_path / "requests"
    library.mkdir()
    names = "class ConnectionError(IOError): pass\nclass ReadTimeout(IOError): pass\n"
    (library / "exceptions.py").write_text(names)
    (library / "__init__.py").write_text("from . import exceptions\n")
    assert run(script).stdout == "requests.exceptions ConnectionError\n"


def test_every_way_to_import(run: Run) -> None:
    done = run(
        "import erc3, erc3.store, erc3.erc3.client, erc3.erc3.dtos, erc3.core, erc3.demo\n"
        "from erc3 import ERC3, TaskInfo, ApiException, ApiError, StoreClient, Erc3Client\n"
        "from erc3 import erc3 as dev, store, client as clients\n"
        "from erc3.erc3 import ProjectDetail, Erc3Client as Other, client, dtos\n"
        "from erc3.base import ApiException as Base\n"
        "assert Other is Erc3Client is dev.Erc3Client is client.Erc3Client is clients.Erc3Client\n"
        "assert client.Req_WhoAmI is dtos.Req_WhoAmI is dev.Req_WhoAmI\n"
        "assert (Base, erc3.core.TaskInfo) == (ApiException, TaskInfo)\n"
        "assert dev.Req_ListWikiPages().tool == '/wiki/list'\n"
        "assert dev.Req_UpdateWikiPage(file='a', content='').tool == '/wiki/update'\n"
        "assert Erc3Client.load_wiki_page and Erc3Client.list_wiki_pages\n"
        "class Mine(dev.Req_GetProject): note: str = ''\n"
        "print(Mine(id='proj_a').tool, store.ProductLine(sku='pen', quantity=1))\n"
    )
    assert done.stdout == "/projects/get sku='pen' quantity=1\n", done.stderr


def test_names_of_other_versions_and_pages_that_agents_make_themselves(run: Run) -> None:
    done = run(
        "import importlib.metadata, erc3\n"
        "from erc3 import ERC3, corporate\n"
        "from erc3.client import Req_GetEmployee, Req_SearchEmployees\n"
        "from erc3.erc3 import dtos\n"
        "api = ERC3(session=7)\n"
        "print(importlib.metadata.version('erc3') == erc3.__version__, api.session)\n"
        "print(corporate.Req_GetEmployee is Req_GetEmployee, api.get_corporate_client.__name__)\n"
        "models = [m for m in vars(dtos).values() if hasattr(m, 'model_fields')]\n"
        "pages = [m for m in models if 'next_offset' in m.model_fields]\n"
        "print(len(pages), {page.model_fields['next_offset'].default for page in pages})\n"
    )
    assert done.stdout == "True 7\nTrue get_corporate_client\n7 {-1}\n", done.stderr


MISSING = {
    "from erc3 import Req_GetProject": ("erc3.Req_GetProject", "erc3.erc3.Req_GetProject"),
    "from erc3 import demos": ("erc3.demos", "erc3.demo"),
    "import erc3.utils": ("erc3.utils", ""),
    "from erc3.store import Req_AddToBasket": ("erc3.store.Req_AddToBasket", "Req_ViewBasket"),
    "from erc3.erc3.dtos import Unheard": ("erc3.erc3.dtos.Unheard", ""),
    "import erc3; erc3.ERC3().get_demo_clients()": ("ERC3.get_demo_clients", "get_demo_client"),
}


def test_what_is_missing_is_named_with_what_is_near_and_can_be_tried(run: Run) -> None:
    done = run(
        f"import erc3\nprint(hasattr(erc3, 'x'), hasattr(erc3.ERC3(), 'y'))\n"
        f"for line in {[*MISSING]!r}:\n    try:\n        exec(line)\n"
        "    except (ImportError, AttributeError) as error:\n        print(error)\n"
    )
    first, *told = done.stdout.splitlines()
    assert first == "False False", done.stderr
    for text, (name, near) in zip(told, MISSING.values(), strict=True):
        assert f"{name} is not in erc3-agent's replacement for the official ERC3 SDK" in text
        assert ("; near: " in text) == bool(near)
        assert near in text.partition("; near: ")[2]


def test_child_processes_find_it_too(run: Run, platform: Simulator) -> None:
    done = run(
        "import multiprocessing, subprocess, sys\n"
        "from erc3 import ERC3\n"
        "def show(): print(ERC3().base_url, flush=True)\n"
        "if __name__ == '__main__':\n"
        "    show_ = 'import erc3; print(erc3.ERC3().base_url)'\n"
        "    subprocess.run([sys.executable, '-c', show_], check=True)\n"
        "    job = multiprocessing.get_context('spawn').Process(target=show)\n"
        "    job.start(); job.join()\n"
    )
    assert done.stdout == f"{platform.base_url}\n" * 2, done.stderr


def test_usage_as_older_sdks_take_it(run: Run, platform: Simulator) -> None:
    done = run(
        "from types import SimpleNamespace\nfrom erc3 import ERC3\napi = ERC3()\n"
        "task = api.start_new_task('store', 'pen')\n"
        "new = SimpleNamespace(prompt_tokens=7, completion_tokens=2)\n"
        "for usage in new, dict(input_tokens=7):\n"
        "    api.log_llm(task.task_id, 'm', 0.5, usage=usage)\nprint(task.task_id)\n"
        "try:\n    api.log_llm(task_id=task.task_id, model='m', duration_sec=0.5)\n"
        "except TypeError as error:\n    print('completion' in str(error))\n"
    )
    task_id, refused = done.stdout.split()
    reports = platform.platform.task(task_id).reports
    assert [(one.prompt, one.completion) for one in reports] == [(7, 2), (7, 0)]
    assert refused == "True"
