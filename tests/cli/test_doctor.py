"""The doctor, against model servers and platforms on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli import doctor_models
from cli.cli import app
from cli.doctor import Diagnosis, Finding, doctor, examine
from cli.options import DoctorOptions
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.hostile_models import DRIBBLES, FLOODS, HostileModels, Send, answer

KEY = "sk-live-4f9a1c77e2b0d358"
PLATFORM_KEY = "key-9d41c0ffee77aa1200"
GOOD = (
    "THOUGHT: OK\nDECISION: PROCEED\nINSTRUCTION: run this\n"
    "<code>\nfinal_answer({'ready': True})\n</code>"
)
CLEAN = (
    "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT", "EVALUATOR_BASE_URL", "WORKER_BASE_URL",
    "WORKER_SANDBOX", "MODELS_FILE", "OPENAI_API_KEY", "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy",
    "no_proxy",
)  # fmt: skip


@pytest.fixture(autouse=True)
def empty_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in CLEAN:
        monkeypatch.delenv(name, raising=False)


Look = Callable[..., tuple[Diagnosis, list[str]]]


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Examines with these models and variables; what was announced is in the list."""

    def go(
        evaluator: str = "scripted/store",
        worker: str | None = None,
        *,
        calls: bool = True,
        models: Path | None = None,
        **env: str,
    ) -> tuple[Diagnosis, list[str]]:
        import os

        for name, value in env.items():
            monkeypatch.setenv(name, value)
        announced: list[str] = []
        options = DoctorOptions(
            evaluator=evaluator, worker=worker or evaluator, models=models, no_calls=not calls
        )
        return examine(options, os.environ, announced.append), announced

    return go


def one(diagnosed: Diagnosis, area: str, name: str, subject: str = "") -> Finding:
    (finding,) = [
        f for f in diagnosed.findings if (f.area, f.name) == (area, name) and subject in f.subject
    ]
    return finding


def table_of(tmp_path: Path, *servers: FakeOpenAI, **more: str) -> Path:
    """A models file with one model ``pair`` at these servers."""
    path = tmp_path / "models.toml"
    backends = ", ".join(
        f'{{ name = "b{n}", model = "openai/fake-large", base_url = "{s.base_url}", '
        f'key_variable = "KEY_{n}" }}'
        for n, s in enumerate(servers)
    )
    lines = [f"{name} = {value}" for name, value in more.items()]
    path.write_text("\n".join(["[models.pair]", f"backends = [{backends}]", *lines]))
    return path


def test_without_any_key_all_is_fine(look: Look) -> None:
    diagnosed, announced = look()
    assert diagnosed.ok
    assert announced == [diagnosed.announced] == ["no paid calls will be made"]
    assert one(diagnosed, "models", "LLM").state == "info"
    assert "NEBIUS_API_KEY" in one(diagnosed, "models", "LLM").fix
    assert one(diagnosed, "platform", "key").state == "info"
    assert {f.area for f in diagnosed.findings} == {
        "sandbox", "settings", "platform", "models",
    }  # fmt: skip


