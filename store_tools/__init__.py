"""Req_* and Combo_* tools: the only way worker code reaches the store."""

from core.ledger import say_short
from store_tools.basket import order_lines

say_short(order_lines)
