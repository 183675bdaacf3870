"""What agents report of their model calls is kept with the task, whatever the SDK's version."""

from __future__ import annotations

from typing import Any

import pytest

from workshop.simulator.telemetry import LogInference, ModelReport

NAMES = {
    "prompt_tokens_details": "prompt_tokens_details.cached_tokens",
    "input_tokens_details": "input_tokens_details.cached_tokens",
    "completion_tokens_details": "completion_tokens_details.reasoning_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_creation": "cache_creation_input_tokens",
}


def used(prompt: str, completion: str, **more: int) -> dict[str, Any]:
    """What SDK 1.1 reports: 9 tokens in, 5 out."""
    return {"usage": {prompt: 9, completion: 5, **{NAMES[name]: n for name, n in more.items()}}}


@pytest.mark.parametrize(
    ("sent", "tokens"),
    [
        ({"completion": "x", "prompt_tokens": 9, "completion_tokens": 2}, (9, 2, None, None)),
        ({"completion": "x", "prompt_tokens": 9, "cached_prompt_tokens": 4}, (9, None, 4, None)),
        ({"completion": ""}, (None, None, None, None)),
        ({"usage": {}}, (None, None, None, None)),
        (used("prompt_tokens", "completion_tokens", prompt_tokens_details=4), (9, 5, 4, None)),
        (used("prompt_tokens", "completion_tokens", completion_tokens_details=3), (9, 5, None, 3)),
        (used("input_tokens", "output_tokens", input_tokens_details=4), (9, 5, 4, None)),
        (used("input_tokens", "output_tokens", cache_read=4, cache_creation=2), (15, 5, 4, None)),
    ],
)
def test_tokens_are_read_out_of_every_shape(
    sent: dict[str, Any], tokens: tuple[int | None, ...]
) -> None:
    shared = {"task_id": "t", "model": "m", "duration_sec": 0.5}
    assert LogInference.model_validate(shared | sent).report() == ModelReport("m", 0.5, *tokens)


def test_a_report_needs_one_of_both_shapes() -> None:
    with pytest.raises(ValueError, match="either usage or completion"):
        LogInference(task_id="t", model="m", duration_sec=0.5)
