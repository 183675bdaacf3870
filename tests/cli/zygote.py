"""A process that is warm and has a single thread, from which the lives of runs are forked.

Reads one JSON command a line from standard input and answers with one JSON value a line:
``{"begin": {...}}`` gives a process id, ``{"end": pid}`` waits and gives its exit code.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import Any

from tenacity import wait_none

from cli.cli import app
from core.erc3_client import retry_policy
from core.models import retries
from tests.kit import faulty_models, short_ticks  # noqa: F401
from tests.kit.canned import play
from tests.kit.warming import warm
from workshop.simulator.worlds import FORMATS, world_of

KILLED = 137


def live(order: dict[str, Any]) -> None:
    """The child: it never returns."""
    out = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(out, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.stderr = os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
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
        app(order["words"])
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


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


def first_lives() -> int:
    """A task of each benchmark is played."""
    os.environ.update(dict.fromkeys(("EVALUATOR_MODEL", "WORKER_MODEL", "MODELS_FILE"), ""))
    code = 0
    for name, form in FORMATS.items():
        pack = world_of(form).bundled
        task = json.loads(pack.read_text(encoding="utf-8"))["scenarios"][0]["spec_id"]
        words = ["--benchmark", name, "--task", task, "--quiet"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                app([*words, "--out", folder])
            except SystemExit as end:
                code = code or int(end.code or 0)
    return code


def main() -> None:
    retry_policy.pause = lambda *_: 0.0
    retries.WAIT = wait_none()
    short_ticks.shorten()
    warm(first_lives)
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
