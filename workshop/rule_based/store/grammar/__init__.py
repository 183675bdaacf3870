"""A small grammar of shopping requests: task text in, understood order out."""

from workshop.rule_based.store.grammar.order import Budget, Codes, Line, Order
from workshop.rule_based.store.grammar.read import read_order

__all__ = ["Budget", "Codes", "Line", "Order", "read_order"]
