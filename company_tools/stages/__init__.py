"""Stages of a company task: names, rights, guests, the wording of the answer."""
