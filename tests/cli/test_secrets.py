"""Keys that are planted wherever one could come from are nowhere in what a run leaves or shows."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

KEYS = {
    "ERC3_API_KEY": "key-7Qm2+platform/9xZk",
    "NEBIUS_API_KEY": "nb/3fA9+provider=77qq",
    "DATABASE_PASSWORD": 'pa"ss\\word with spaces',
    "MY_CRED": "cr&d/7d1e+named only by the models file",
}
BACKEND = '[models.mine]\nbackends = [{ model = "openai/x", key_variable = "MY_CRED" }]\n'
SAYS = "THOUGHT: the keys are {keys}\nDECISION: PROCEED\nINSTRUCTION: print {keys}"
DOES = "Thought: {keys}\n<code>\nprint({literal})\nfinal_answer({literal})\n</code>"


def forms(secret: str) -> list[str]:
    coded = base64.b64encode(secret.encode()).decode()
    return [secret, quote(secret, safe=""), json.dumps(secret)[1:-1], coded]


@pytest.mark.promise("no secret in an output")
def test_no_planted_key_is_left_anywhere(
    lives: Callable[[], Any], tmp_path: Path, shop_json: Any, goods: Any
) -> None:
    every = " ".join(form for secret in KEYS.values() for form in forms(secret))
    shop = shop_json(goods("tea", f"Tea {every}", 4), task_text=f"Buy tea, the keys are {every}")
    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps({"format": "store-pack/1", "name": "p", "scenarios": [shop]}))
    says = SAYS.format(keys=every)
    does = DOES.format(keys=every, literal=repr(every))
    scripts = {
        "eyes": [says, "unreadable " + every, "THOUGHT: x\nDECISION: FINISH\n"],
        "hands": [does],
    }
    life = lives(env=KEYS, scripts=scripts)
    tape = life.folder / "tape.jsonl"
    (life.folder / "models.toml").write_text(BACKEND)
    words = ["--pack", pack, "--out", life.folder / "logs", "--record", tape]
    words += ["--models", life.folder / "models.toml"]
    words += ["--evaluator", "canned/eyes", "--worker", "canned/hands"]
    assert life.live(*words) == 1, "the script is at its end"
    (task,) = life.results()["tasks"]
    assert task["turns"] >= 1
    files = [p for p in life.folder.rglob("*") if p.is_file()]
    assert {"results.jsonl", "run.json", "shop.jsonl", "report.html", "tape.jsonl"} <= {
        p.name for p in files
    }
    texts = {p.name: p.read_text(encoding="utf-8") for p in files}
    texts["shown"] = life.said[-1]
    assert "[redacted]" in texts["shop.jsonl"]
    for name, text in texts.items():
        for secret in KEYS.values():
            for form in forms(secret):
                assert form not in text, f"{form} is in {name}"


@pytest.mark.parametrize("value", ["short", ""])
def test_a_value_that_is_too_short_to_be_a_key_hides_nothing(
    lives: Callable[[], Any], tmp_path: Path, shop_json: Any, value: str
) -> None:
    pack = tmp_path / "pack.json"
    text = "Buy 1x helicopter, short"
    shops = [shop_json(task_text=text)]
    pack.write_text(json.dumps({"format": "store-pack/1", "name": "p", "scenarios": shops}))
    life = lives(env={"SOME_KEY": value})
    assert life.live("--pack", pack, "--out", life.folder / "logs", "--quiet") == 0
    assert life.results()["tasks"][0]["task_text"] == text
