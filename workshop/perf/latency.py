"""A pack over a line on which every request takes time, as on the real platform.

    python workshop/perf/latency.py [--benchmark store|erc3-dev] [--pack FILE] [--ms 80] [--jobs 1]
    python workshop/perf/latency.py --listing 154

A relay on loopback holds back whatever the agent sends by so many milliseconds; behind it stands
the embedded platform in a process of its own. Prints the wall time of the whole run, its requests,
and the task that needs most of them. With ``--listing`` a company of so many people is listed
instead: each kind of record by itself, then all side by side.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "submission.py"]
KINDS = ("employees", "projects", "customers")
sys.path.insert(0, str(ROOT))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Pass on what comes, each piece so much later; pieces that come together stay together."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        data = b"begin"
        while data:
            try:
                data = await reader.read(65536)
            except ConnectionError:
                data = b""
            pieces.put_nowait((loop.time() + delay, data))

    reading = asyncio.create_task(read())
    try:
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                break
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        reading.cancel()
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


@contextmanager
def platform(pack: Path | None, ms: float) -> Iterator[dict[str, str]]:
    """The embedded platform behind the relay: the environment in which the agent meets it."""
    chosen = ["--pack", str(pack)] if pack else []
    process = subprocess.Popen(
        [*COMMAND, "serve", *chosen], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = None
        while found is None:
            line = process.stdout.readline()
            if not line:
                raise SystemExit("the embedded platform did not start")
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        address = f"http://127.0.0.1:{relay(int(found[1]), ms / 1000)}"
        yield {"ERC3_BASE_URL": address, "ERC3_API_KEY": "key-latency"}
    finally:
        process.terminate()
        process.wait()


def play(options: argparse.Namespace) -> None:
    """Play a pack and tell what it took."""
    with platform(options.pack, options.ms) as where, tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        done = subprocess.run(
            [*COMMAND, "--benchmark", options.benchmark, "--real", "--rule-based", "--yes",
             "--quiet", "--json", "--jobs", options.jobs, "--out", out],
            cwd=ROOT, env={**os.environ, **where}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds = time.perf_counter() - began
    if not done.stdout.strip():
        raise SystemExit(done.stderr)
    results = json.loads(done.stdout)
    most = max(results["tasks"], key=lambda t: int(t["requests"]))
    totals = results["totals"]
    print(
        f"{totals['tasks']} tasks at {options.ms:g} ms: {seconds:.1f} s, {totals['requests']} "
        f"requests, most in {most['spec_id']}: {most['requests']}; score {totals['score_mean']}"
    )


def list_company(people: int, ms: float) -> None:
    """List a company over the slow line and tell what it took."""
    from company_tools import listings
    from company_tools.company_session import CompanySession
    from core.erc3_client.own.core import ERC3
    from core.ledger import Ledger

    drawn = ["--seed", "latency", "--count", "1", "--people", str(people), "--jobs", "1"]
    generate = [sys.executable, "-m", "workshop", "generate", "--benchmark", "company", *drawn]
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        with pack.open("wb") as out:
            subprocess.run(generate, cwd=ROOT, stdout=out, check=True)
        spec = json.loads(pack.read_text())["scenarios"][0]["spec_id"]
        with platform(pack, ms) as where:
            client = ERC3(key=where["ERC3_API_KEY"], base_url=where["ERC3_BASE_URL"])

            def timed(*kinds: str) -> tuple[float, int]:
                task = client.start_new_task("erc3-dev", spec)
                session, ledger = CompanySession(client.get_erc_client(task)), Ledger()
                session.look_again()
                with session.recording_to(ledger):
                    began = time.perf_counter()
                    listings.ahead(session, *kinds)
                    for kind in kinds:
                        getattr(listings, kind)(session)
                    return time.perf_counter() - began, ledger.requests

            for kinds in (*((kind,) for kind in KINDS), KINDS):
                seconds, pages = timed(*kinds)
                print(
                    f"{' and '.join(kinds)}: {pages} pages in {seconds:.2f} s, "
                    f"{seconds / (pages * ms / 1000):.2f} of one after the other"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--benchmark", default="store", help="store, erc3-dev, erc3-test, erc3-prod"
    )
    parser.add_argument("--pack", type=Path)
    parser.add_argument("--ms", type=float, default=80)
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--listing", type=int, metavar="PEOPLE")
    options = parser.parse_args()
    if options.listing:
        list_company(options.listing, options.ms)
    else:
        play(options)


if __name__ == "__main__":
    main()
