"""Recorded work to read, made as the worker's tests make it; results made by hand."""

from tests.worker.conftest import record
from tests.workshop.lab.conftest import trial

__all__ = ["record", "trial"]
