"""A process with all imports done and a single thread, from which the lives of runs are forked.

Reads one JSON command a line from standard input and answers with one JSON value a line:
``{"begin": {...}}`` gives a process id, ``{"end": pid}`` waits and gives its exit code.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from typing import Any

from tenacity import wait_none

from erc3_compat import patience
from launch.cli import app
from launch.standard_streams import steady
from models import retries
from models.tokens import count_text
from simulator.store.pack import BUNDLED_PACK
from tests.scripted import play

KILLED = 137
STREAMS = ("stdin", "stdout", "stderr")


def live(order: dict[str, Any]) -> None:
    """The child: it never returns."""
    out = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(out, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.stderr = os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
    for number, what in order["streams"].items():
        spoil(int(number), what)
    for ours in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ours, signal.SIG_IGN if ours in order["ignored"] else signal.SIG_DFL)
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    for name, replies in order["scripts"].items():
        play(name, replies)
    if order["until"] is not None:
        die_at(order["until"], order["whole"])
    if order["room"] is not None:
        little_room(order["room"])
    code = 1
    try:
        if order["streams"]:
            steady()
        app(order["words"])
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def spoil(number: int, what: str) -> None:
    """A standard stream that is closed, full, or a pipe that nobody reads any more."""
    if what == "closed":
        os.close(number)
        setattr(sys, STREAMS[number], None)
    elif what == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), number)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, number)
    setattr(sys, f"__{STREAMS[number]}__", getattr(sys, STREAMS[number]))


def die_at(until: int, whole: bool) -> None:
    """Count the writes of journals and of the platform's state; die at one of them."""
    real, left = os.write, [until]

    def write(file: int, data: Any) -> int:
        kept = os.readlink(f"/proc/self/fd/{file}").endswith(".jsonl")
        left[0] -= kept
        if kept and left[0] <= 0:
            real(file, data if whole else bytes(data)[: len(data) // 2])
            os._exit(KILLED)
        return real(file, data)

    os.write = write


def little_room(size: int) -> None:
    """Files of the life end at so many bytes, as on a disk that is full."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def learn() -> None:
    """Import what a life imports: the first one plays a task and tells what that was."""
    first = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))["scenarios"][0]["spec_id"]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.environ.update(dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"), ""))
        code: object = 1
        with tempfile.TemporaryDirectory() as folder, open(writer, "w") as told:
            try:
                app(["--task", first, "--out", folder, "--quiet"])
            except SystemExit as end:
                code = end.code
            json.dump(sorted(sys.modules), told)
        os._exit(int(code != 0))
    os.close(writer)
    with open(reader) as told:
        for name in json.load(told):
            # Some are no files: what a program was started with, or what a module made up.
            with suppress(ImportError):
                import_module(name)
    _, status = os.waitpid(child, 0)
    assert status == 0, "the first life failed"
    count_text("the tables of the tokenizer")
    gc.collect()
    gc.freeze()


def main() -> None:
    patience.pause = lambda *_: 0.0
    retries.WAIT = wait_none()
    learn()
    answers = sys.stdout
    for line in sys.stdin:
        command = json.loads(line)
        if "begin" in command:
            child = os.fork()
            if child == 0:
                live(command["begin"])
            found = child
        else:
            _, status = os.waitpid(command["end"], 0)
            found = os.waitstatus_to_exitcode(status)
        print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
