"""Whatever has happened to a run folder, a pack or a models file: a message that says where."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from cli.cli import app
from tests.cli.conftest import Lives, Zygote
from tests.kit.damage import DEEP, damage
from tests.kit.odd_files import ODD
from tests.markers import seeds
from workshop.simulator.store.pack import BUNDLED_PACK
from workshop.views.live import build_app

SPEC = "named_item_on_last_page"
KINDS = ("run.json", "results.jsonl", "platform.jsonl", "pack.json", "tasks/*", "prompts/*")


@pytest.fixture(scope="module")
def cut_off(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two tasks that was killed in its second one."""
    raw = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    wanted = (SPEC, "pack_sizes_exact_count")
    raw["scenarios"] = [s for s in raw["scenarios"] if s["spec_id"] in wanted]
    pack = tmp_path_factory.mktemp("pack") / "small.json"
    pack.write_text(json.dumps(raw))
    for until in range(70, 110, 8):
        life = Lives(zygote, tmp_path_factory.mktemp("life"))
        words = ["--pack", pack, "--out", life.folder / "logs", "--quiet"]
        assert life.live(*words, until=until) == 137
        if life.run and len(list((life.run / "tasks").iterdir())) == len(wanted):
            return life.run
    raise AssertionError("no life ended in its second task")


