"""`python -m workshop.generators.company.bundled`: writes the bundled pack anew."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from workshop.generators.company.records import Firm
from workshop.generators.company.resolve import mistake
from workshop.generators.company.tasks import (
    changing,
    comparing,
    foundry,
    listing,
    reading,
    refusing,
    telling,
)
from workshop.generators.company.tasks.bench import Draft, Task, bench, drawn

FILE = Path(__file__).parents[2] / "simulator" / "company" / "packs" / "bundled.json"
FORMAT = "company-pack/1"
SEED = "bundled-6"
"""One of those by which every trap of the tasks can be set; others raise `LookupError`."""
_OPENED = 4
"""So deep go the objects that have a line for each of their fields: a company's wiki is last."""
COMPANIES: dict[str, tuple[ModuleType, ...]] = {
    "vinterhage": (reading, listing, comparing, telling, changing, refusing),
    "verle": (foundry,),
}
"""Where the tasks of each company are made."""


class TaskError(ValueError):
    """A task that is not what it shall be; the text says which and why."""


def pack(seed: str = SEED) -> dict[str, Any]:
    """The bundled pack, its people drawn by a seed. Raises `TaskError`, `LookupError`."""
    firms = {key: drawn(key, seed) for key in COMPANIES}
    return {
        "format": FORMAT,
        "name": "bundled",
        "companies": {key: firm.as_json() for key, firm in firms.items()},
        "scenarios": [
            _scenario(spec_id, draft, entry, firms[spec_id.partition("-")[0]])
            for spec_id, draft, entry in drafts(seed)
        ],
    }


def pack_text(seed: str = SEED) -> str:
    """The same as the text of a file, a record a line."""
    return _lines(pack(seed), depth=0) + "\n"


def drafts(seed: str) -> Iterator[tuple[str, Draft, dict[str, Any]]]:
    """Of each task its spec id, its draft, and its entry in the file of texts."""
    for key in COMPANIES:
        file = Path(__file__).parent / "tasks" / f"{key}.toml"
        for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            start = bench(key, seed, f"{key}-{name}")
            yield start.spec_id, _task(key, name)(start), entry


def _scenario(spec_id: str, draft: Draft, entry: dict[str, Any], before: Firm) -> dict[str, Any]:
    text = draft.filled(entry["text"])
    unclear = mistake(draft.firm, text, draft.said)
    if unclear:
        raise TaskError(f"{spec_id}: {unclear}")
    return draft.scenario(spec_id, spec_id.partition("-")[0], text, entry["tags"], before)


def _task(key: str, name: str) -> Task:
    for module in COMPANIES[key]:
        found = getattr(module, name.replace("-", "_"), None)
        if found:
            return found  # type: ignore[no-any-return]
    raise TaskError(f"{key}: no function makes {name!r}")


def _lines(value: Any, depth: int) -> str:
    """JSON with a line for each record, so that a change of the file can be read."""
    if depth < _OPENED and isinstance(value, dict):
        parts = (f"{_json(key)}: {_lines(one, depth + 1)}" for key, one in value.items())
        return "{\n" + ",\n".join(parts) + "\n}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_json, value)) + "\n]"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write the file."""
    FILE.write_text(pack_text(), encoding="utf-8")
    print(FILE)


if __name__ == "__main__":
    main()
