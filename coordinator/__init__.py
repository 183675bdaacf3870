"""The part that remembers: one task as a loop of turns, a session over many tasks, the journal."""
