"""Ways in which a file is damaged: cut, bytes turned over, lines lost, values of other types."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

DEEP = 200_000
ODD: tuple[Any, ...] = (
    None, True, -1, 10**400, 0.5, float("nan"), "", "odd", "\ud800", [], [[]], {}, {"a": {}},
    [{"b": [1]}], 1e300, float("inf"), -1_000_000, "2026-13-45", ["x", 1],
)  # fmt: skip


def damage(path: Path, dice: Random) -> str:
    """Damage one file; what was done, for a message."""
    kind = dice.choice(("cut", "bytes", "lines", "deep", "types", "types", "types", "types"))
    data = path.read_bytes()
    if kind == "cut":
        data = data[: dice.randrange(len(data) + 1)]
    elif kind == "bytes":
        turned = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            if turned:
                turned[dice.randrange(len(turned))] = dice.randrange(256)
        data = bytes(turned)
    elif kind == "deep":
        data = _deep(data, dice)
    else:
        lines = data.split(b"\n")
        at = dice.randrange(len(lines))
        if kind == "types":
            lines[at], kind = _other_types(lines[at] if len(lines) > 2 else data, dice)
            lines = (
                lines
                if len(data.split(b"\n")) > 2 and path.suffix == ".jsonl"
                else lines[at : at + 1]
            )
        else:
            lines[at : at + 1] = dice.choice(([], [lines[at]] * 2, [dice.choice(lines)]))
        data = b"\n".join(lines)
    path.write_bytes(data)
    return f"{path.name}: {kind}"


def _deep(data: bytes, dice: Random) -> bytes:
    mark = dice.choice((b"[", b'{"a":'))
    place = dice.choice((0, data.find(b":") + 1, len(data)))
    return data[:place] + mark * DEEP + data[place:]


def _other_types(line: bytes, dice: Random) -> tuple[bytes, str]:
    """One or two values anywhere in a JSON text become something else."""
    try:
        value = json.loads(line)
    except ValueError:
        return line[::-1], "turned round"
    told = []
    for _ in range(dice.randint(1, 2)):
        place, names = value, []
        while isinstance(place, dict | list) and place:
            name: Any = dice.choice(list(place) if isinstance(place, dict) else range(len(place)))
            names.append(str(name))
            if isinstance(place[name], dict | list) and place[name] and dice.random() < 0.7:
                place = place[name]
                continue
            if isinstance(place, dict) and dice.random() < 0.2:
                del place[name]
                told.append(f"without {'.'.join(names)}")
            else:
                place[name] = dice.choice(ODD)
                told.append(f"{'.'.join(names)} = {str(place[name])[:20]!r}")
            break
    return json.dumps(value).encode(), ", ".join(told)
