"""A rule-based model that plays the company from its prompts."""