@pytest.fixture
def folder(cut_off: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to damage."""
    for name in ("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(cut_off, tmp_path / "logs" / "run"))


def commands(folder: Path, whole: Path) -> Iterator[list[object]]:
    """Everything that reads a run folder; the last one may change it."""
    yield ["show", folder]
    yield ["show", folder, "--failed"]
    yield ["show", folder, "--task", SPEC]
    yield ["report", folder]
    yield ["report", folder, whole, "-o", folder.parent / "pair.html"]
    yield ["stats", folder.parent]
    yield ["stats", folder.parent, "--diff", folder, whole]
    yield ["replay", folder]
    yield ["debug", folder, "--task", SPEC, "--turn", 1]
    yield ["--fork", folder, "--turn", 1, "--task", SPEC, "--quiet"]
    yield ["--resume", folder, "--quiet"]


def told(words: list[object]) -> str:
    """What a command says; anything but an exit is a failure of the test."""
    done = CliRunner().invoke(app, [str(word) for word in words], input="q\n")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "Traceback" not in done.output
    assert "internal error" not in done.output
    return f"{done.exit_code} {' '.join(done.output.split())}"


@pytest.mark.parametrize("seed", seeds(6, 2))
def test_no_damage_is_more_than_a_message(folder: Path, cut_off: Path, seed: int) -> None:
    dice = Random(seed)
    damage(dice.choice(sorted(folder.glob(dice.choice(KINDS)))), dice)
    for words in commands(folder, cut_off):
        told(words)
    with TestClient(build_app(folder.parent), base_url="http://localhost") as client:
        for path in ("/", "/runs/run/"):
            assert client.get(path).status_code == 200


def deep(path: Path) -> None:
    path.write_text("[" * DEEP)


def not_utf8(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50] + b"\xff\xfe" + path.read_bytes()[50:])


def with_option(name: str, value: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        raw = json.loads(path.read_text())
        raw["options"][name] = value
        path.write_text(json.dumps(raw))

    return change


def with_field(name: str, value: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))

    return change


def second_line(**fields: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        lines = path.read_text().splitlines()
        lines[1] = json.dumps(json.loads(lines[1]) | fields)
        path.write_text("\n".join(lines) + "\n")

    return change


def with_usage(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["type"] == "model_call":
            line["usage"] = {"prompt": {"a": 1}}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("run.json", deep, "run.json: Invalid JSON: recursion limit"),
        ("run.json", lambda path: path.write_text("{"), "run.json: Invalid JSON: EOF"),
        ("run.json", with_option("benchmark", 7), "options.benchmark: Input should be a valid str"),
        (
            "run.json",
            with_option("jobs", 0),
            "options.jobs: Input should be greater",
        ),
        (
            "run.json",
            with_option("max_tokens", -5),
            "options.max_tokens: Input should be",
        ),
        ("run.json", with_field("created", "some day"), "run.json: created: is not a time"),
        ("platform.jsonl", deep, "platform.jsonl: is not a state file"),
        ("platform.jsonl", lambda path: path.write_text(""), "platform.jsonl is cut or lost"),
        (f"tasks/{SPEC}.jsonl", second_line(type={}), f"{SPEC}.jsonl: line 2 is not a record"),
        (f"tasks/{SPEC}.jsonl", deep, ""),
        (f"tasks/{SPEC}.jsonl", with_usage, ".jsonl: line 3: usage.prompt: Input should be"),
        ("prompts/*", not_utf8, ""),
    ],
)
def test_what_is_damaged_is_named(
    folder: Path, name: str, change: Callable[[Path], None], said: str
) -> None:
    change(next(folder.glob(name)))
    heard = told(["--resume", folder, "--quiet"])
    assert heard.startswith("1 error: " if said else "0"), heard
    assert said in heard


@pytest.mark.parametrize(
    ("option", "mark"),
    [("--pack", "["), ("--pack", '{"a":'), ("--models", "a = ["), ("--models", "a = {a=")],
)
def test_no_depth_of_a_file_is_more_than_a_message(folder: Path, option: str, mark: str) -> None:
    path = folder / "deep"
    path.write_text(mark * DEEP)
    heard = told([option, path, "--quiet"])
    assert heard.startswith("2 error: ")
    assert str(path) in heard
    assert len(heard) < 1_000


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("name", [*KINDS, "run.lock"])
def test_a_file_of_the_folder_that_is_no_bounded_regular_one_ends_no_command(
    folder: Path, cut_off: Path, name: str
) -> None:
    """Each command meets another odd file, the last one all of them."""
    path = sorted(folder.glob(name))[0]
    odds = list(ODD.values())
    *others, resume = commands(folder, cut_off)
    for number, words in enumerate([*others, *[resume] * len(odds)]):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        odds[number % len(odds)](path)
        heard = told(words)
        if words is resume and name in ("run.json", "tasks/*", "platform.jsonl"):
            assert heard.startswith("1 error: "), heard
            assert path.name in heard
    with TestClient(build_app(folder.parent), base_url="http://localhost") as client:
        for page in ("/", "/runs/run/"):
            assert client.get(page).status_code == 200


@pytest.mark.parametrize("option", ["--pack", "--playback"])
def test_a_file_of_an_option_is_a_regular_one_and_whole(folder: Path, option: str) -> None:
    for number, odd in enumerate(ODD.values()):
        odd(folder / f"odd-{number}")
        heard = told([option, folder / f"odd-{number}", "--quiet"])
        assert heard.startswith("2 error: ")
        assert "is not a regular file" in heard or "is larger than" in heard
    torn = folder / "tape.jsonl"
    torn.write_text('{"v": 1, "type": "cassette"}\n' + "[" * DEEP + "\n")
    assert told([option, torn, "--quiet"]).startswith("2 error: ")


def test_a_pack_and_records_with_a_mark_of_their_encoding_are_read(folder: Path) -> None:
    for name in ("pack.json", "run.json"):
        path = folder / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert told(["--resume", folder, "--quiet"]).startswith("0")
    path = folder / "results.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "2 tasks" in told(["show", folder])
    words = ["--pack", folder / "pack.json", "--task", SPEC, "--json", "--quiet"]
    assert '"score": 1.0' in told(words)
    assert told(["check", folder / "pack.json"]).startswith("0")


def test_lone_surrogates_in_an_older_journal_end_no_resumption(folder: Path) -> None:
    path = folder / "tasks" / f"{SPEC}.jsonl"
    text = path.read_text()
    path.write_text(text.replace('"instruction": "', '"instruction": "\\udcff', 1))
    heard: Any = told(["--resume", folder, "--quiet"])
    assert heard.startswith("0"), heard
