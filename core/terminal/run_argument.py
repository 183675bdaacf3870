"""How commands take a run: as an argument, and where its name is looked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAMED = "A run folder, `latest` (`latest~1` is the one before), or how its name begins."
Run = Annotated[str, typer.Argument(help=NAMED)]
Logs = Annotated[Path, typer.Option(help="Where run folders are looked for.")]
LOGS = Path("logs")
