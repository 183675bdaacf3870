"""The regression lab: many shops against any brain, with intervals, verdicts and plots."""

import launch as launch  # in every process of the lab: it registers the models without a key
