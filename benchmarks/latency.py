"""A pack over a line on which every request takes time, as on the real platform.

    python benchmarks/latency.py [--benchmark store|erc3-dev] [--pack FILE] [--ms 80] [--jobs 1]

A relay on loopback holds back whatever the agent sends by so many milliseconds; behind it stands
the embedded platform in a process of its own. Prints the wall time of the whole run, its requests,
and the task that needs most of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    try:
        while data := await reader.read(65536):
            if delay:
                await asyncio.sleep(delay)
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def relay(port: int, delay: float) -> int:
    """Its own port; from there to the other everything waits ``delay`` seconds, nothing back."""
    ready = threading.Event()
    ports: list[int] = []

    async def serve() -> None:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            inner, outer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pump(reader, outer, delay), _pump(inner, writer, 0.0))

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        async with server:
            await server.serve_forever()

    threading.Thread(target=asyncio.run, args=(serve(),), daemon=True).start()
    ready.wait()
    return ports[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--benchmark", default="store", help="store, erc3-dev, erc3-test, erc3-prod"
    )
    parser.add_argument("--pack", type=Path)
    parser.add_argument("--ms", type=float, default=80)
    parser.add_argument("--jobs", default="1")
    options = parser.parse_args()
    command = [sys.executable, "submission.py"]
    pack = ["--pack", str(options.pack)] if options.pack else []
    platform = subprocess.Popen(
        [*command, "serve", *pack], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert platform.stdout is not None
        found = None
        while found is None:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", platform.stdout.readline())
        address = f"http://127.0.0.1:{relay(int(found[1]), options.ms / 1000)}"
        env = {**os.environ, "ERC3_BASE_URL": address, "ERC3_API_KEY": "key-latency"}
        with tempfile.TemporaryDirectory() as out:
            began = time.perf_counter()
            done = subprocess.run(
                [*command, "--benchmark", options.benchmark, "--real", "--yes", "--quiet",
                 "--json", "--jobs", options.jobs, "--out", out],
                cwd=ROOT, env=env, capture_output=True, text=True, check=False,
            )  # fmt: skip
            seconds = time.perf_counter() - began
    finally:
        platform.terminate()
        platform.wait()
    if not done.stdout.strip():
        raise SystemExit(done.stderr)
    results = json.loads(done.stdout)
    most = max(results["tasks"], key=lambda t: int(t["requests"]))
    totals = results["totals"]
    print(
        f"{totals['tasks']} tasks at {options.ms:g} ms: {seconds:.1f} s, {totals['requests']} "
        f"requests, most in {most['spec_id']}: {most['requests']}; score {totals['score_mean']}"
    )


if __name__ == "__main__":
    main()
