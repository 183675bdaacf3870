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
from core.ledger.combo import ComboRow, Rows, combo_tool
from core.ledger.ledger import Budget, Ledger
from core.ledger.tool import Tool, tool

__all__ = [
    "Budget", "ComboRow", "EntryObserver", "Intent", "Judgement", "Ledger", "LedgerEntry", "Notice",
    "Record", "Resolved", "Rows", "Tool", "ToolCall", "ToolFault", "WireCall", "combo_tool",
    "say_short", "shortened", "tool",
]  # fmt: skip
