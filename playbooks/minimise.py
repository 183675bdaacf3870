"""The door to the minimiseion lab: ``python -m playbooks.minimise``."""

from __future__ import annotations

import importlib


def main() -> None:
    """Run the lab's command; it stands above the playbooks, so it is named and loaded late."""
    importlib.import_module("lab.minimise").main()


if __name__ == "__main__":
    main()
