"""What the agent's packages share; nothing here knows a benchmark."""
