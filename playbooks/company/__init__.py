"""Strategies for a company's agent: prose for models, programs for workers, a keyless brain."""
