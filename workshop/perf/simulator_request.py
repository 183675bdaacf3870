"""What one request costs the simulator: CPU time of its process, and the time until the answer.

Run with `python workshop/perf/simulator_request.py`. The requests of the store, and those of a
company of 154 people, are sent in turn over one bare connection, so that no client library is
measured; the figures are the best round, without a state file and with one, taking turns. With
`--each`, every path of the company is measured on its own. Calls that change the company are
measured apart: with a state file they wait for the disk, as a checkout does, which the store's
calls leave out. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "workshop" / "perf"))

from simulator_load import SCENARIO  # noqa: E402 - found only now

Call = tuple[str, dict[str, Any]]
PEOPLE, PROJECTS, CUSTOMERS, PAGES, LINES = 154, 36, 21, 19, 60


class Kind(NamedTuple):
    """A pack with one scenario, and the calls that are sent to its task."""

    benchmark: str
    pack: dict[str, Any]
    spec_id: str
    calls: Sequence[Call]


def company() -> dict[str, Any]:
    """A company of the size of the largest benchmark's; nothing in it means anything."""
    levels = [{"name": f"skill_{n}", "level": n % 10 + 1} for n in range(15)]
    return {
        "name": "Load",
        "employees": [
            {
                "id": f"LD_{n:03}",
                "name": f"Given{n} Family{n % 40}",
                "email": f"ld_{n:03}@load.example",
                "salary": 50_000 + n,
                "location": f"Place {n % 7}",
                "department": f"Department {n % 10}",
                "notes": "",
                "skills": levels,
                "wills": levels[:6],
            }
            for n in range(PEOPLE)
        ],
        "customers": [
            {
                "id": f"cust_{n:02}",
                "name": f"Customer {n}",
                "brief": f"makes things of kind {n}",
                "location": f"Country {n % 5}",
                "primary_contact_name": "Some Body",
                "primary_contact_email": "some@body.example",
                "deal_phase": "active",
                "high_level_status": "Key account",
                "account_manager": f"LD_{n:03}",
            }
            for n in range(CUSTOMERS)
        ],
        "projects": [
            {
                "id": f"proj_{n:02}",
                "name": f"Project {n}",
                "description": f"does things of kind {n} for somebody",
                "customer": f"cust_{n % CUSTOMERS:02}",
                "status": "active",
                "team": [
                    {"employee": f"LD_{n + m:03}", "time_slice": 0.25, "role": role}
                    for m, role in enumerate(("Lead", "Engineer", "QA"))
                ],
            }
            for n in range(PROJECTS)
        ],
        "time_entries": [],
        "wiki": {
            f"rules/page_{n:02}.md": "".join(
                f"Rule {n}.{line}: whoever wants a thing asks somebody who may give it.\n"
                for line in range(LINES)
            )
            for n in range(PAGES)
        },
    }


def status(value: str) -> Call:
    return "/projects/status/update", {"id": "proj_01", "status": value, "changed_by": "LD_001"}


PAGE = {"offset": 5, "limit": 5}
FIRST = {"offset": 0, "limit": 5}
STORE = Kind(
    "store",
    {"format": "store-pack/1", "name": "load", "scenarios": [SCENARIO]},
    "pens",
    (
        ("/products/list", {"offset": 5, "limit": 5}),
        ("/basket/view", {}),
        ("/basket/add", {"sku": "pen-3", "quantity": 1}),
        ("/basket/remove", {"sku": "pen-3", "quantity": 1}),
    ),
)
COMPANY = Kind(
    "company",
    {
        "format": "company-pack/1",
        "name": "load",
        "companies": {"load": company()},
        "scenarios": [
            {
                "spec_id": "load",
                "task_text": "Ask for everything.",
                "company": "load",
                "user": "LD_001",
                "today": "2025-05-06",
                "expect": {"outcomes": ["ok_answer"]},
            }
        ],
    },
    "load",
    (
        ("/whoami", {}),
        ("/employees/list", PAGE),
        ("/employees/search", {"query": "family7", **FIRST}),
        ("/employees/search", {"skills": [{"name": "skill_3", "min_level": 4}], **PAGE}),
        ("/employees/get", {"id": "LD_077"}),
        ("/projects/search", {"team": {"employee_id": "LD_009"}, **FIRST}),
        ("/projects/get", {"id": "proj_07"}),
        ("/customers/search", {"query": "kind", "deal_phase": ["active"], **PAGE}),
        ("/wiki/load", {"file": "rules/page_03.md"}),
        ("/wiki/search", {"query_regex": "(?i)rule 17\\.4"}),
    ),
)
WRITES = COMPANY._replace(calls=(status("paused"), status("active")))


