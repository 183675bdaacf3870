"""The company platform as a world: packs, the records of a task, events, their score."""
