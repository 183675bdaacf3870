"""The platform of a run: the real one, or one embedded for this run alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erc3_compat import connections
from erc3_compat.patience import Patience
from erc3_compat.patient import PatientPlatform
from launch.errors import CannotRun
from launch.options import Options
from simulator.pack import Pack, PackError, load_pack

BUNDLED_PACK = Path(__file__).parents[1] / "simulator" / "packs" / "store-bundled.json"
REAL_URL = "https://erc.timetoact-group.at"
EMBEDDED_KEY = "key-embedded"


PACK_COPY = "pack.json"
STATE = "platform.jsonl"


@dataclass(frozen=True)
class Place:
    """Where an embedded platform keeps its sessions."""

    folder: Path
    keep: bool
    """False: in memory alone."""
    patience: Patience | None = None
    """How long the platform is waited for."""


@contextmanager
def platform_of(options: Options, pack: Pack | None, place: Place) -> Iterator[Any]:
    """The platform's client: the real one where there is no pack, else one that serves it.

    Raises:
        CannotRun: the key or the client is missing, or what the platform kept cannot be used.
    """
    if pack is None:
        yield PatientPlatform(_real_platform(), place.patience)
        return
    from simulator.server import serve
    from simulator.state import StateError

    client = _client()
    state = place.folder / STATE if place.keep else None
    try:
        simulator = serve(pack, state=state)
    except StateError as error:
        raise CannotRun(f"the embedded platform cannot go on: {error}") from None
    with simulator:
        inner = client(key=EMBEDDED_KEY, base_url=simulator.base_url, session=connections())
        yield PatientPlatform(inner, place.patience)


def pack_of(options: Options, past: Any) -> Pack | None:
    """The pack that was named, else the bundled one; None for the real platform.

    A fork takes the bundled pack only where that is the pack of the run to fork.

    Raises:
        CannotRun: the pack cannot be used.
    """
    if options.real:
        return None
    try:
        pack = load_pack(options.pack or BUNDLED_PACK)
    except (PackError, OSError) as error:
        raise CannotRun(f"the pack cannot be used: {error}") from None
    if past and options.pack is None and pack.name != past.pack:
        made = f"was made with the pack {past.pack!r}" if past.pack else "names no pack"
        raise CannotRun(f"cannot fork: the run {made}; give the file of its shops with --pack")
    return pack


def _client() -> Any:
    try:
        from erc3_compat import ERC3
    except (ImportError, ValueError) as error:
        raise CannotRun(f"the platform's client cannot be used: {error}") from None
    return ERC3


def _real_platform() -> Any:
    key = os.environ.get("ERC3_API_KEY", "")
    if not key:
        raise CannotRun("--real needs ERC3_API_KEY, in the environment or in .env")
    url = os.environ.get("ERC3_BASE_URL") or REAL_URL
    try:
        return _client()(key=key, base_url=url, session=connections())
    except ValueError as error:
        raise CannotRun(f"the platform's client cannot be used: {error}") from None
