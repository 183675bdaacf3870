"""Everything that works on the agent from outside: simulator, lab, viewers, replay."""
