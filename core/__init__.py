"""Code that the agent's packages share; it knows no benchmark."""
