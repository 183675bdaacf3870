"""The regression lab: many tasks against any models, with intervals and verdicts."""