def test_a_worker_of_the_same_model_is_asked_at_the_evaluators_address(look: Look) -> None:
    with FakeOpenAI(lambda *_: GOOD, key=KEY) as server:
        url = {"EVALUATOR_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **url, OPENAI_API_KEY=KEY)
        assert len(server.seen) == 1
    subjects = {f.subject for f in diagnosed.findings if f.area == "models"}
    assert (diagnosed.ok, subjects) == (True, {"evaluator and worker: openai/fake-large"})


def test_a_served_model_is_asked_once_and_told_of_before(look: Look) -> None:
    seen_before: list[int] = []
    with FakeOpenAI(lambda *_: GOOD, key=KEY) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, announced = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
        seen_before.append(len(server.seen))
    assert diagnosed.ok
    assert seen_before == [1]
    assert announced == [
        "at most 1 short call to a model will be made now, price unknown (none with --no-calls)"
    ]
    (ask,) = server.seen
    assert ask.body["max_tokens"] <= 600
    assert ask.key == KEY
    answer = one(diagnosed, "models", "answer")
    assert answer.text.startswith("fake-large answers in ")
    assert f"{server.billed.prompt} + {server.billed.completion} tokens" in answer.text
    assert "tokens/s, price unknown" in answer.text
    assert one(diagnosed, "models", "price").state == "warning"
    assert {f.subject for f in diagnosed.findings if f.area == "models"} == {
        "evaluator and worker: openai/fake-large"
    }


def test_nothing_is_sent_before_the_announcement_or_without_calls(tmp_path: Path) -> None:
    counts: list[int] = []
    with FakeOpenAI(lambda *_: GOOD) as server:
        table = table_of(tmp_path, server, prices="{ input = 1, output = 10 }")
        options = DoctorOptions(evaluator="pair", worker="pair", models=table)
        examine(options, {}, lambda text: counts.append(len(server.seen)))
        quiet = options.model_copy(update={"no_calls": True})
        requests = len(server.seen)
        diagnosed = examine(quiet, {"ERC3_API_KEY": PLATFORM_KEY}, lambda text: None)
        assert len(server.seen) == requests
    assert counts == [0]
    assert one(diagnosed, "platform", "key").text == "ERC3_API_KEY is set; not tried"
    assert not [f for f in diagnosed.findings if f.name == "answer"]


def test_an_unknown_price_of_an_openrouter_id_is_no_warning(look: Look) -> None:
    diagnosed, _ = look("openrouter/x-ai/grok-4.1-fast", calls=False)
    price = one(diagnosed, "models", "price")
    assert price.state == "info"
    assert "OpenRouter states the cost of each call" in price.text


def test_two_roles_at_two_servers_are_two_calls_with_a_price(look: Look, tmp_path: Path) -> None:
    with FakeOpenAI(lambda *_: GOOD) as eyes, FakeOpenAI(lambda *_: GOOD) as hands:
        path = tmp_path / "m.toml"
        path.write_text(
            '[models."openai/*"]\nprices = { input = 1.0, output = 10.0, cached = 0.1 }\n'
        )
        diagnosed, announced = look(
            "openai/fake-large",
            "openai/fake-small",
            models=path,
            EVALUATOR_BASE_URL=eyes.base_url,
            WORKER_BASE_URL=hands.base_url,
        )
        assert (len(eyes.seen), len(hands.seen)) == (1, 1)
    assert diagnosed.ok
    assert "at most 2 short calls to a model will be made now, about $0.01" in announced[0]
    answer = one(diagnosed, "models", "answer", "evaluator: openai/fake-large")
    bill = eyes.billed
    fresh = bill.prompt - bill.cached
    dollars = (fresh + 0.1 * bill.cached + 10 * bill.completion) / 1e6
    assert f"${dollars:.6f} (configuration)" in answer.text


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("401", "status 401"),
        ("404", "status 404"),
        ("429-quota", "status 429"),
        ("429", "Rate limit"),
        ("500", "status 500"),
        ("html", "an HTML page"),
        ("no-choices", "without choices"),
        ("drop", "Connection"),
    ],
)
def test_a_model_that_fails_is_a_problem_with_one_call(look: Look, fault: str, words: str) -> None:
    with FakeOpenAI(lambda *_: GOOD, faults.always(fault)) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
        assert len(server.seen) == 1
    assert not diagnosed.ok
    answer = one(diagnosed, "models", "answer")
    assert answer.state == "problem"
    assert words in answer.text
    assert answer.fix
    assert KEY not in diagnosed.model_dump_json()


@pytest.mark.parametrize(
    ("fault", "reply", "state", "words"),
    [
        ("empty", GOOD, "problem", "empty text"),
        ("stop-in-reasoning", GOOD, "problem", "answers nothing"),
        ("spent-on-thinking", GOOD, "problem", "before its first word"),
        ("truncated", GOOD, "problem", "cut off"),
        (None, "lorem ipsum", "warning", "lorem ipsum"),
        (None, "Okay.", "ok", "answers in"),
    ],
)
def test_a_reply_that_is_no_answer_is_called_what_it_is(
    look: Look, fault: str | None, reply: str, state: str, words: str
) -> None:
    with FakeOpenAI(lambda *_: reply, faults.always(fault) if fault else None) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
    answer = one(diagnosed, "models", "answer")
    assert (answer.state, diagnosed.ok) == (state, state != "problem")
    assert words in answer.text
    assert "briefly" not in diagnosed.model_dump_json(), "that is for the model"
    if fault in ("spent-on-thinking", "truncated"):
        assert "max_tokens in the models file" in answer.fix


def test_what_used_up_the_short_call_alone_is_a_warning(look: Look, tmp_path: Path) -> None:
    long = f"<code>\n{'O' * 8000}\n</code>"
    server = FakeOpenAI(lambda *_: long, faults.always("truncated"))
    path = table_of(tmp_path, server)
    with server:
        diagnosed, _ = look("pair", models=path, KEY_0=KEY)
    answer = one(diagnosed, "models", "answer")
    assert (answer.state, diagnosed.ok) == ("warning", True)
    assert "600 tokens of this short call" in answer.text


