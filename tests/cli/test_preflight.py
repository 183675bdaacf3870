"""The preflight: a dead model is found before anything begins."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tenacity import wait_none
from typer.testing import CliRunner, Result

from cli import checks
from cli.cli import app
from core.models import retries
from tests.kit import fake_openai_faults as faults
from tests.kit.commands import CLEAN
from tests.kit.fake_openai import FakeOpenAI, answer_by_script
from tests.kit.records import results_at
from tests.kit.rehearsal import rehearsal
from workshop.simulator.server import Simulator

KEY = "sk-live-4f9a1c77e2b0d358"
NOWHERE = "http://127.0.0.1:9/v1"
Serve = Callable[..., FakeOpenAI]


QUESTIONS = {one.text: one for one in (checks.DECISION, checks.PROGRAM)}


def by_script(model: str, messages: list[dict[str, str]]) -> str:
    """The scripted model, which answers the questions of a preflight, too."""
    question = QUESTIONS.get(messages[0]["content"])
    if question is checks.DECISION:
        return "THOUGHT: x\nDECISION: PROCEED\nINSTRUCTION: Look for pencils."
    if question is checks.PROGRAM:
        return "<code>\nfinal_answer(17 + 25)\n</code>"
    return answer_by_script(model, messages)


def asked(server: FakeOpenAI) -> list[str]:
    """The questions of a preflight that a server was asked, by name."""
    firsts = (ask.messages[0]["content"] for ask in server.seen)
    return sorted(QUESTIONS[text].name for text in firsts if text in QUESTIONS)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts model servers; attempts at them follow at once."""
    monkeypatch.setattr(retries, "WAIT", wait_none())
    with ExitStack() as running:
        yield lambda *args, **kwargs: running.enter_context(FakeOpenAI(*args, **kwargs))


@pytest.fixture
def platform(platform_of: Any, shop_json: Any) -> Simulator:
    shops = [shop_json(spec_id=name, task_text="Buy 1x helicopter") for name in ("a", "b")]
    simulator: Simulator = platform_of(*shops)
    return simulator


