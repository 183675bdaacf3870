"""A small grammar of shopping requests: task text in, understood order out."""

from playbooks.store.grammar.order import Budget, Codes, Line, Order
from playbooks.store.grammar.read import read_order

__all__ = ["Budget", "Codes", "Line", "Order", "read_order"]
