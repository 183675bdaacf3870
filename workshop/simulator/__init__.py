"""An ERC3 platform on loopback: sessions, tasks, faults, state and pages over any world."""
