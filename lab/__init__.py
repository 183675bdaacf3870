"""The regression lab: many shops against any brain, with intervals, verdicts and plots."""
