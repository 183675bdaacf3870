"""What each benchmark brings for the lab; imported, it has loaded all that playing takes."""

from __future__ import annotations

from functools import partial

import lab.company.kit
import lab.store.kit
from lab.kit import Kit, KitOf
from launch.benchmarks import guest_of
from launch.options import COMPANY, DEFAULT


def store() -> Kit:
    """The store, with its packs and its trivial players."""
    return lab.store.kit.kit(guest_of(DEFAULT))


def company() -> Kit:
    """The company, the same."""
    return lab.company.kit.kit(guest_of(COMPANY), partial(guest_of, COMPANY, None))


KITS: dict[str, KitOf] = {DEFAULT: store, COMPANY: company}
