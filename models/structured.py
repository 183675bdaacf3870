"""Which models keep to a JSON schema that is sent along: what LiteLLM's bundled map tells."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from models.litellm_module import is_keyless
from models.prices import map_entry


@lru_cache(maxsize=256)
def supports_schema(model: str) -> bool:
    """Whether an id takes ``response_format`` with a schema; False where it is not known.

    Only what the map says of this very id counts: another provider of the same model may not.
    """
    entry = None if is_keyless(model) else map_entry(model)
    return bool(entry and entry.get("supports_response_schema"))


def response_format(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The parameter by which a model is held to a schema.

    It is not sent as strict: strict schemas know no optional arguments and no open objects.
    """
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": schema, "strict": False},
    }