def test_a_refused_key_is_not_in_order(look: Look) -> None:
    with FakeOpenAI(lambda *_: GOOD, key="another-key-of-theirs") as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
    key = one(diagnosed, "models", "key")
    assert (key.state, key.text) == ("problem", "OPENAI_API_KEY is not accepted by the provider")
    assert "OPENAI_API_KEY" in one(diagnosed, "models", "answer").fix


@pytest.mark.parametrize("proxy", ["socks4://127.0.0.1:9", "nonsense://x", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_told_by_its_variable(look: Look, proxy: str) -> None:
    diagnosed, _ = look("openai/gpt-x", OPENAI_API_KEY=KEY, ALL_PROXY=proxy)
    finding = one(diagnosed, "models", "proxy")
    assert finding.state == "problem"
    assert "unset ALL_PROXY" in finding.text
    assert one(diagnosed, "platform", "address").state == "warning"
    assert [f.name for f in diagnosed.findings if f.area == "models"].count("answer") == 0


def test_a_server_on_this_machine_is_asked_whatever_the_proxy(look: Look) -> None:
    with FakeOpenAI(lambda *_: GOOD) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        proxies = {"HTTP_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "socks5://127.0.0.1:9"}
        diagnosed, _ = look("openai/fake-large", **urls, **proxies, NO_PROXY="[::1],fd00::/8")
    assert one(diagnosed, "models", "answer").state == "ok"


def test_unknown_usage_is_said(look: Look) -> None:
    with FakeOpenAI(lambda *_: GOOD, faults.always("no-usage")) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **urls)
    answer = one(diagnosed, "models", "answer")
    assert answer.state == "warning"
    assert "tokens unknown" in answer.text


def test_a_server_that_is_not_there_is_named(look: Look) -> None:
    diagnosed, _ = look(
        "openai/x", EVALUATOR_BASE_URL="http://127.0.0.1:9/v1", worker="scripted/store"
    )
    assert not diagnosed.ok
    answer = one(diagnosed, "models", "answer", "openai/x")
    assert "http://127.0.0.1:9/v1 cannot be reached" in answer.text
    assert "start the server" in answer.fix


def test_a_key_that_is_missing_is_a_problem_and_nothing_is_sent(look: Look) -> None:
    diagnosed, announced = look("nebius/openai/gpt-oss-120b", "scripted/store")
    assert not diagnosed.ok
    key = one(diagnosed, "models", "key", "nebius")
    assert (key.state, key.text) == ("problem", "NEBIUS_API_KEY not set")
    assert "NEBIUS_API_KEY" in key.fix
    assert "(litellm)" in one(diagnosed, "models", "price", "nebius").text
    assert announced == ["no paid calls will be made"]


def test_an_ill_backend_is_a_warning_while_another_one_serves(look: Look, tmp_path: Path) -> None:
    with (
        FakeOpenAI(lambda *_: GOOD, faults.always("503")) as ill,
        FakeOpenAI(lambda *_: GOOD) as well,
    ):
        diagnosed, _ = look("pair", models=table_of(tmp_path, ill, well), KEY_0=KEY, KEY_1=KEY)
    assert diagnosed.ok
    first = one(diagnosed, "models", "answer", "b0")
    assert first.state == "warning"
    assert first.text.endswith("another backend is used instead")
    assert one(diagnosed, "models", "answer", "b1").state == "ok"


def test_all_backends_ill_is_a_problem(look: Look, tmp_path: Path) -> None:
    with FakeOpenAI(lambda *_: GOOD, faults.always("503")) as ill, FakeOpenAI(key="x") as locked:
        diagnosed, _ = look("pair", models=table_of(tmp_path, ill, locked), KEY_0=KEY)
    assert not diagnosed.ok
    assert one(diagnosed, "models", "key", "b1").text == "KEY_1 not set"


@pytest.mark.parametrize("text", ["[models.x]\ntemprature = 1\n", "no toml", None])
def test_a_models_file_that_cannot_be_used(look: Look, tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "m.toml"
    if text is not None:
        path.write_text(text)
    diagnosed, announced = look(models=path)
    assert not diagnosed.ok
    assert str(path) in one(diagnosed, "models", "settings").text
    assert announced == []


def test_canned_replies_are_not_used_up(look: Look) -> None:
    from tests.kit.canned import left, play

    model = play("doctor", [GOOD])
    diagnosed, announced = look(model)
    assert diagnosed.ok
    assert left("doctor") == 1
    assert "not called" in one(diagnosed, "models", "answer").text
    assert announced == ["no paid calls will be made"]


def test_the_platform_takes_the_key(look: Look, platform_of: Any) -> None:
    simulator = platform_of()
    diagnosed, _ = look(ERC3_API_KEY=PLATFORM_KEY, ERC3_BASE_URL=simulator.base_url)
    assert diagnosed.ok
    key = one(diagnosed, "platform", "key")
    assert (key.state, "0 sessions" in key.text) == ("ok", True)
    assert one(diagnosed, "platform", "address").text == simulator.base_url


@pytest.mark.parametrize(
    ("key", "state", "words"),
    [("sk-not-one-of-theirs", "warning", "does not begin with key-"), ("", "info", "is not set")],
)
def test_a_platform_key_that_cannot_be_one(
    look: Look, platform_of: Any, key: str, state: str, words: str
) -> None:
    diagnosed, _ = look(ERC3_API_KEY=key, ERC3_BASE_URL=platform_of().base_url)
    finding = one(diagnosed, "platform", "key")
    assert (finding.state, diagnosed.ok) == (state, True)
    assert words in finding.text
    assert "not-one-of-theirs" not in diagnosed.model_dump_json()


def test_a_platform_out_of_reach_or_of_another_kind(look: Look) -> None:
    diagnosed, _ = look(ERC3_API_KEY=PLATFORM_KEY, ERC3_BASE_URL="http://127.0.0.1:9")
    assert not diagnosed.ok
    assert "cannot be reached" in one(diagnosed, "platform", "key").text
    with FakeOpenAI() as server:
        diagnosed, _ = look(ERC3_BASE_URL=server.base_url)
    assert "does not answer like the platform" in one(diagnosed, "platform", "key").text
    assert PLATFORM_KEY not in diagnosed.model_dump_json()


@pytest.mark.promise("no secret in an output")
def test_no_key_is_ever_shown(
    look: Look, platform_of: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys in every place, one of them quoted back by a server."""
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\nOTHER=1\n")
    with FakeOpenAI(lambda *_: GOOD, faults.always("400-quoting")) as server:
        diagnosed, _ = look(
            "openai/fake-large",
            OPENAI_API_KEY=KEY,
            ERC3_API_KEY=PLATFORM_KEY,
            ERC3_BASE_URL=platform_of().base_url,
            EVALUATOR_BASE_URL=server.base_url,
            WORKER_BASE_URL=server.base_url,
        )
        assert "Authorization" in one(diagnosed, "models", "answer").text
        for as_json in (False, True):
            options = DoctorOptions(
                evaluator="openai/fake-large", worker="openai/fake-large", as_json=as_json
            )
            assert doctor(options) == 1
            output = capsys.readouterr()
            for secret in (KEY, PLATFORM_KEY, KEY[3:], PLATFORM_KEY[4:]):
                assert secret not in output.out + output.err
            assert "OPENAI_API_KEY" in output.out


def test_json_is_the_only_thing_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        doctor(DoctorOptions(evaluator="scripted/store", worker="scripted/store", as_json=True))
        == 0
    )
    output = capsys.readouterr()
    document = json.loads(output.out)
    assert (document["format"], document["ok"]) == ("doctor/1", True)
    assert output.err.strip() == document["announced"]


def test_the_command_reads_dotenv_and_takes_its_options(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("EVALUATOR_MODEL=nebius/x/from-dotenv\n")
    env = {"EVALUATOR_MODEL": None, "WORKER_MODEL": None}
    done = CliRunner().invoke(app, ["doctor", "--json", "--no-calls"], env=env)
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    subjects = {f["subject"] for f in document["findings"] if f["area"] == "models"}
    assert subjects == {"evaluator and worker: nebius/x/from-dotenv"}
    words = ["doctor", "--no-calls", "--evaluator", "scripted/store"]
    done = CliRunner().invoke(app, words, env=env)
    assert done.exit_code == 0
    assert "a run can begin" in done.stdout


def test_the_table_says_whether_a_run_can_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        doctor(DoctorOptions(evaluator="scripted/store", worker="nebius/x/y", no_calls=True)) == 1
    )
    output = capsys.readouterr().out
    assert "1 problem: a run would fail" in output
    assert "-> set NEBIUS_API_KEY, or put it in .env" in output


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("flood", [FLOODS["endless"], DRIBBLES["head"], answer(b"[" * 200_000)])
def test_a_hostile_answer_ends(look: Look, flood: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_models, "CALL_SECONDS", 0.3)
    with HostileModels(flood) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed, _ = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
    assert one(diagnosed, "models", "answer").state == "problem"
