"""The command ``agent``: any agent on the embedded platform, and what it scored."""

from __future__ import annotations

import secrets
import shlex
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer
from pydantic import BaseModel

from coordinator.config import option
from core.runs.errors import Exit, Usage
from core.runs.hints import command as own_command
from core.runs.results import PASS
from core.terminal.console import answers, notes, say
from core.terminal.figures import cut, number, reason, so_many_tasks
from core.terminal.record_command import argument, takes
from core.text import clean
from workshop.agent_adapter.agent_session import named
from workshop.agent_adapter.launch import environment_for, key_file
from workshop.agent_adapter.process import GRACE_SECONDS, ended_with
from workshop.agent_adapter.stand_in import stand_in
from workshop.simulator.pack_files import PackError
from workshop.simulator.platform import KEY_PREFIX, Platform, Task

if TYPE_CHECKING:
    from workshop.lab.benchmark_adapter import LabContext
    from workshop.simulator.world import Pack

SHOWN = 20
"""Tasks that are listed because they did not pass."""
WHY_CHARS = 160
CANNOT_BE_STOPPED = (
    "the official SDK reads no address from the environment: an agent that does not pass "
    "ERC3_BASE_URL as base_url reaches the real platform, and nothing here can stop it"
)


class AgentOptions(BaseModel):
    """What ``agent`` takes."""

    command: tuple[str, ...] = argument("The command that starts the agent, with its own options.")
    pack: tuple[str, ...] = option(
        "bundled, variations, generated:SEED:COUNT[:options] or a file; repeatable, one of each "
        "kind; default: every bundled one.",
        (),
    )
    benchmark: str | None = option("Serve the packs of this benchmark alone.", None)
    own_sdk: bool = option("Leave the agent its own SDK, in place of our stand-in for it.", False)
    allow_real_key: bool = option(
        "With --own-sdk: start the agent although a .env of its folder holds an account key.", False
    )


@takes(AgentOptions)
def agent(options: AgentOptions, context: typer.Context) -> int:
    """Play any agent on the embedded platform, whatever starts it, and show its scores."""
    packs = _packs(options, context.obj())
    _check_key(options)
    with ExitStack() as stack:
        from workshop.simulator.server import serve

        folder = None if options.own_sdk else stack.enter_context(stand_in())
        platform = stack.enter_context(serve(*packs))
        key = f"{KEY_PREFIX}{secrets.token_hex(16)}"
        user = context.obj().environment
        code = _run(options.command, environment_for(platform.base_url, key, folder, user))
        tasks = platform.platform
    say(answers(), *map(clean, _report(tasks, code, options.command)))
    if code is None:
        return Exit.INTERRUPTED
    begun = [task for task in _every_task(tasks) if task.log]
    return Exit.PLAYED if begun and code == 0 and not _left(tasks) else Exit.OUTSIDE


def _packs(options: AgentOptions, context: LabContext) -> list[Pack]:
    """The packs to serve. Raises Usage, CannotRun."""
    from workshop.simulator.worlds import WORLDS, load_pack

    worlds = [world() for world in WORLDS.values()]
    if options.benchmark:
        ids = [id for world in worlds for id in world.benchmarks]
        if options.benchmark not in ids:
            there = ", ".join(ids)
            raise Usage(f"no benchmark {options.benchmark!r} is served; there are: {there}")
        worlds = [world for world in worlds if options.benchmark in world.benchmarks]
    try:
        if not options.pack:
            return [load_pack(world.bundled) for world in worlds]
        return [
            load_pack(one) if Path(one).is_file() else _named_pack(one, options.benchmark, context)
            for one in options.pack
        ]
    except PackError as error:
        raise Usage(str(error)) from None


def _named_pack(name: str, benchmark: str | None, context: LabContext) -> Pack:
    from workshop.lab.packs import source_of

    adapter = context.adapter(benchmark)
    source = source_of(name, adapter)
    pack: Pack = adapter.read(adapter.pack_text(source.name, [*source.scenarios()]), name)  # type: ignore[assignment]
    return pack


def _check_key(options: AgentOptions) -> None:
    """Say what cannot be stopped. Raises Usage: a real key is in reach of the agent's own SDK."""
    found = key_file(options.command)
    if options.own_sdk:
        if found and not options.allow_real_key:
            raise Usage(
                f"{CANNOT_BE_STOPPED}; {found} holds an account key: take it out, or give "
                "--allow-real-key"
            )
        say(notes(), f"warning: {CANNOT_BE_STOPPED}")
    elif found:
        text = "the stand-in for the SDK uses none of it, but a program in another language may"
        say(notes(), f"note: {found} holds an account key; {text}")


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """Run the agent with the terminal; its exit code, None where the user has ended it.

    Raises Usage: it cannot be started.
    """
    from coordinator.limits import handle_signals

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


def _every_task(platform: Platform) -> list[Task]:
    in_sessions = (task for session in platform.sessions.values() for task in session.tasks)
    return [*in_sessions, *platform.single_tasks.values()]


def _left(platform: Platform) -> int:
    """How many tasks nobody has completed."""
    return sum(task.status != "completed" for task in _every_task(platform))


def _report(platform: Platform, code: int | None, command: Sequence[str]) -> Iterator[str]:
    for one in platform.sessions.values():
        name = f" {one.name!r}" if one.name else ""
        yield f"session {one.session_id}{name} of {one.benchmark}: {_score(one.tasks)}"
        if one.status == "open":
            yield "  never submitted"
        yield from _not_passed(one.tasks)
    if singles := [*platform.single_tasks.values()]:
        yield f"tasks without a session: {_score(singles)}"
        yield from _not_passed(singles)
    if code is None:
        yield "interrupted"
    elif code:
        left = so_many_tasks(_left(platform))
        yield f"the agent died: {ended_with(code)}; {left} not completed"
    if not any(task.log for task in _every_task(platform)):
        yield (
            "the agent has begun no task here; a Python with -E or -I finds its own SDK, and other "
            "programs have to read ERC3_BASE_URL"
        )
    worlds = {platform.served_as(one.benchmark).world.name for one in platform.sessions.values()}
    for world in sorted(worlds - {"demo"}):
        words = "regress", "--benchmark", world, "--agent", shlex.join(command)
        yield f"keep a run and compare it with others: {own_command(*words)}"


def _score(tasks: Sequence[Task]) -> str:
    passed = sum(task.score >= PASS for task in tasks)
    mean = sum(max(0.0, task.score) for task in tasks) / len(tasks)
    return f"{passed} of {so_many_tasks(len(tasks))} passed, score {number(mean, 3)}"


def _not_passed(tasks: Iterable[Task]) -> Iterator[str]:
    judged = [(task, task.evaluation) for task in tasks]
    failed = [(task, e) for task, e in judged if e is not None and e.score < PASS]
    for task, evaluation in failed[:SHOWN]:
        why = " ".join(reason("", evaluation.logs).split())
        yield f"  {task.scenario.spec_id}: {evaluation.score:.1f}: {cut(why, WHY_CHARS)}"
    if len(failed) > SHOWN:
        yield f"  … {len(failed) - SHOWN} more"
    if left := [task.scenario.spec_id for task, evaluation in judged if evaluation is None]:
        yield f"  never completed: {so_many_tasks(len(left))} ({named(left)})"
