"""The package `erc3` that an agent imports instead of the official SDK.

It runs in the agent's own environment: with any Python from 3.10 on, pydantic and the standard
library. So the package is assembled in its own folder, from the modules beside this file
and our client's wire models, which import nothing else of this project. The folder is on the
agent's module path, so its child processes find it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PLATFORM: Final = "ERC3_COMPAT_BASE_URL"
"""Gives the simulator's address to the replacement; a `.env` of the agent cannot change it."""
KEY: Final = "ERC3_COMPAT_API_KEY"
"""The account key, in the same way."""
OWN: Final = "core.erc3_client.own"
ROOT: Final = Path(__file__).parents[3]
VERSION: Final = "1.2.0"
"""Of the SDK whose names the package has."""
SHARED: Final = (
    *(f"{OWN}.{name}" for name in ("base", "core", "demo", "store", "company")),
    *(f"{OWN}.company_{name}" for name in ("models", "shapes")),
    "core.erc3_client.bounds",
    "core.http.waits",
)
"""The modules of our client that the package takes along, as `erc3.wire`."""
NAMES: Final = {
    f"{OWN}.connections": "erc3.transport",
    OWN: "erc3.wire",
    "core.erc3_client.bounds": "erc3.wire.bounds",
    "core.http.waits": "erc3.wire.waits",
    # Agents make pages of their own without it; our own client takes none for the last page.
    "    next_offset: int\n": "    next_offset: int = -1\n",
}
"""Replacements of names in the copied modules, in this order."""


@contextmanager
def stand_in() -> Iterator[Path]:
    """A folder that holds the package `erc3` and nothing else; it is gone afterwards."""
    here = Path(__file__).parent / "erc3"
    paths = {path: path.relative_to(here) for path in here.rglob("*.py")}
    for name in SHARED:
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        paths[path] = Path("wire", path.name)
    with TemporaryDirectory(prefix="erc3-stand-in-") as folder:
        for path, place in paths.items():
            text = path.read_text(encoding="utf-8")
            for name, there in NAMES.items():
                text = text.replace(name, there)
            target = Path(folder, "erc3", place)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        # For agents that ask which version is installed.
        about = Path(folder, f"erc3-{VERSION}.dist-info", "METADATA")
        about.parent.mkdir()
        about.write_text(f"Metadata-Version: 2.1\nName: erc3\nVersion: {VERSION}\n")
        yield Path(folder)
