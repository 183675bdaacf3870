"""Runs to look at, made as the coordinator's tests make them."""

from tests.coordinator.conftest import make_run, tea_buyer

__all__ = ["make_run", "tea_buyer"]
