"""A rule-based model that plays the store from its prompts."""
