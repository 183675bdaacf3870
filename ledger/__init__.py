"""Every tool call of generated code, checked, counted and recorded, whatever the benchmark."""

from ledger.calls import Deed, Intent, Record, Settled, ToolCall, WireCall, say_short, shortened
from ledger.fault import ToolFault
from ledger.ledger import Budget, Ledger
from ledger.tool import Tool, tool

__all__ = [
    "Budget", "Deed", "Intent", "Ledger", "Record", "Settled", "Tool", "ToolCall", "ToolFault",
    "WireCall", "say_short", "shortened", "tool",
]  # fmt: skip