@pytest.fixture
def real(platform: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs ``--real --yes`` against the platform in an empty folder; an empty key is no key."""
    monkeypatch.chdir(tmp_path)
    where = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": platform.base_url}

    def go(*words: object, env: dict[str, str] | None = None) -> Result:
        options = ["--real", "--yes", *map(str, words)]
        done = CliRunner().invoke(app, options, env=CLEAN | where | (env or {}))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert KEY not in done.output
        return done

    return go


def untouched(platform: Simulator, folder: Path) -> bool:
    """Nothing was opened there, and nothing written here."""
    opened = [*platform.platform.sessions, *platform.platform.single_tasks]
    return not opened and not list(folder.iterdir())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("scripted/stor", "there is no scripted/stor; there are scripted/store"),
        ("scriptd/store", "LiteLLM has no provider 'scriptd'"),
        ("faulty/stor?rate=0.1", "there is no scripted/stor; there are scripted/store"),
        ("faulty/store?rate=7", "rate: Input should be less than or equal to 1"),
        ("referense", "it names no provider"),
        ("gpt-9-nonsense", "such as nebius/openai/gpt-oss-120b"),
        ("nebis/openai/gpt-oss-120b", "LiteLLM has no provider 'nebis'"),
        ("openai/", "the model's name is missing"),
    ],
)
def test_an_unknown_id_is_usage(
    real: Any, platform: Simulator, tmp_path: Path, model: str, words: str
) -> None:
    done = real("--evaluator", model)
    assert done.exit_code == 2
    assert words in done.stderr
    assert untouched(platform, tmp_path)


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        ("openai/gpt-4o", [], "for a server of your own set WORKER_BASE_URL"),
        ("gpt-4o", [], "OPENAI_API_KEY not set"),
        ("nebius/a-model-of-tomorrow", [], "NEBIUS_API_KEY not set"),
        ("anthropic/x", [], "ANTHROPIC_API_KEY not set"),
        ("reference", [], "OPENROUTER_API_KEY not set"),
        ("openai/x", ["--max-dollars", "1"], "the price of openai/x is unknown"),
    ],
)
def test_a_missing_key_or_price_is_named(
    real: Any, platform: Simulator, tmp_path: Path, model: str, more: list[str], words: str
) -> None:
    env = {"EVALUATOR_BASE_URL": NOWHERE}
    done = real("--evaluator", "openai/x", "--worker", model, *more, env=env)
    assert done.exit_code == 1
    assert words in done.stderr
    assert untouched(platform, tmp_path)


@pytest.mark.parametrize(
    ("fault", "words", "asked"),
    [
        ("401", "OPENAI_API_KEY is not accepted by the provider", 2),
        ("404", "check the model id and the base URL", 2),
        ("503", "status 503", 4),
        ("empty", "no usable decision: it was empty", 4),
    ],
)
def test_a_server_that_gives_no_usable_answer_is_told(
    real: Any, platform: Simulator, tmp_path: Path, serve: Serve, fault: str, words: str, asked: int
) -> None:
    server = serve(by_script, faults.always(fault))
    env = {"EVALUATOR_BASE_URL": server.base_url, "OPENAI_API_KEY": KEY}
    done = real("--evaluator", "openai/fake-large", env=env)
    assert done.exit_code == 1
    assert words in done.stderr
    assert len(server.seen) == asked
    assert untouched(platform, tmp_path)


def test_servers_that_hang_are_waited_for_together(
    real: Any, platform: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SECONDS", 1.0)
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        env = {
            name: f"http://127.0.0.1:{server.getsockname()[1]}/v1"
            for name, server in (("EVALUATOR_BASE_URL", one), ("WORKER_BASE_URL", two))
        }
        began = time.monotonic()
        done = real("--evaluator", "openai/x", "--worker", "openai/x", env=env)
    assert done.exit_code == 1
    assert "evaluator: openai/x" in done.stderr
    assert "worker: openai/x" in done.stderr
    assert "no answer within 1 s; try again when its server has loaded" in done.stderr
    assert untouched(platform, tmp_path)
    assert time.monotonic() - began < 60


def test_each_backend_is_asked_once_and_counted(
    real: Any, platform: Simulator, tmp_path: Path, serve: Serve
) -> None:
    server = serve(by_script)
    urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
    models = ("--evaluator", "openai/fake-large", "--worker", "openai/fake-large")
    done = real(*models, "--record", tmp_path / "tape", env=urls)
    assert done.exit_code == 0, done.stderr
    assert asked(server) == ["decision", "program"]
    assert [ask.body["max_tokens"] for ask in server.seen[:2]] == [checks.TOKENS] * 2
    (run,) = (tmp_path / "logs").iterdir()
    calls = json.loads((run / "run.json").read_text())["preflight"]
    totals = results_at(run)["totals"]["tokens"]
    for part in ("prompt", "completion"):
        own = [call["usage"][part] for call in calls]
        assert (len(own), min(own) > 0) == (2, True)
        assert totals[part] + sum(own) == getattr(server.billed, part)
    assert "preflight: decision of evaluator and worker: openai/fake-large" in done.stderr
    assert "pencil" not in (tmp_path / "tape").read_text()


@pytest.mark.parametrize("is_real", [True, False])
def test_without_preflight_and_on_the_embedded_platform_nobody_is_asked(
    real: Any, tmp_path: Path, serve: Serve, is_real: bool
) -> None:
    server = serve(by_script)
    urls = dict.fromkeys(("EVALUATOR_BASE_URL", "WORKER_BASE_URL"), server.base_url)
    words = ["--evaluator", "openai/fake-large"]
    if is_real:
        done = real(*words, "--no-preflight", env=urls)
    else:
        words += ["--task", "hostile_product_name", "--quiet"]
        done = CliRunner().invoke(app, words, env=CLEAN | urls)
    assert done.exit_code == 0
    assert (bool(server.seen), asked(server)) == (True, [])


def test_a_group_is_asked_until_one_answers(
    real: Any, platform: Simulator, tmp_path: Path, serve: Serve
) -> None:
    bad, good, spare = serve(by_script, faults.always("401")), serve(by_script), serve(by_script)
    file = tmp_path / "models.toml"
    file.write_text(
        "[models.group]\nbackends = [\n"
        f'{{ name = "none", model = "nebius/x" }},\n'
        f'{{ name = "bad", model = "openai/fake-large", base_url = "{bad.base_url}" }},\n'
        f'{{ name = "good", model = "openai/fake-large", base_url = "{good.base_url}" }},\n'
        f'{{ name = "spare", model = "openai/fake-large", base_url = "{spare.base_url}" }},\n'
        "]\n"
    )
    done = real("--evaluator", "group", "--models", file, "--task", "a")
    assert done.exit_code == 0, done.stderr
    assert "nebius/x, none: NEBIUS_API_KEY not set; another backend is used" in done.stderr
    assert "bad: OPENAI_API_KEY is not accepted by the provider; another backend" in done.stderr
    assert "fake-large, good: usable" in done.stderr
    assert [len(asked(server)) for server in (bad, good, spare)] == [2, 2, 0]


def test_next_step_asks_and_prices_the_evaluator_alone(
    real: Any, platform: Simulator, tmp_path: Path
) -> None:
    env = {"WORKER_MODEL": "nobody/knows", "WORKER_BASE_URL": NOWHERE}
    words = rehearsal(platform, tmp_path)[1:]
    done = real(*words, "--strategy", "next-step", "--max-dollars", "1", env=env)
    assert done.exit_code == 0, done.stderr


def test_without_a_key_of_the_platform_no_model_is_asked(
    real: Any, platform: Simulator, tmp_path: Path, serve: Serve
) -> None:
    server = serve(by_script)
    env = {"EVALUATOR_BASE_URL": server.base_url, "ERC3_API_KEY": ""}
    assert real("--evaluator", "openai/fake-large", env=env).exit_code == 1
    assert (server.seen, untouched(platform, tmp_path)) == ([], True)


def test_a_run_with_nothing_left_to_play_asks_nobody(
    real: Any, platform: Simulator, tmp_path: Path, serve: Serve
) -> None:
    """What is played can be handed in with a model that is gone and a key that is lost."""
    server = serve(by_script)
    models = tmp_path / "models.toml"
    line = 'model = "openai/fake-large", key_variable = "OPENAI_API_KEY"'
    models.write_text(f'[models.m]\nbackends = [{{ {line}, base_url = "{server.base_url}" }}]\n')
    words = ["--real", "--evaluator", "m", "--models", str(models)]
    where = {"ERC3_API_KEY": "key-mine", "ERC3_BASE_URL": platform.base_url}
    env = CLEAN | where
    done = CliRunner().invoke(app, words, env=env | {"OPENAI_API_KEY": KEY})
    assert "not submitted" in done.stderr
    requests = len(server.seen)
    (run,) = (tmp_path / "logs").iterdir()
    done = CliRunner().invoke(app, ["--resume", str(run), "--yes"], env=env)
    assert done.exit_code == 0, done.output
    assert len(server.seen) == requests
    (session,) = platform.platform.sessions.values()
    assert session.status == "evaluated"
