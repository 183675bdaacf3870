"""A place where attacks are carried out, with everything in it that they could want."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from inspect import Signature
from pathlib import Path
from typing import Any

from worker.sandbox.contract import DebugTerminal, SandboxError, SandboxKind, SandboxLimits
from worker.sandbox.executor import SandboxExecutor
from worker.sandbox.isolation import open_sandbox

SECRET = "sk-live-7f3a9c"
VARIABLE = "STORE_API_SECRET"
LIMITS = SandboxLimits(seconds=0.7, wall_seconds=8, calls=200)
SLACK = 5.0
"""Seconds after the limit in which a step must have ended, with several attacks at once."""
ASKED_AT_MOST = 20
"""So often a sandbox may be starved by the machine before it counts as dead."""
TICK = 0.01


@dataclass(frozen=True)
class Attack:
    """One item of a corpus."""

    id: str
    code: str
    steps: tuple[str, ...] = ()
    second_session: str = ""
    forbid: tuple[str, ...] = ()
    """Patterns that must not be in anything that comes out."""
    max_tool_calls: int | None = None


class Client:
    """What a tool of ours holds: the thing that must not be reached."""

    def __init__(self) -> None:
        self.token = SECRET


class Rich:
    """A result of a host that forgot to make it plain."""

    def __init__(self, sku: str) -> None:
        self.sku = sku
        self._client = Client()

    def model_dump(self) -> dict[str, str]:
        return {"sku": self.sku}


class Metronome(threading.Thread):
    """Seconds as this machine hands them out: where others keep it busy, they come later."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds = 0.0
        self.start()

    def run(self) -> None:
        while True:
            time.sleep(TICK)
            self.seconds += TICK


metronome = cache(Metronome)


@dataclass
class Target:
    """The host of one attack."""

    client: Client = field(default_factory=Client)
    calls: int = 0
    waited: float = 0.0
    basket: dict[str, int] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=lambda: [{"sku": "p1", "price": 5}])
    names: frozenset[str] = frozenset(
        {"search_products", "get_product", "add_to_basket", "echo", "internal_error", "get_rich"}
    )

    def call(self, name: str, args: list[object], kwargs: dict[str, object]) -> object:
        self.calls += 1
        return getattr(self, name)(*args, **kwargs)

    def search_products(self, query: str, limit: int = 10) -> object:
        return {"products": self.rows[:limit]}

    def get_product(self, sku: str) -> object:
        return {row["sku"]: row for row in self.rows}[sku]

    def add_to_basket(self, sku: str, quantity: int = 1) -> object:
        if type(sku) is not str or type(quantity) is not int or not 0 < quantity < 1000:
            raise TypeError("a sku and a number from 1 to 999")
        self.basket[sku] = quantity
        return {"items": len(self.basket)}

    def echo(self, *args: object, **kwargs: object) -> object:
        return [args[0] if args else None, len(args), len(kwargs)]

    def internal_error(self) -> object:
        raise ConnectionError(f"GET https://shop.invalid/?key={SECRET}")

    def get_rich(self, sku: str) -> object:
        return Rich(sku)


def carry_out(
    attack: Attack, kind: SandboxKind, place: Path, terminal: DebugTerminal | None = None
) -> list[str]:
    """Run one attack in a sandbox of its own; what was wrong afterwards, nothing if contained.

    ``terminal``: of somebody who steps through it.
    """
    place.mkdir(parents=True)
    canary, secret, drop = place / "canary.txt", place / "secret.txt", place / "drop"
    canary.write_text("tweet")
    secret.write_text(SECRET)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        words = {
            "@SECRET_FILE@": str(secret),
            "@CANARY@": str(canary),
            "@DROP@": str(drop),
            "@DIR@": str(place),
            "@HOSTLOG@": str(place / "host.log"),
            "@PORT@": str(listener.getsockname()[1]),
        }
        target = Target()
        wrong = _fight(attack, partial(open_sandbox, kind=kind, terminal=terminal), target, words)
        try:
            listener.accept()
            wrong.append("somebody called")
        except BlockingIOError:
            pass
    if canary.read_text() != "tweet":
        wrong.append("the canary is not as it was")
    if drop.exists():
        wrong.append("something was dropped")
    if target.rows != [{"sku": "p1", "price": 5}] or target.client.token != SECRET:
        wrong.append("the host was changed")
    return wrong