class Measured:
    """A simulator in a process of its own and one connection to it."""

    def __init__(self, stack: ExitStack, root: Path, kind: Kind, *options: str) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "pack.json").write_text(json.dumps(kind.pack))
        command = [sys.executable, "-m", "workshop", "--pack", "pack.json", *options]
        environment = os.environ | {"PYTHONPATH": str(root)}
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
        )
        stack.callback(self._process.wait)
        stack.callback(self._process.terminate)
        assert self._process.stdout is not None
        address = self._process.stdout.readline().strip().removeprefix("http://")
        host, port = address.split(":")
        self._socket = stack.enter_context(socket.create_connection((host, int(port))))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked = {"benchmark": kind.benchmark, "spec_id": kind.spec_id}
        task_id = json.loads(self._send("/tasks/start", asked))["task_id"]
        root_path = f"/{kind.benchmark}/{task_id}"
        self._calls = [(f"{root_path}{path}", body) for path, body in kind.calls]
        self.best = (float("inf"), float("inf"))

    def round(self, requests: int) -> None:
        """Send requests; keep the smallest CPU and wall time of a request, in microseconds."""
        cpu, wall = self._cpu(), time.perf_counter()
        for number in range(requests):
            self._send(*self._calls[number % len(self._calls)])
        spent = (self._cpu() - cpu, time.perf_counter() - wall)
        cpu, wall = (seconds / requests * 1e6 for seconds in spent)
        self.best = (min(cpu, self.best[0]), min(wall, self.best[1]))

    def _send(self, path: str, body: dict[str, object]) -> bytes:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n"
            "Accept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n"
            "User-Agent: python-httpx/0.28\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + content)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._socket.recv(65536)
        head_sent, _, answer = data.partition(b"\r\n\r\n")
        length = int(head_sent.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(answer) < length:
            answer += self._socket.recv(65536)
        return answer

    def _cpu(self) -> float:
        """Seconds that the process has used so far, to the nanosecond."""
        # What clock_getcpuclockid(3) answers; Python has no name for it.
        return time.clock_gettime((~self._process.pid << 3) | 2)


def main() -> None:
    parser = argparse.ArgumentParser(description="Cost of a request to the simulator.")
    parser.add_argument("--requests", type=int, default=400, help="requests in a round")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--against", type=Path, help="another checkout, whose store is measured")
    parser.add_argument("--each", action="store_true", help="each call of the company on its own")
    parsed = parser.parse_args()
    with ExitStack() as stack:
        measured = {"store": Measured(stack, PROJECT, STORE)}
        if parsed.each:
            for path, body in (*COMPANY.calls, *WRITES.calls):
                alone = COMPANY._replace(calls=((path, body),))
                measured[f"{path} {', '.join(map(str, body.values()))}"[:60]] = Measured(
                    stack, PROJECT, alone
                )
        else:
            state = ("--state", "state.jsonl")
            measured["store, --state"] = Measured(stack, PROJECT, STORE, *state)
            for name, kind in (("company", COMPANY), ("company, writes", WRITES)):
                measured[name] = Measured(stack, PROJECT, kind)
                measured[f"{name}, --state"] = Measured(stack, PROJECT, kind, *state)
        if parsed.against:
            measured[str(parsed.against)] = Measured(stack, parsed.against.absolute(), STORE)
        for _ in range(parsed.rounds):
            for one in measured.values():
                one.round(parsed.requests)
    for name, one in measured.items():
        print(f"{name:<60}{one.best[0]:6.0f} µs CPU{one.best[1]:8.0f} µs until the answer")
    if not parsed.each:
        for option in ("", ", --state"):
            ratio = measured[f"company{option}"].best[0] / measured[f"store{option}"].best[0]
            print(f"company{option}: {ratio:.2f} times the CPU of the store")


if __name__ == "__main__":
    main()
