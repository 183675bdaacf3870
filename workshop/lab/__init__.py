"""The regression lab: many tasks against any brain, with intervals, verdicts and plots."""
