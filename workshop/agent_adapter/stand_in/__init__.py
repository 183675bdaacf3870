"""What scripts for the official SDK find as `erc3` under `python -m workshop.agent_adapter`.

The folder of this file goes on the script's module path, so that its package `erc3` is found
before an installed one, in the script's child processes, too.
"""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
ROOT: Final = FOLDER.parents[2]
"""Where the packages of this project lie."""
PLATFORM: Final = "ERC3_COMPAT_BASE_URL"
"""Names the platform to the script's processes, out of reach of a `.env` that they load."""
