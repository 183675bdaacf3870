"""The doctor, against model servers and platforms on loopback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from cli import checks
from cli.cli import app
from cli.doctor import Diagnosis, Finding, address, doctor, dotenv, examine, sandbox, table
from cli.options import DoctorOptions
from tests.kit import fake_openai_faults as faults
from tests.kit.fake_openai import FakeOpenAI
from tests.kit.hostile_models import DRIBBLES, FLOODS, HostileModels, Send, answer
from worker.sandbox import isolation

KEY = "sk-live-4f9a1c77e2b0d358"
PLATFORM_KEY = "key-9d41c0ffee77aa1200"
DECISION = "THOUGHT: OK\nDECISION: PROCEED\nINSTRUCTION: Buy one pencil, SKU pencil-1."
PROGRAM = "Thought: a sum\n<code>\nfinal_answer({'sum': 17 + 25})\n</code>"
CLEAN = (
    "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT", "EVALUATOR_BASE_URL", "WORKER_BASE_URL",
    "WORKER_SANDBOX", "MODELS_FILE", "OPENAI_API_KEY", "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy",
    "no_proxy",
)  # fmt: skip
Look = Callable[..., Diagnosis]


@pytest.fixture(autouse=True)
def empty_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in CLEAN:
        monkeypatch.delenv(name, raising=False)


def able(_model: str, messages: list[Any]) -> str:
    """Answers what it is asked for."""
    return PROGRAM if "<code>" in messages[0]["content"] else DECISION


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """Examines with these models and variables."""

    def go(
        evaluator: str = "scripted/store",
        worker: str | None = None,
        *,
        calls: bool = True,
        models: Path | None = None,
        at: FakeOpenAI | None = None,
        **env: str,
    ) -> Diagnosis:
        if at:
            env |= {"EVALUATOR_BASE_URL": at.base_url, "WORKER_BASE_URL": at.base_url}
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        options = DoctorOptions(
            evaluator=evaluator, worker=worker or evaluator, models=models, no_calls=not calls
        )
        announced: list[str] = []
        diagnosed = examine(options, os.environ, announced.append)
        assert "".join(announced) in ("", diagnosed.announced)
        problems = [f for f in diagnosed.findings if f.state == "problem"]
        assert diagnosed.ok is not bool(problems)
        assert all(f.fix or "unset " in f.text for f in problems), "says what to type"
        assert KEY not in diagnosed.model_dump_json()
        return diagnosed

    return go


def one(diagnosed: Diagnosis, area: str, name: str, subject: str = "") -> Finding:
    (finding,) = [
        f for f in diagnosed.findings if (f.area, f.name) == (area, name) and subject in f.subject
    ]
    return finding


def table_of(tmp_path: Path, *servers: FakeOpenAI, more: str = "") -> Path:
    """A models file with one model ``pair`` at these servers."""
    path = tmp_path / "models.toml"
    backends = ", ".join(
        f'{{ name = "b{n}", model = "openai/fake-large", base_url = "{s.base_url}", '
        f'key_variable = "KEY_{n}" }}'
        for n, s in enumerate(servers)
    )
    path.write_text(f"[models.pair]\nbackends = [{backends}]\n{more}")
    return path


def test_without_any_key_all_is_fine(look: Look) -> None:
    diagnosed = look()
    assert diagnosed.ok
    assert diagnosed.announced == "no paid calls will be made"
    assert "NEBIUS_API_KEY" in one(diagnosed, "models", "LLM").fix
    assert one(diagnosed, "platform", "key").state == "info"
    assert {f.area for f in diagnosed.findings} == {"sandbox", "settings", "platform", "models"}


def test_a_model_is_asked_for_a_decision_and_a_program_and_told_of_before(
    look: Look, tmp_path: Path
) -> None:
    with FakeOpenAI(able, key=KEY) as server:
        diagnosed = look("openai/fake-large", EVALUATOR_BASE_URL=server.base_url,
                         OPENAI_API_KEY=KEY)  # fmt: skip
        asks = [(ask.messages[0]["content"], ask.body["max_tokens"]) for ask in server.seen]
    assert diagnosed.ok
    assert {"DECISION:" in text for text, _ in asks} == {True, False}
    assert {tokens for _, tokens in asks} == {checks.TOKENS}
    assert "2 short questions" in diagnosed.announced
    subject = "evaluator and worker: openai/fake-large"
    for name in ("decision", "program"):
        found = one(diagnosed, "models", name, subject)
        assert (found.state, "price unknown" in found.text) == ("ok", True)


def test_each_role_is_asked_its_own_question_at_its_server_for_a_price(
    look: Look, tmp_path: Path
) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[models."openai/*"]\nprices = { input = 1.0, output = 10.0, cached = 0.1 }\n')
    with FakeOpenAI(able) as eyes, FakeOpenAI(able) as hands:
        urls = {"EVALUATOR_BASE_URL": eyes.base_url, "WORKER_BASE_URL": hands.base_url}
        diagnosed = look("openai/fake-large", "openai/fake-small", models=path, **urls)
        assert (len(eyes.seen), len(hands.seen)) == (1, 1)
    assert "about $0.01" in diagnosed.announced
    decision = one(diagnosed, "models", "decision", "evaluator: openai/fake-large")
    assert one(diagnosed, "models", "program", "worker: openai/fake-small").state == "ok"
    bill = eyes.billed
    cost = (bill.prompt - bill.cached + 0.1 * bill.cached + 10 * bill.completion) / 1e6
    assert f"${cost:.6f} (configuration)" in decision.text


def test_nothing_is_sent_before_the_announcement_or_without_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_0", KEY)
    counts: list[int] = []
    with FakeOpenAI(able) as server:
        path = table_of(tmp_path, server, more="prices = { input = 1, output = 10 }")
        options = DoctorOptions(evaluator="pair", worker="pair", models=path)
        examine(options, {}, lambda text: counts.append(len(server.seen)))
        assert len(server.seen) == 2
        quiet = options.model_copy(update={"no_calls": True})
        diagnosed = examine(quiet, {"ERC3_API_KEY": PLATFORM_KEY}, lambda text: None)
        assert len(server.seen) == 2
    assert counts == [0]
    assert "not tried" in one(diagnosed, "platform", "key").text
    assert not [f for f in diagnosed.findings if f.name in ("decision", "program")]


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
def test_a_model_that_fails_is_a_problem_with_something_to_do(
    look: Look, fault: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "ATTEMPTS", 1)
    with FakeOpenAI(able, faults.always(fault)) as server:
        diagnosed = look("openai/fake-large", "openai/fake-large", at=server, OPENAI_API_KEY=KEY)
        assert len(server.seen) == 2
    for name in ("decision", "program"):
        found = one(diagnosed, "models", name)
        assert (found.state, words in found.text) == ("problem", True), found
        assert found.fix


@pytest.mark.parametrize(
    ("fault", "reply", "words", "fix"),
    [
        ("empty", DECISION, "it was empty", "another model"),
        ("stop-in-reasoning", DECISION, "only thoughts", "another model"),
        ("spent-on-thinking", DECISION, "went into thoughts", "max_tokens in the models file"),
        ("truncated", DECISION, "cut off", "max_tokens in the models file"),
        (None, "lorem ipsum", 'it said: "lorem ipsum"', "another model"),
        (None, "OK", "no DECISION", "another model"),
    ],
)
def test_a_reply_that_a_run_could_not_use_is_called_what_it_is(
    look: Look, fault: str | None, reply: str, words: str, fix: str
) -> None:
    plan = faults.always(fault) if fault else None
    with FakeOpenAI(lambda *_: reply, plan) as server:
        diagnosed = look("openai/fake-large", at=server)
    for name in ("decision", "program"):
        found = one(diagnosed, "models", name)
        assert (found.state, fix in found.fix) == ("problem", True), found
    assert words in one(diagnosed, "models", "decision").text
    assert "briefly" not in diagnosed.model_dump_json(), "that is for the model"


def test_a_reply_that_can_be_used_after_a_second_prompt_is_usable(look: Look) -> None:
    def learns(_model: str, messages: list[Any]) -> str:
        is_again = "could not be used" in messages[0]["content"]
        return able(_model, messages) if is_again else "Certainly!"

    with FakeOpenAI(learns) as server:
        diagnosed = look("openai/fake-large", at=server)
    assert diagnosed.ok
    assert "after 2 calls" in one(diagnosed, "models", "decision").text


def test_a_reply_that_only_this_question_cut_off_is_a_warning(look: Look, tmp_path: Path) -> None:
    long = f"<code>\n{' '.join(map(str, range(4000)))}\n</code>"
    with FakeOpenAI(lambda *_: long, faults.always("truncated")) as server:
        diagnosed = look("pair", models=table_of(tmp_path, server), KEY_0=KEY)
    found = one(diagnosed, "models", "decision")
    assert (found.state, diagnosed.ok) == ("warning", True)
    assert f"{checks.TOKENS} tokens" in found.text


def test_a_refused_key_is_named_by_its_variable(look: Look) -> None:
    with FakeOpenAI(able, key="another-key-of-theirs") as server:
        diagnosed = look("openai/fake-large", at=server, OPENAI_API_KEY=KEY)
    assert "OPENAI_API_KEY is not accepted" in one(diagnosed, "models", "key").text
    assert "OPENAI_API_KEY" in one(diagnosed, "models", "decision").fix


@pytest.mark.parametrize("proxy", ["socks4://127.0.0.1:9", "nonsense://x", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_told_by_its_variable(look: Look, proxy: str) -> None:
    diagnosed = look("openai/gpt-x", OPENAI_API_KEY=KEY, ALL_PROXY=proxy)
    found = one(diagnosed, "models", "proxy")
    assert (found.state, "unset ALL_PROXY" in found.text) == ("problem", True)
    assert one(diagnosed, "platform", "address").state == "warning"
    assert "decision" not in {f.name for f in diagnosed.findings}


def test_a_server_on_this_machine_is_asked_whatever_the_proxy(look: Look) -> None:
    proxies = {"HTTP_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "socks5://127.0.0.1:9"}
    with FakeOpenAI(able, faults.always("no-usage")) as server:
        diagnosed = look("openai/fake-large", at=server, **proxies, NO_PROXY="[::1],fd00::/8")
    found = one(diagnosed, "models", "decision")
    assert (diagnosed.ok, found.state, "tokens unknown" in found.text) == (True, "warning", True)


def test_what_cannot_be_asked_is_named_and_nothing_is_sent(look: Look) -> None:
    nowhere = "http://127.0.0.1:9/v1"
    found = one(look("openai/x", EVALUATOR_BASE_URL=nowhere), "models", "decision")
    assert f"{nowhere} cannot be reached" in found.text
    assert "start the server" in found.fix
    diagnosed = look("nebius/openai/gpt-oss-120b", "scripted/store", EVALUATOR_BASE_URL="")
    key = one(diagnosed, "models", "key", "nebius")
    assert (key.state, key.text) == ("problem", "NEBIUS_API_KEY not set")
    assert diagnosed.announced == "no paid calls will be made"


@pytest.mark.parametrize(
    ("model", "state", "words"),
    [
        ("openrouter/x-ai/grok-4.1-fast", "info", "OpenRouter states the cost of each call"),
        ("nebius/openai/gpt-oss-120b", "ok", "per million tokens"),
        ("nebius/a-model-of-tomorrow", "warning", "unknown"),
    ],
)
def test_a_price_is_told_with_its_source(look: Look, model: str, state: str, words: str) -> None:
    keys = dict.fromkeys(("NEBIUS_API_KEY", "OPENROUTER_API_KEY"), KEY)
    price = one(look(model, calls=False, **keys), "models", "price")
    assert (price.state, words in price.text) == (state, True), price


def test_an_ill_backend_is_a_warning_while_another_one_serves(look: Look, tmp_path: Path) -> None:
    with FakeOpenAI(able, faults.always("404")) as ill, FakeOpenAI(able) as well:
        diagnosed = look("pair", models=table_of(tmp_path, ill, well), KEY_0=KEY, KEY_1=KEY)
    assert diagnosed.ok
    first = one(diagnosed, "models", "decision", "b0")
    assert (first.state, "another backend is used" in first.text) == ("warning", True)
    assert one(diagnosed, "models", "decision", "b1").state == "ok"


def test_all_backends_ill_is_a_problem(look: Look, tmp_path: Path) -> None:
    with FakeOpenAI(able, faults.always("404")) as ill, FakeOpenAI(key="x") as locked:
        diagnosed = look("pair", models=table_of(tmp_path, ill, locked), KEY_0=KEY)
    assert not diagnosed.ok
    assert one(diagnosed, "models", "key", "b1").text == "KEY_1 not set"


def test_the_model_of_each_stage_is_listed_with_what_it_falls_back_on(
    look: Look, tmp_path: Path
) -> None:
    with FakeOpenAI(able) as server:
        path = table_of(tmp_path, server, more='[stages]\npolicy = "pair"\n')
        diagnosed = look(models=path, KEY_0=KEY)
        assert len(server.seen) == 1
    text = one(diagnosed, "models", "stages").text
    assert text.startswith("policy: pair; ")
    assert "entities" in text
    assert text.endswith("the evaluator's (scripted/store)")
    assert one(diagnosed, "models", "decision", "policy: openai/fake-large").state == "ok"
    path.write_text('[stages]\npolcy = "pair"\n')
    assert "policy" in one(look(models=path), "models", "stages").text


@pytest.mark.parametrize("text", ["[models.x]\ntemprature = 1\n", "no toml", None])
def test_a_models_file_that_cannot_be_used(look: Look, tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "m.toml"
    if text is not None:
        path.write_text(text)
    found = one(look(models=path), "models", "settings")
    assert (found.state, str(path) in found.text) == ("problem", True)


@pytest.mark.parametrize(
    ("key", "state", "words"),
    [
        (PLATFORM_KEY, "ok", "0 sessions"),
        ("sk-not-one-of-theirs", "warning", "does not begin with key-"),
        ("", "info", "is not set"),
    ],
)
def test_the_key_of_the_platform(
    look: Look, platform_of: Any, key: str, state: str, words: str
) -> None:
    simulator = platform_of()
    diagnosed = look(ERC3_API_KEY=key, ERC3_BASE_URL=simulator.base_url)
    found = one(diagnosed, "platform", "key")
    assert (found.state, words in found.text, diagnosed.ok) == (state, True, True)
    assert one(diagnosed, "platform", "address").text == simulator.base_url


def test_a_platform_out_of_reach_or_of_another_kind(look: Look) -> None:
    diagnosed = look(ERC3_API_KEY=PLATFORM_KEY, ERC3_BASE_URL="http://127.0.0.1:9")
    assert "cannot be reached" in one(diagnosed, "platform", "key").text
    with FakeOpenAI() as server:
        diagnosed = look(ERC3_BASE_URL=server.base_url)
    assert "does not answer like the platform" in one(diagnosed, "platform", "key").text


@pytest.mark.parametrize(
    ("choice", "state", "words"),
    [
        ("compat", "ok", "own client plays: ERC3_CLIENT=compat"),
        ("auto", "info", "own client plays: the official SDK (erc3) is not installed"),
        ("sdk", "problem", "erc3 is not installed"),
        ("other", "problem", "'other' is invalid"),
    ],
)
def test_which_client_plays_and_why(look: Look, choice: str, state: str, words: str) -> None:
    found = one(look(ERC3_CLIENT=choice), "platform", "client")
    assert (found.state, words in found.text) == (state, True), found
    assert "--extra-index-url" not in found.fix
    assert (state == "ok") or found.fix


@pytest.mark.promise("no secret in an output")
def test_no_key_is_ever_shown(
    look: Look, platform_of: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys in every place, one of them quoted back by a server."""
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\nOTHER=1\n")
    env = {"ERC3_API_KEY": PLATFORM_KEY, "ERC3_BASE_URL": platform_of().base_url}
    with FakeOpenAI(able, faults.always("400-quoting")) as server:
        diagnosed = look("openai/fake-large", at=server, OPENAI_API_KEY=KEY, **env)
        assert "Authorization" in one(diagnosed, "models", "decision").text
        for as_json in (False, True):
            options = DoctorOptions(
                evaluator="openai/fake-large", worker="openai/fake-large", as_json=as_json
            )
            assert doctor(options) == 1
            output = capsys.readouterr()
            for secret in (KEY, PLATFORM_KEY, KEY[3:], PLATFORM_KEY[4:]):
                assert secret not in output.out + output.err
            assert "OPENAI_API_KEY" in output.out


