"""Every tool call checked, counted and recorded, whatever the benchmark; and what steps find."""

from ledger.calls import (
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
from ledger.fault import ToolFault
from ledger.ledger import Budget, Ledger
from ledger.step import Case, Finding, Verdict
from ledger.tool import Tool, tool

__all__ = [
    "Budget", "Case", "Deed", "Finding", "Intent", "Ledger", "Notice", "Record", "Settled",
    "Tool", "ToolCall", "ToolFault", "Verdict", "WireCall", "Witness", "say_short", "shortened",
    "tool",
]  # fmt: skip
