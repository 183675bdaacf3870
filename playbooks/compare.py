"""The door to the compareion lab: ``python -m playbooks.compare``."""

from __future__ import annotations

import importlib


def main() -> None:
    """Run the lab's command; it stands above the playbooks, so it is named and loaded late."""
    importlib.import_module("lab.compare").main()


if __name__ == "__main__":
    main()