def test_the_command_reads_dotenv_takes_its_options_and_ends_with_its_verdict(
    tmp_path: Path,
) -> None:
    (tmp_path / ".env").write_text("EVALUATOR_MODEL=nebius/x/from-dotenv\n")
    env = {"EVALUATOR_MODEL": None, "WORKER_MODEL": None}
    done = CliRunner().invoke(app, ["doctor", "--no-calls"], env=env)
    assert done.exit_code == 1
    assert "nebius/x/from-dotenv" in done.stdout
    assert "-> set NEBIUS_API_KEY, or put it in .env" in done.stdout
    words = ["doctor", "--json", "--evaluator", "scripted/store", "--worker", "scripted/store"]
    done = CliRunner().invoke(app, words, env=env)
    document = json.loads(done.stdout)
    assert (done.exit_code, document["format"], document["ok"]) == (0, "doctor/1", True)
    assert done.stderr.strip() == document["announced"]


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("flood", [FLOODS["endless"], DRIBBLES["head"], answer(b"[" * 200_000)])
def test_a_hostile_answer_ends(look: Look, flood: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SECONDS", 0.3)
    with HostileModels(flood) as server:
        urls = {"EVALUATOR_BASE_URL": server.base_url, "WORKER_BASE_URL": server.base_url}
        diagnosed = look("openai/fake-large", **urls, OPENAI_API_KEY=KEY)
    assert one(diagnosed, "models", "decision").state == "problem"


# -- the machine


@pytest.mark.parametrize(
    ("missing", "chosen", "state", "words"),
    [
        ("", "auto", "ok", "Landlock"),
        ("", "landlock", "ok", "Landlock"),
        ("", "monty", "warning", "WORKER_SANDBOX=monty"),
        ("no such call", "auto", "warning", "no such call"),
        ("no such call", "monty", "warning", "without isolation"),
        ("no such call", "landlock", "problem", "no such call"),
        ("", "docker", "problem", "'docker'"),
    ],
)
def test_which_isolation_plays_and_why_not_the_stronger_one(
    monkeypatch: pytest.MonkeyPatch, missing: str, chosen: str, state: str, words: str
) -> None:
    monkeypatch.setenv("WORKER_SANDBOX", chosen)
    monkeypatch.setattr(isolation, "probe_landlock", lambda: missing)
    found = sandbox()
    assert (found.state, words in found.text) == (state, True), found
    assert found.fix or state == "ok"


@pytest.mark.promise("no secret in an output")
def test_an_env_file_is_told_by_its_names(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    assert dotenv(path, {}).state == "info"
    path.write_text("A_KEY=secret-value-1\nB=\nC=3\n")
    assert dotenv(path, {"A_KEY": "secret-value-1"}).state == "ok"
    other = dotenv(path, {"A_KEY": "secret-value-2", "C": "3"})
    assert (other.state, other.fix.split(",")[0]) == ("warning", "unset A_KEY")
    assert "secret" not in other.model_dump_json()
    for broken in (b"B=1\n\n\nA_KEY secret-value-1\nC\nD=2\n", b"A=\xff\n"):
        path.write_bytes(broken)
        found = dotenv(path, {})
        assert (found.state, "secret" in found.model_dump_json()) == ("problem", False)


@pytest.mark.promise("no secret in an output")
@pytest.mark.parametrize(
    ("url", "state"),
    [
        ("", "ok"),
        ("https://me:secret@example.org/x", "ok"),
        ("http://127.0.0.1:8300", "ok"),
        ("http://example.org", "warning"),
        ("example.org", "problem"),
    ],
)
def test_addresses_are_checked_and_shown_without_a_password(url: str, state: str) -> None:
    found = address({"ERC3_BASE_URL": url})
    assert (found.state, "secret" in found.model_dump_json()) == (state, False)


def test_texts_are_data_on_the_screen() -> None:
    hostile = "[bold]x[/bold] [link=http://a]y"
    found = Finding(
        area="models", subject="s", name="n", state="warning", text=hostile, fix="[red]"
    )
    console = Console(width=40, no_color=True, force_terminal=False)
    with console.capture() as screen:
        console.print(table(Diagnosis(ok=True, announced="", findings=(found,))))
    joined = "".join(screen.get().split())
    assert ("[bold]x[/bold]" in joined, "[red]" in joined) == (True, True)
