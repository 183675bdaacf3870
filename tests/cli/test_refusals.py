"""What cannot be played is refused in one message before anything begins, and leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from tests.kit.commands import CLEAN
from workshop.simulator.store.pack import BUNDLED_PACK as STORE_PACK

NOWHERE = dict.fromkeys(("EVALUATOR_BASE_URL", "WORKER_BASE_URL"), "http://127.0.0.1:9/v1")
NAMED = "--evaluator openai/x --no-preflight"
"""Of a model that is never asked."""
KEY = {"ERC3_API_KEY": "key-secret-of-mine"}
FILES = {
    "stages.toml": '[stages]\npolcy = "scripted/company"\n',
    "comany.toml": '[stages]\nentities = "scripted/comany"\n',
    "text.json": "no json",
    "none.json": "{}",
    "empty.json": '{"format": "store-pack/1", "name": "x", "scenarios": []}',
    "file": "in the way",
    "prompts/store/rulles.md": "x",
}
USAGE: list[tuple[str, str]] = [
    ("regres", "No such command 'regres'. Did you mean 'regress'?"),
    ("--jobs 2 doctor", "unexpected extra argument"),
    ("run --jobs 0", "Invalid value for '--jobs': "),
    ("--max-turns many", "--max-turns"),
    ("--max-turns 0", "--max-turns"),
    ("--max-seconds nan", "--max-seconds"),
    ("--max-dollars inf", "--max-dollars"),
    ("--no-such-option", "no-such-option"),
    ("--trace jaeger", "'jaeger' is not one of"),
    ("--verbose --quiet", "--verbose and --quiet"),
    ("--benchmark zoo", "not supported; there are tools for: store"),
    ("--task hostile-product_name", "has no such task; did you mean hostile_product_name"),
    ("show no-such-run", "error: there is no run 'no-such-run'"),
    ("serve --pack no-such.json", "no-such.json"),
    # files
    ("--models no-such.toml", "no-such.toml: cannot be read"),
    ("--playback no-such.tape", "no-such.tape: cannot be read"),
    ("--pack no-such.json", "the pack cannot be used"),
    ("--pack text.json", "the pack cannot be used"),
    ("--pack none.json", "the pack cannot be used"),
    ("--pack empty.json", "the pack cannot be used"),
    ("--prompts prompts", "there is no section 'store/rulles'; did you mean store/rules"),
    ("regress --pack bundled --prompts prompts", "there is no section 'store/rulles'"),
    # what does not go together
    ("--real --pack x.json", "--pack is for the simulator"),
    ("--strategy next-step --worker x", "asks one model"),
    ("--prompt-tokens 5000", "needs --strategy next-step"),
    ("--strategy next-step --debug", "--debug steps through code"),
    ("--strategy guess", "evaluator-worker"),
    ("--resume x --strategy next-step", "leave out --out, --strategy"),
    ("--guards none", "no guards to switch"),
    ("--rulebook rules.md", "--rulebook and --embedding are for the company"),
    ("--stages policy", "no stage 'policy'; there are: default, all, none, verify"),
    ("--stages=-wording", "no stage 'wording'"),
    # the company
    (
        "--benchmark company --guards gest",
        "there is no guard 'gest'; there are: default, all, none, ",
    ),
    (f"--benchmark company --pack {STORE_PACK}", "give --benchmark store"),
    ("--benchmark company --task nothing", "has no such task"),
    ("--benchmark company --real", "with --real use one of: erc3-dev, erc3-test, erc3-prod"),
    ("--benchmark company --stages polcy", "there is no stage 'polcy'; there are: "),
    ("--benchmark company --models stages.toml", "stages.polcy: there is no such stage"),
    ("--benchmark company --models comany.toml", "there is no scripted/comany"),
    ("--benchmark company --embedding local/not-there", "--embedding: "),
    ("--benchmark company --embedding local/x --record t", "a recorded file has no vectors"),
]
OUTSIDE: list[tuple[str, dict[str, str], str]] = [
    (f"--real {NAMED}", {}, "ERC3_API_KEY"),
    *(
        (
            f"--real {NAMED}",
            KEY | {"ERC3_BASE_URL": url},
            f"ERC3_BASE_URL is not a valid address: {url}",
        )
        for url in ("http://127.0.0.1:port", "platform", "ftp://x", "http://[::1")
    ),
    ("--out file", {}, "cannot be created"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def refused(folder: Path, words: str, env: dict[str, str]) -> tuple[int, str]:
    split = words.split()
    if not {"--out", "regres", "show", "serve"} & set(split) and "no-such-option" not in words:
        split += ["--out", str(folder / "logs")]
    done = CliRunner().invoke(app, split, env=CLEAN | env)
    assert isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    assert done.stdout == ""
    assert "secret-of-mine" not in done.output
    assert not (folder / "logs").exists()
    return done.exit_code, " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(("words", "why"), USAGE, ids=[words[-60:] for words, _ in USAGE])
def test_a_wrong_request_is_2_and_says_what_is_right(folder: Path, words: str, why: str) -> None:
    code, said = refused(folder, words, {})
    assert (code, why in said) == (2, True), said


@pytest.mark.parametrize(("words", "env", "why"), OUTSIDE)
def test_what_the_world_lacks_is_1(folder: Path, words: str, env: dict[str, str], why: str) -> None:
    code, said = refused(folder, words, NOWHERE | env)
    assert (code, why in said) == (1, True), said


@pytest.mark.parametrize("variable", ["WORKER_SANDBOX", "ERC3_CLIENT"])
def test_a_wrong_setting_is_found_before_anything_runs(folder: Path, variable: str) -> None:
    code, said = refused(folder, "--quiet", {variable: "none"})
    assert (code, variable in said) == (2, True), said


def test_a_platform_out_of_reach_is_1(folder: Path, shop_json: Any) -> None:
    pack = {"format": "store-pack/1", "name": "one", "scenarios": [shop_json()]}
    (folder / "pack.json").write_text(json.dumps(pack))
    words = ["--real", "--allow-scripted", "--pack", "pack.json", "--retry-seconds", "0"]
    env = CLEAN | KEY | {"ERC3_BASE_URL": "http://127.0.0.1:9"}
    done = CliRunner().invoke(app, words, env=env)
    assert done.exit_code == 1
    assert "cannot be reached: http://127.0.0.1:9 (ConnectError)" in done.stderr
    assert "secret-of-mine" not in done.output
