"""Every tool call checked, counted and recorded, whatever the benchmark; and what steps find."""

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
from core.runs.stages import Case, Finding, Verdict

__all__ = [
    "Budget", "Case", "Deed", "Finding", "Intent", "Ledger", "Notice", "Record", "Settled",
    "Tool", "ToolCall", "ToolFault", "Verdict", "WireCall", "Witness", "say_short", "shortened",
    "tool",
]  # fmt: skip
