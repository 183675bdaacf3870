"""Measures the adapters: Inspect's tasks a second, OpenEnv's milliseconds, `compare` on two logs.

python -m workshop.perf.environments
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from workshop.environments.drawn import draw_pack, open_world
from workshop.generators.store.scenario import Options, make_scenario

TASKS, SAMPLES, EPISODES, SEED = 100, 500, 50, "0"


def plays() -> dict[str, list[tuple[str, dict[str, object]]]]:
    """By task the right calls."""
    found = {}
    for number in range(TASKS):
        shop = make_scenario(SEED, number, Options())
        calls: list[tuple[str, dict[str, object]]] = [("list_products", {})]
        for event in (shop["expect"].get("any_of") or [])[:1]:
            calls += [
                ("add_product_to_basket", {"sku": i["sku"], "quantity": i["quantity"]})
                for i in event["items"]
            ]
            if event.get("coupon"):
                calls.append(("apply_coupon", {"coupon": event["coupon"]}))
            calls.append(("checkout_basket", {}))
        found[shop["task_text"]] = calls
    return found


def inspect_tasks(folder: Path) -> None:
    import inspect_ai
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    calls_of = plays()

    def answer(messages, *_):  # type: ignore[no-untyped-def]
        calls = calls_of[next(one.text for one in messages if one.role == "user")]
        done = sum(one.role == "tool" for one in messages)
        more = done < len(calls)
        output = (
            ModelOutput.for_tool_call("mockllm", *calls[done])
            if more
            else ModelOutput.from_content("mockllm", "done")
        )
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    settings = {"model": model, "display": "none", "log_dir": str(folder)}
    inspect_ai.eval("erc3/store", limit=1, **settings)  # it loads much with the first task
    began, spent = time.perf_counter(), time.process_time()
    (log,) = inspect_ai.eval("erc3/store", limit=TASKS, **settings)
    seconds, cpu = time.perf_counter() - began, time.process_time() - spent
    mean = log.results.scores[0].metrics["mean"].value
    print(f"Inspect: {TASKS} tasks, mean score {mean}, {TASKS / seconds:.1f} tasks/s, "
          f"{TASKS / cpu:.1f} per second of CPU")  # fmt: skip


def compare_logs(folder: Path) -> None:
    from inspect_ai import log as logs
    from inspect_ai.scorer import Score

    paths = [folder / "a.eval", folder / "b.eval"]
    for path in paths:
        samples = [
            logs.EvalSample(id=n, epoch=1, input="?", target="!", scores={"s": Score(value=n % 2)})
            for n in range(SAMPLES)
        ]
        spec = logs.EvalSpec(created="2026-01-01T00:00:00+00:00", task="t", model="m",
                             dataset=logs.EvalDataset(), config=logs.EvalConfig())  # fmt: skip
        logs.write_eval_log(logs.EvalLog(status="success", eval=spec, samples=samples), str(path))
    command = [sys.executable, "submission.py", "compare", *map(str, paths)]
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        seconds = timed(lambda: subprocess.run(command, check=True, capture_output=True))
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        times.append((seconds, spent))
    best, spent = min(times)
    print(f"compare: two logs of {SAMPLES} samples, {best:.2f} s, {spent:.2f} s of CPU, best of 5")


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def openenv_steps() -> None:
    from openenv.core.generic_client import GenericEnvClient

    words = [sys.executable, "submission.py", "openenv", "--port", "0", "--seed", SEED]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        extra: dict[str, list[float]] = {"reset": [], "step": []}
        with GenericEnvClient(base_url=address).sync() as env:
            for number in range(EPISODES):
                draw_pack.cache_clear()
                own = timed(lambda n=number: open_world("store", SEED, n))  # type: ignore[misc]
                world = open_world("store", SEED, number)
                extra["reset"].append(timed(lambda n=number: env.reset(seed=n)) - own)  # type: ignore[misc]
                own = timed(lambda w=world: w.call("/products/list", {}))  # type: ignore[misc]
                extra["step"].append(timed(lambda: env.step({"tool": "list_products"})) - own)
        running.terminate()
    for name, times in extra.items():
        middle, least = 1000 * statistics.median(times), 1000 * min(times)
        print(f"OpenEnv: a {name} takes {middle:.2f} ms more (median; least {least:.2f})")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        inspect_tasks(Path(name))
        compare_logs(Path(name))
    openenv_steps()
