"""A process with all imports done, from which lives of a loop are forked: one command a line.

A life runs the command line with models that are paid for: every reply is a line in a file of
payments. It dies, as by ``kill -9``, some steps (opened files, new names, new folders) behind a
given payment.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli import cli
from core.models.model_call import Message, sha256_of
from core.models.providers import Played, register
from tests.kit.short_ticks import shorten
from tests.kit.warming import warm
from workshop.scripted import provider as brains

KILLED = 137
NOT_PROVEN = 3
SECTION = "store/playbooks/budget-check.md"
_TASKS = "mechanics=budget,budget-split,packs-budget"
FIRST = (
    "evolve", "--train", f"generated:warm:6:{_TASKS}", "--unseen", f"generated:warmer:18:{_TASKS}",
    "--evaluator", "paid/literal", "--worker", "paid/store", "--reflection",
    "paid/reflection", "--sections", SECTION.removesuffix(".md"), "--budget-tasks", "120",
    "--generations", "1", "--batch", "6",
)  # fmt: skip
STEPS = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.truncate", "os.rmdir"})


class Paid:
    """The scripted models, and a reflecting model that says its texts in turn."""

    def __init__(self, payments: Path, texts: Sequence[str]) -> None:
        self._payments, self._texts = payments, texts

    def check(self, model: str) -> None:
        if model != "reflection":
            brains.check(model)

    def reply(self, model: str, messages: list[Message], played: Played) -> str:
        if model == "reflection":
            asked = sum(line.startswith(model) for line in self.lines())
            text = self._texts[asked % len(self._texts)]
            said = f"Why: attempt {asked + 1}.\n```\n{text}\n```"
        else:
            said = brains.reply(model, messages, played)
        with self._payments.open("a") as file:
            file.write(f"{model} {sha256_of(json.dumps(messages))}\n")
        return said

    def lines(self) -> list[str]:
        return self._payments.read_text().splitlines() if self._payments.exists() else []


def die_behind(paid: Paid, payment: int, steps: int) -> None:
    """Die so many steps behind so many payments of all lives."""
    left = [steps, 0]

    def hook(event: str, _args: Any) -> None:
        if event not in STEPS or left[1]:
            return
        left[1] = 1  # what is opened to count is no step
        if len(paid.lines()) >= payment:
            left[0] -= 1
        left[1] = 0
        if left[0] < 0:
            os._exit(KILLED)

    sys.addaudithook(hook)


def live(order: dict[str, Any]) -> None:
    """The child: it never returns."""
    out = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(out, number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
    paid = Paid(Path(order["payments"]), order["texts"])
    register("paid", lambda: paid)
    if order["kill"]:
        die_behind(paid, *order["kill"])
    code = 1
    try:
        cli.app(order["words"])
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def first_loop() -> int:
    """A loop of one generation, as short as there is one."""
    with tempfile.TemporaryDirectory() as folder:
        section = Path(folder, "start", SECTION)
        section.parent.mkdir(parents=True)
        section.write_text("\n")
        paid = Paid(Path(folder, "payments"), ["Think twice about money."])
        register("paid", lambda: paid)
        out = ["--prompts", str(section.parents[2]), "--out", folder, "--jobs", "1"]
        try:
            cli.app([*FIRST, *out])
        except SystemExit as end:
            return int(end.code != NOT_PROVEN)
    return 0


def main() -> None:
    shorten()
    warm(first_loop)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)


if __name__ == "__main__":
    main()
