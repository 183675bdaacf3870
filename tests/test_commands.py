"""Every command that README and docs print runs as it stands, where it needs no more than this.

A fenced block without a language holds commands, a line each with its comment; so does inline code
that begins with ``.venv/bin/``. What stands in brackets behind a command says what more it needs,
and such a command is not run here. By day README and tutorial are typed, over a few tasks; at night
every page as it stands.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.cli import COMMANDS, app
from core.runs.hints import SCRIPT
from workshop.simulator.store.pack import BUNDLED_PACK

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
AGENT, PYTHON = f".venv/bin/{SCRIPT}", ".venv/bin/python"
NEEDS = (
    "key", "server", "terminal", "network", "minutes", "after `make test`", "after the extra",
    "with a failed task", "with a run", "with an agent", "with a pack of yours",
)  # fmt: skip
"""What a command may need, in brackets behind it."""
_MARK = re.compile(rf"\(({'|'.join(map(re.escape, NEEDS))})\)")
_BLOCK = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")
_INLINE = re.compile(r"`(\.venv/bin/[^`\n]+|make [^`\n]+)`(.{0,40})")
_EXITS = re.compile(r"exits (\d+)")
_BEGINS = (AGENT, PYTHON, "make ", "cp ", "echo ", "export ")
SPEC, GHOST = "budget_fits_thanks_to_coupon", "cheapest_mix_ghost_fill_in"
COUPON = "required_coupon_works"


@dataclass(frozen=True)
class Command:
    """One printed command, and what is said behind it."""

    words: str
    said: str = ""

    @property
    def needs(self) -> str:
        """What more it needs; "" for nothing."""
        found = _MARK.search(self.said)
        return found[1] if found else ""

    @property
    def code(self) -> int:
        """The exit code that is announced."""
        found = _EXITS.search(self.said)
        return int(found[1]) if found else 0


def commands(text: str) -> list[Command]:
    """The commands of a Markdown text in its order."""
    found, at = [], 0
    for block in _BLOCK.finditer(text):
        found += _inline(text[at : block.start()])
        for line in () if block[1] else block[2].splitlines():
            words, _, said = line.partition("  #")
            if words.strip().startswith(_BEGINS) or " .venv/bin/" in words:
                found.append(Command(words.strip(), said.strip()))
        at = block.end()
    return [*found, *_inline(text[at:])]


def _inline(text: str) -> list[Command]:
    """Of a command in a table its whole row is said, of one in prose what directly follows."""
    return [
        Command(words, line if line.startswith("|") else behind)
        for line in text.splitlines()
        for words, behind in _INLINE.findall(line)
    ]


def test_commands_are_found_with_what_they_need() -> None:
    block = f"```text\n{AGENT} c\n```\n```\n{AGENT} doctor   # all (key)\nx -> of no kind\n```\n"
    row = f"| x (minutes) | `{AGENT} a` |"
    found = commands(f"{block}{row}\nSee `{AGENT} b` (exits 3).")
    assert [c.words.removeprefix(AGENT) for c in found] == [" doctor", " a", " b"]
    assert [c.needs for c in found] == ["key", "minutes", ""]
    assert [c.code for c in found] == [0, 0, 3]


EVERY = [
    pytest.param(text, command, id=f"{text.stem}: {command.words}"[:90])
    for text in TEXTS
    for command in commands(text.read_text(encoding="utf-8"))
]


def test_the_texts_hold_commands() -> None:
    assert len(EVERY) > 40


@pytest.mark.parametrize(("text", "command"), EVERY)
def test_a_printed_command_names_what_there_is(text: Path, command: Command) -> None:
    words = shlex.split(command.words.replace("(", "").split(" > ")[0])
    while words and ("=" in words[0] or words[0] == "export"):
        words = words[1:]
    if not words:
        return
    if words[0] == "make":
        assert re.search(rf"(?m)^{words[1]}:", (ROOT / "Makefile").read_text())
    elif words[0] == PYTHON and words[1] != "-m":
        assert (ROOT / words[1]).is_file()
    elif words[0] == AGENT:
        name = words[1] if len(words) > 1 else ""
        assert name.startswith("-") or name in ("", *COMMANDS, "[run]")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs over two tasks of the bundled pack, one of them failed."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copy(ROOT / ".env.example", folder)
    for room in ("workshop/simulator/store/packs", "workshop/simulator/company/packs"):
        shutil.copytree(ROOT / room, folder / room)
    bundled = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))
    named = (SPEC, GHOST, COUPON)
    others = [one for one in bundled["scenarios"] if one["spec_id"] not in named][::6]
    bundled["scenarios"] = [one for one in bundled["scenarios"] if one["spec_id"] in named] + others
    (folder / FEW).write_text(json.dumps(bundled), encoding="utf-8")
    words = ["--task", SPEC, "--task", GHOST, "--max-turns", "2", "--quiet"]
    for _ in range(2):
        assert CliRunner().invoke(app, [*words, "--out", str(folder / "logs")]).exit_code == 0
    return folder


def run(command: Command, folder: Path) -> tuple[int, str]:
    """Carry a command out in a folder: our own in this process, others in theirs."""
    words, _, into = command.words.partition(" > ")
    split = shlex.split(words)
    if split[:2] == [AGENT, "regress"]:  # its processes begin as this one did, which is pytest
        split = [sys.executable, str(ROOT / "submission.py"), *split[1:]]
    elif split[0] == AGENT:
        done = CliRunner().invoke(app, split[1:])
        if into:
            (folder / into).write_text(done.stdout, encoding="utf-8")
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.output
    elif split[0] == "echo":
        (folder / into).write_text(f"{' '.join(split[1:])}\n", encoding="utf-8")
        return 0, ""
    elif split[0] == PYTHON:
        split = [sys.executable, str(ROOT / split[1]), *split[2:]]
    # Whoever types it stands in a clone, whose packages come before the packs that lie here.
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    other = subprocess.run(split, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return other.returncode, other.stdout + other.stderr


SLOW = (PYTHON, "make ", f"{AGENT} regress --strategy")
"""What takes more than some seconds, or needs another process: it is not typed."""
BY_DAY = ("README.md", "tutorial.md")
FEW = "few.json"
"""A pack of some bundled tasks, among them all that these pages name."""


def quick(command: Command) -> bool:
    """Whether a command is run in every test."""
    slow = command.words.startswith(SLOW)
    slow = slow or "--benchmark company" in command.words
    return not command.needs and not slow and not command.words.startswith(("export ", "ERC3_"))


def over_few_tasks(command: Command) -> Command:
    """A run of the bundled pack as one of a few tasks."""
    own = command.words.startswith((f"{AGENT} --", f"{AGENT} [run]")) or command.words == AGENT
    others = ("--pack", "--fork", "--resume")
    if not own or any(word in command.words for word in others):
        return command
    return Command(f"{command.words} --pack {FEW}", command.said)


def regresses(command: Command) -> bool:
    """Whether a command plays generated tasks by the hundred."""
    return command.words.startswith(f"{AGENT} regress")


NIGHTLY = pytest.mark.nightly("README and tutorial are typed by day, over a few tasks")


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=NIGHTLY)], ids=["few", "all"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(path, id=path.name, marks=[] if path.name in BY_DAY else [NIGHTLY])
        for path in TEXTS
    ],
)
def test_what_a_text_prints_can_be_typed(
    text: Path, few: bool, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(played, tmp_path / "here"))
    monkeypatch.chdir(folder)
    for name in [n for n in os.environ if n.startswith(("ERC3_", "EVALUATOR_", "WORKER_MODEL"))]:
        monkeypatch.delenv(name)
    wrong = []
    for command in commands(text.read_text(encoding="utf-8")):
        if not quick(command) or (few and regresses(command)):
            continue
        code, said = run(over_few_tasks(command) if few else command, folder)
        # A few tasks are too few for the verdict that the page shows.
        expected = {command.code, 3} if few and " compare" in command.words else {command.code}
        if code not in expected or "Traceback" in said:
            wrong.append(f"{command.words}\n  exit {code}, not {command.code}: {said[-600:]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_the_environment_is_only_removed_by_distclean() -> None:
    def told(target: str) -> list[str]:
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert ".mypy_cache" in told("clean")
    assert ".venv" not in told("clean")
    assert {".venv", ".mypy_cache"} <= set(told("distclean"))
