"""Mechanics: what can make a shopping task hard, one function each, and the table of them."""
