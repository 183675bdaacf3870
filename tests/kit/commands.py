"""Commands typed in this process, in a clean environment, and packs to type them with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from cli.cli import app

NEEDS_CODE: dict[str, Any] = {
    "coupons": [{"code": "ONE", "discount": {"amount": 1}}],
    "expect": {
        "checkouts": 1,
        "any_of": [{"items": [{"sku": "tea", "quantity": 2}], "coupon": "ONE", "discount": 1}],
    },
}
"""Fields of a shop in which a worker has to try a code before two teas are bought."""
BUY_TEA = {"checkouts": 1, "any_of": [{"items": [{"sku": "tea", "quantity": 2}]}]}
"""What the usual task of a test's shop wants."""
CLEAN = dict.fromkeys(
    (
        "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT", "EVALUATOR_MODEL", "WORKER_MODEL",
        "MODELS_FILE", "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "OPENAI_API_KEY",
        "NEBIUS_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY",
    ),
    "",
)  # fmt: skip


def write_pack(path: Path, *shops: Any) -> Path:
    """Write a pack of these shops."""
    body = {"format": "store-pack/1", "name": path.stem, "scenarios": shops}
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


def type_words(*words: object, typed: str = "", **env: str) -> Result:
    """Type a command; ``typed``: what is typed while it runs. It never ends in a traceback."""
    line = [str(word) for word in words]
    done = CliRunner().invoke(app, line, input=typed, env=CLEAN | env)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    return done
