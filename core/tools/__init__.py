"""What tools of every benchmark share: one task's API, its faults, its pages, its requests."""
