"""What one request costs the simulator: CPU time of its process, and the time until the answer.

Run with `python benchmarks/simulator_request.py`. A listing, a view, an add and a remove are sent
in turn over one bare connection, so that no client library is measured; the figures are the
best round, without a state file and with one, the two taking turns. Linux only.
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
from contextlib import ExitStack
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "benchmarks"))

from simulator_load import SCENARIO  # noqa: E402 - found only now

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("/products/list", {"offset": 5, "limit": 5}),
    ("/basket/view", {}),
    ("/basket/add", {"sku": "pen-3", "quantity": 1}),
    ("/basket/remove", {"sku": "pen-3", "quantity": 1}),
)


class Measured:
    """A simulator in a process of its own and one connection to it."""

    def __init__(self, stack: ExitStack, root: Path, *options: str) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        content = {"format": "store-pack/1", "name": "load", "scenarios": [SCENARIO]}
        (folder / "pack.json").write_text(json.dumps(content))
        command = [sys.executable, "-m", "simulator", "--pack", "pack.json", *options]
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
        started = self._send("/tasks/start", {"benchmark": "store", "spec_id": "pens"})
        task_id = json.loads(started)["task_id"]
        self._calls = [(f"/store/{task_id}{path}", body) for path, body in CALLS]
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
    parser.add_argument("--against", type=Path, help="another checkout, measured beside this one")
    parsed = parser.parse_args()
    with ExitStack() as stack:
        measured = {
            "without state": Measured(stack, PROJECT),
            "with --state": Measured(stack, PROJECT, "--state", "state.jsonl"),
        }
        if parsed.against:
            measured[str(parsed.against)] = Measured(stack, parsed.against.absolute())
        for _ in range(parsed.rounds):
            for one in measured.values():
                one.round(parsed.requests)
    for name, one in measured.items():
        print(f"{name:<20}{one.best[0]:6.0f} µs CPU{one.best[1]:8.0f} µs until the answer")


if __name__ == "__main__":
    main()
