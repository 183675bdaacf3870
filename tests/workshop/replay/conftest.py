"""The runs that are repeated and taken apart."""

from tests.worker.conftest import record  # noqa: F401
