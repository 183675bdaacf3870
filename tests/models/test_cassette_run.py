"""A whole run from a tape: the same results, one task at a time or several, and no network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from models import cassette_tape
from models.cassette_tape import Tape

ROOT = Path(cassette_tape.__file__).parents[1]
MODEL = "nebius/openai/gpt-oss-120b"
RUN = """
import socket, sys
from contextlib import redirect_stdout, suppress
from pathlib import Path
connect = socket.socket.connect
def loopback_only(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        raise SystemExit(f"a connection was tried: {address}")
    return connect(self, address)
socket.socket.connect = loopback_only
from launch.cli import main
from models import door
from models.cassette import Player, Recorder
from models.cassette_tape import Tape, TapeWriter
from models.keyless import DirectTransport
folder, *arguments = sys.argv[1:]
opened = door.Door.__init__
def run(name, transport, *more):
    def taped(self, *args, **kwargs):
        opened(self, *args, **kwargs | {"transport": transport})
    door.Door.__init__ = taped
    sys.argv[1:] = ["--json", "--out", f"{folder}/logs", *arguments, *more]
    with open(f"{folder}/{name}.json", "w") as out, redirect_stdout(out), suppress(SystemExit):
        main()
tape = Path(folder, "tape.jsonl")
run("recorded", Recorder(TapeWriter(tape), DirectTransport("playbook/store")))
player = Player(Tape.load(tape))
run("replayed", player, "--jobs", "4")
print("unused:", len(player.unused()))
"""


def results(path: Path) -> list[dict[str, Any]]:
    """The tasks of a run without what differs from run to run."""
    tasks = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    return [{k: t[k] for k in t if k not in ("task_id", "seconds")} for t in tasks]


def test_a_replayed_run_has_the_same_results(tmp_path: Path) -> None:
    pack = json.loads((ROOT / "simulator/packs/store-bundled.json").read_text(encoding="utf-8"))
    # Two that buy, two that do not.
    buys = [s["spec_id"] for s in pack["scenarios"] if s["expect"]["checkouts"]]
    refuses = [s["spec_id"] for s in pack["scenarios"] if not s["expect"]["checkouts"]]
    specs = [part for spec in buys[:2] + refuses[:2] for part in ("--task", spec)]
    models = ["--evaluator", MODEL, "--worker", MODEL]
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path), *models, *specs],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "unused: 0\n", done.stderr
    recorded = results(tmp_path / "recorded.json")
    assert [t["score"] for t in recorded] == [1.0] * 4
    assert {e.request.model for e in Tape.load(tmp_path / "tape.jsonl").exchanges} == {MODEL}
    assert results(tmp_path / "replayed.json") == recorded
