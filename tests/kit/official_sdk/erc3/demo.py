"""The demo, of which nothing here is used."""

from .base import BaseClient


class DemoClient(BaseClient):
    """The demo of one task."""
