"""How many requests a second the simulator answers, with one task alive and with thousands.

Run with `python workshop/perf/simulator_load.py`. The server runs in a process of its own; the
figures are medians over several rounds, the two situations taking turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

from core.erc3_client.own import ERC3, store  # noqa: E402 - found only now

SCENARIO = {
    "spec_id": "pens",
    "task_text": "Buy pens",
    "page_limit": 5,
    "products": [
        {"sku": f"pen-{number}", "name": f"Pen {number}", "price": number, "available": 9}
        for number in range(20)
    ],
    "coupons": [],
    "expect": {"checkouts": 0},
}


@contextmanager
def simulator() -> Iterator[str]:
    """A simulator in a process of its own; yields its base URL."""
    with tempfile.TemporaryDirectory() as folder:
        pack = Path(folder) / "pack.json"
        content = {"format": "store-pack/1", "name": "load", "scenarios": [SCENARIO]}
        pack.write_text(json.dumps(content))
        command = [sys.executable, "-m", "workshop", "--pack", str(pack)]
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


def requests_per_second(shops: list[store.StoreClient], requests: int) -> float:
    """Send listings and basket views, one after the other, to the shops in turn."""
    page, view = store.Req_ListProducts(offset=5, limit=5), store.Req_ViewBasket()
    start = time.perf_counter()
    for number, shop in enumerate(islice(cycle(shops), requests)):
        if number % 2:
            shop.dispatch(page)
        else:
            shop.dispatch(view)
    return requests / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description="Requests per second of the simulator.")
    parser.add_argument("--tasks", type=int, default=2000, help="tasks alive at once")
    parser.add_argument("--requests", type=int, default=1000, help="requests in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parsed = parser.parse_args()
    with (
        simulator() as alone,
        simulator() as crowded,
        ERC3(base_url=alone) as few,
        ERC3(base_url=crowded) as many,
    ):
        one = [few.get_store_client(few.start_new_task("store", "pens"))]
        all_of_them = [
            many.get_store_client(many.start_new_task("store", "pens")) for _ in range(parsed.tasks)
        ]
        rounds = [
            (
                requests_per_second(one, parsed.requests),
                requests_per_second(all_of_them, parsed.requests),
            )
            for _ in range(parsed.rounds)
        ]
    single, crowd = (median(rates) for rates in zip(*rounds, strict=True))
    print(f"{'1 task alive':<20}{single:8.0f} requests/s")
    print(f"{f'{parsed.tasks} tasks alive':<20}{crowd:8.0f} requests/s")
    print(f"{'ratio':<20}{crowd / single:8.2f}")


if __name__ == "__main__":
    main()
