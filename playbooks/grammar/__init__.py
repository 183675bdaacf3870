"""A small grammar of shopping requests: task text in, understood order out."""

from playbooks.grammar.order import Budget, Codes, Line, Order
from playbooks.grammar.read import read_order

__all__ = ["Budget", "Codes", "Line", "Order", "read_order"]
