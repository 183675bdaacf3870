"""What the door adds to a call: through it against the same bare ``litellm.completion``.

    python workshop/perf/door_overhead.py [--calls N]

Both ask a server on loopback that answers at once, in a process of its own, and take turns. Prints
the medians, their ratio and the median difference of the pairs, which may be 1 ms; exit code 1
above it. The last
line is our own providers through the door, which do without LiteLLM.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from core.models.litellm_module import load  # noqa: E402
from core.models.model_call import KeptCalls, ModelCall  # noqa: E402
from core.models.model_client import ModelClient  # noqa: E402
from core.models.models_file import Models, ModelsFile  # noqa: E402
from tests.scripted import play  # noqa: E402

AT_MOST_MS = 1.0
WARM_UP = 20
MESSAGES = [
    {"role": "system", "content": "You decide what the worker does next. " * 60},
    {"role": "user", "content": "<task>\nBuy 2x Green Tea\n</task>\n" + "<turn>...</turn>\n" * 60},
]
PARAMS: dict[str, Any] = {"temperature": 0.0, "max_tokens": 6000}


ANSWER = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "at-once",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "THOUGHT: t\nDECISION: FINISH"},
            }
        ],
        "usage": {"prompt_tokens": 700, "completion_tokens": 9, "total_tokens": 709},
    }
).encode()


class AtOnce(BaseHTTPRequestHandler):
    """Answers every request with the same answer, in one packet."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}"
        self.wfile.write(head.encode() + b"\r\n\r\n" + ANSWER)

    def log_message(self, *_: Any) -> None: ...


def serve(port: Any) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), AtOnce)
    port.send(server.server_port)
    server.serve_forever()


@contextmanager
def server() -> Iterator[str]:
    """Its base URL."""
    mine, its = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(its,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{mine.recv()}/v1"
    finally:
        process.kill()


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    with server() as url:
        return compare(url, options.calls)


def compare(url: str, calls: int) -> int:
    litellm = load()
    models = Models(ModelsFile.model_validate({"defaults": PARAMS}))
    noted: list[ModelCall] = []
    door = ModelClient("openai/at-once", "evaluator", KeptCalls(noted), base_url=url, models=models)
    ours = ModelClient(play("bench", ["x"] * (calls + WARM_UP)), "evaluator", models=models)

    def bare() -> None:
        litellm.completion(
            model="openai/at-once", messages=MESSAGES, api_base=url, timeout=120,
            max_retries=0, drop_params=True, **PARAMS,
        )  # fmt: skip

    times: dict[str, list[float]] = {"bare": [], "door": [], "ours": []}
    for number in range(calls + WARM_UP):
        pair = [("bare", bare), ("door", lambda: door.complete(MESSAGES))]
        for name, action in pair if number % 2 else pair[::-1]:
            times[name].append(seconds(action))
        times["ours"].append(seconds(lambda: ours.complete(MESSAGES)))
    assert all(c.text and c.usage.prompt == 700 for c in noted), "the door lost something"
    middle = {k: statistics.median(v[WARM_UP:]) * 1000 for k, v in times.items()}
    # Of the pairs: neighbours on the machine slow down both of one.
    pairs = list(zip(times["door"], times["bare"], strict=True))[WARM_UP:]
    added = statistics.median(one - other for one, other in pairs) * 1000
    print(f"{calls} calls each, medians in ms")
    print(f"bare litellm.completion {middle['bare']:.3f}, through the door {middle['door']:.3f}")
    print(f"the door adds {added:.3f} ms, ratio {middle['door'] / middle['bare']:.2f}")
    print(f"our own provider through the door {middle['ours']:.3f}")
    return 0 if added <= AT_MOST_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
