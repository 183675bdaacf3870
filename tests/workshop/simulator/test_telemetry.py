"""What agents report of their model calls is kept with the task, whatever the SDK's version."""

from __future__ import annotations

from typing import Any

import pytest

from workshop.simulator.telemetry import LogInference, ModelReport


@pytest.mark.parametrize(
    ("sent", "tokens"),
    [
        ({"completion": "x", "prompt_tokens": 9, "completion_tokens": 2}, (9, 2, None, None)),
        ({"completion": "x", "prompt_tokens": 9, "cached_prompt_tokens": 4}, (9, None, 4, None)),
        ({"completion": ""}, (None, None, None, None)),
        ({"usage": {}}, (None, None, None, None)),
        (
            {
                "usage": {
                    "prompt_tokens": 9,
                    "completion_tokens": 5,
                    "prompt_tokens_details.cached_tokens": 4,
                    "completion_tokens_details.reasoning_tokens": 3,
                }
            },
            (9, 5, 4, 3),
        ),
        (
            {
                "usage": {
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "cache_read_input_tokens": 4,
                    "cache_creation_input_tokens": 2,
                }
            },
            (15, 5, 4, None),
        ),
        (
            {
                "usage": {
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "input_tokens_details.cached_tokens": 4,
                }
            },
            (9, 5, 4, None),
        ),
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
