"""Who keeps to a schema is read from LiteLLM's map, without LiteLLM."""

from __future__ import annotations

import subprocess
import sys

import pytest

from models.structured import response_format, supports_schema


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openai/gpt-4o", True),
        ("gpt-4o-mini", True),
        ("playbook/next-step", False),
        ("scripted/x", False),
        ("openai/my-own-model", False),
        ("nowhere/gpt-4o", False),
    ],
)
def test_only_an_id_that_the_map_knows_takes_a_schema(model: str, known: bool) -> None:
    assert supports_schema(model) is known


def test_asking_imports_no_litellm() -> None:
    code = "import sys; from models.structured import supports_schema as s; s('gpt-4o'); "
    code += "print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_parameter_is_the_one_that_providers_take() -> None:
    made = response_format("Step", {"type": "object"})
    assert made["type"] == "json_schema"
    assert made["json_schema"] == {"name": "Step", "schema": {"type": "object"}, "strict": False}
