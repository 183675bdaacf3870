"""Every tool call checked, counted and recorded, whatever the benchmark."""

from core.ledger.calls import (
    EntryObserver,
    Intent,
    Judgement,
    LedgerEntry,
    Notice,
    Record,
    Resolved,
    ToolCall,
    ToolFault,
    WireCall,
    say_short,
    shortened,
)
from core.ledger.ledger import Budget, Ledger
from core.ledger.tool import Tool, tool

__all__ = [
    "Budget", "EntryObserver", "Intent", "Judgement", "Ledger", "LedgerEntry", "Notice", "Record",
    "Resolved", "Tool", "ToolCall", "ToolFault", "WireCall", "say_short", "shortened", "tool",
]  # fmt: skip
