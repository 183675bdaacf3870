"""``python -m worker.replay``."""

from worker.replay.replay import app

app()
