"""Every tool call checked, counted and recorded, whatever the benchmark."""

from core.ledger.calls import (
    Deed,
    Intent,
    Notice,
    Record,
    Settled,
    ToolCall,
    WireCall,
    Witness,
    say_short,
    shortened,
)
from core.ledger.fault import ToolFault
from core.ledger.ledger import Budget, Ledger
from core.ledger.tool import Tool, tool

__all__ = [
    "Budget", "Deed", "Intent", "Ledger", "Notice", "Record", "Settled", "Tool", "ToolCall",
    "ToolFault", "WireCall", "Witness", "say_short", "shortened", "tool",
]  # fmt: skip
