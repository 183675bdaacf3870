"""Generators of packs: fresh worlds with their answers."""
