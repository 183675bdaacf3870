"""The command ``agent``: any agent on the embedded platform, and what it scored."""

from __future__ import annotations

import secrets
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from types import FrameType

import typer
from pydantic import BaseModel

from coordinator.config import option
from coordinator.limits import handle_signals
from core.runs.errors import Exit, Usage
from core.runs.hints import command as own_command
from core.runs.results import PASS
from core.terminal.console import answers, notes, say
from core.terminal.figures import cut, named, reason, so_many_tasks
from core.terminal.record_command import argument, takes
from core.text import clean
from workshop.agent_adapter.launch import environment_for, key_file
from workshop.agent_adapter.process import GRACE_SECONDS, ended_with
from workshop.agent_adapter.stand_in import stand_in
from workshop.simulator.pack_files import PackError
from workshop.simulator.platform import KEY_PREFIX, Platform, Task
from workshop.simulator.server import serve
from workshop.simulator.world import Pack
from workshop.simulator.worlds import WORLDS, load_pack

SHOWN = 20
"""Tasks that are listed because they did not pass."""
WHY_CHARS = 160
CANNOT_BE_STOPPED = (
    "the official SDK reads no address from the environment, so an agent that does not pass "
    "ERC3_BASE_URL as base_url reaches the real platform, and this program cannot prevent it"
)


class AgentOptions(BaseModel):
    """The command line of ``agent``."""

    command: tuple[str, ...] = argument("The command that starts the agent, with its own options.")
    pack: tuple[str, ...] = option(
        "A pack file [every bundled pack]. Repeatable, one of each kind.", ()
    )
    benchmark: str | None = option("Serve only the bundled pack of this benchmark.", None)
    own_sdk: bool = option("Let the agent use its own SDK instead of the replacement.", False)
    allow_real_key: bool = option(
        "With --own-sdk: start the agent even if a .env in its folder has an account key.", False
    )


@takes(AgentOptions)
def agent(options: AgentOptions, context: typer.Context) -> int:
    """Play any agent on the embedded platform.

    Whatever starts it: its command follows. Shows its scores.
    """
    packs = _packs(options)
    _check_key(options)
    with ExitStack() as stack:
        folder = None if options.own_sdk else stack.enter_context(stand_in())
        served = stack.enter_context(serve(*packs))
        key = f"{KEY_PREFIX}{secrets.token_hex(16)}"
        user = context.obj().environment
        code = _run(options.command, environment_for(served.base_url, key, folder, user))
    every = served.platform.tasks
    left = sum(task.status != "completed" for task in every)
    say(answers(), *map(clean, _report(served.platform, options.command)))
    if code is None:
        say(answers(), "interrupted")
        return Exit.INTERRUPTED
    if code:
        say(answers(), f"the agent died: {ended_with(code)}; {so_many_tasks(left)} not completed")
    return Exit.OUTSIDE if code or left or not any(task.begun for task in every) else Exit.PLAYED


def _packs(options: AgentOptions) -> list[Pack]:
    """The packs to serve. Raises Usage."""
    every = [*WORLDS.values()]
    worlds = {id: world for world in every for id in world.benchmarks}
    chosen = worlds.get(options.benchmark or "")
    if options.benchmark and (chosen is None or options.pack):
        there = f"or one of {', '.join(worlds)}"
        raise Usage(f"--benchmark {options.benchmark}: give either --pack {there}")
    bundled = [chosen.bundled] if chosen else [world.bundled for world in every]
    try:
        return [load_pack(path) for path in options.pack or bundled]
    except PackError as error:
        raise Usage(str(error)) from None


def _check_key(options: AgentOptions) -> None:
    """Say what cannot be stopped. Raises Usage: a real key is in reach of the agent's own SDK."""
    file = key_file(options.command)
    if options.own_sdk and file and not options.allow_real_key:
        advice = "remove it, or use --allow-real-key"
        raise Usage(f"{CANNOT_BE_STOPPED}; {file} holds an account key: {advice}")
    if options.own_sdk:
        say(notes(), f"warning: {CANNOT_BE_STOPPED}")
    elif file:
        text = "the SDK replacement ignores it, but a program in another language may use it"
        say(notes(), f"note: {file} holds an account key; {text}")


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Run the agent with the terminal; its exit code, None where the user has ended it.

    Raises Usage: it cannot be started.
    """
    try:
        process = subprocess.Popen(command, env=dict(environment))
    except OSError as error:
        raise Usage(f"{command[0]} cannot be started: {error.strerror or error}") from None

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with handle_signals((signal.SIGTERM, signal.SIGHUP), interrupt):
        try:
            return process.wait()
        except KeyboardInterrupt:
            # The interrupt key has reached the agent as well, which may close its session.
            for number in (None, signal.SIGTERM, signal.SIGKILL):
                if number:
                    process.send_signal(number)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE_SECONDS)
                    break
            return None


def _report(platform: Platform, command: Sequence[str]) -> Iterator[str]:
    for one in platform.sessions.values():
        name = f" {one.name!r}" if one.name else ""
        yield from _scores(f"session {one.session_id}{name} of {one.benchmark}", one.tasks)
        if one.status == "open":
            yield "  never submitted"
    if singles := list(platform.single_tasks.values()):
        yield from _scores("tasks without a session", singles)
    if not any(task.begun for task in platform.tasks):
        yield (
            "the agent started no task here; a Python with -E or -I finds its own SDK, and other "
            "programs must read ERC3_BASE_URL"
        )
    worlds = {platform.served_as(one.benchmark).world.name for one in platform.sessions.values()}
    for world in sorted(worlds - {"demo"}):
        words = "regress", "--benchmark", world, "--agent", shlex.join(command)
        yield f"to keep a run and compare it with others: {own_command(*words)}"


def _scores(title: str, tasks: Sequence[Task]) -> Iterator[str]:
    passed = sum(task.score >= PASS for task in tasks)
    mean = sum(max(0.0, task.score) for task in tasks) / len(tasks)
    yield f"{title}: {passed} of {so_many_tasks(len(tasks))} passed, score {mean:.3f}"
    judged = [(task.scenario.spec_id, task.evaluation) for task in tasks]
    failed = [(spec, e.score, e.logs) for spec, e in judged if e is not None and e.score < PASS]
    for spec, score, logs in failed[:SHOWN]:
        yield f"  {spec}: {score:.1f}: {cut(' '.join(reason('', logs).split()), WHY_CHARS)}"
    if len(failed) > SHOWN:
        yield f"  … {len(failed) - SHOWN} more"
    if left := [spec for spec, evaluation in judged if evaluation is None]:
        yield f"  never completed: {so_many_tasks(len(left))} ({named(left)})"
