"""Recorded work to read, made as the worker's tests make it."""

from tests.worker.conftest import record

__all__ = ["record"]
