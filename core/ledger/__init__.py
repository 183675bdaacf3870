"""Every tool call checked, counted and recorded, whatever the benchmark."""

from core.ledger.calls import (
    Intent,
    LedgerEntry,
    Notice,
    Record,
    Resolved,
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
    "Budget",
    "Intent",
    "Ledger",
    "LedgerEntry",
    "Notice",
    "Record",
    "Resolved",
    "Tool",
    "ToolCall",
    "ToolFault",
    "WireCall",
    "Witness",
    "say_short",
    "shortened",
    "tool",
]  # fmt: skip