def _fight(
    attack: Attack, opened: Callable[..., SandboxExecutor], target: Target, words: dict[str, str]
) -> list[str]:
    wrong: list[str] = []
    seen: list[str] = []
    with opened(target, LIMITS) as box:
        for step in (*attack.steps, attack.code):
            wrong += _shoot(box, _filled(step, words), seen)
        if attack.max_tool_calls is not None and target.calls > attack.max_tool_calls:
            wrong.append(f"{target.calls} calls of tools")
        wrong += _alive(box)
    if attack.second_session:
        with opened(Target(), LIMITS) as box:
            wrong += _shoot(box, _filled(attack.second_session, words), seen)
    text = "\n".join(seen)
    wrong += [f"it shows {what}" for what in (SECRET, *attack.forbid) if re.search(what, text)]
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", text):
        wrong.append("control characters came out")
    return wrong


def _shoot(box: SandboxExecutor, code: str, seen: list[str]) -> list[str]:
    """One step: what can be seen of it goes to ``seen``, what is wrong comes back.

    It may neither wait too long nor keep our side busy. Both are told by clocks that the load of
    the machine does not move on.
    """
    clock = metronome()
    began, worked = clock.seconds, time.thread_time()
    try:
        out = box(code)
        # As the agent does with what it gets, outside of any protection.
        seen += [str(out.output), out.logs, json.dumps(str(out.output))]
    except SandboxError as error:
        seen += [error.text, str(box.state["_print_outputs"])]
    except Exception as error:
        return [f"{type(error).__name__} came out: {error}"]
    waited, worked = clock.seconds - began, time.thread_time() - worked
    if waited > LIMITS.seconds + SLACK + _waiting(code) or worked > SLACK:
        return [f"it took {waited:.1f} s, {worked:.1f} s of them in the host"]
    return []


def _waiting(code: str) -> float:
    """Extra time for code that lives in its tools, where other limits hold."""
    return LIMITS.wall_seconds if "search_products" in code else 0.0


def _alive(box: SandboxExecutor) -> list[str]:
    try:
        if _answer(box, "1 + 1") != 2 or _answer(box, "echo('here')")[0] != "here":
            return ["the sandbox is of no use afterwards"]
    except SandboxError as error:
        return [f"the sandbox is of no use afterwards: {error}"]
    return []


def _answer(box: SandboxExecutor, code: str) -> Any:
    """What harmless code gives. A sandbox that got no time is asked again."""
    for _ in range(ASKED_AT_MOST):
        try:
            return box(code).output
        except SandboxError as error:
            starved = error
            if error.kind != "limit" or "time limit" not in error.text:
                raise
    raise starved


def _filled(code: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        code = code.replace(word, value)
    return re.sub(
        r"@REP:(\d+):(.*?)@", lambda m: m.group(2) * int(m.group(1)), code, flags=re.DOTALL
    )


def from_folder(folder: Path) -> list[Attack]:
    """The attacks of our own, from text files; ``#!`` lines say what must not happen."""
    attacks = []
    for file in sorted(folder.glob("*.txt")):
        for part in file.read_text().split("### ")[1:]:
            name, _, text = part.partition("\n")
            code, _, second = text.partition("=== second session\n")
            notes = dict(re.findall(r"^#! (\w+): (.*)$", code, flags=re.MULTILINE))
            attacks.append(
                Attack(
                    id=name,
                    code=re.sub(r"^#! .*\n", "", code, flags=re.MULTILINE).rstrip("\n") + "\n",
                    second_session=second,
                    forbid=(notes["forbid"],) if "forbid" in notes else (),
                    max_tool_calls=int(notes["calls"]) if "calls" in notes else None,
                )
            )
    return attacks


def plant_secret() -> None:
    """Put the secret into the environment of this process, as a key of ours would be."""
    os.environ[VARIABLE] = SECRET
