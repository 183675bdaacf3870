"""The doctor's findings on a terminal."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from launch.doctor_finding import Diagnosis, Finding

PIPE_WIDTH = 120
STYLES = {"ok": "green", "info": "cyan", "warning": "yellow", "problem": "bold red"}


def show(found: Diagnosis) -> None:
    """Print a table of all findings, each with its fix, and whether a run can begin."""
    # A pipe has no width of its own.
    console = Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
    console.print(table(found))
    console.print(closing(found), highlight=False, markup=False)


def table(found: Diagnosis) -> Table:
    """One row for each finding; an area and a subject are named once, before their findings."""
    made = Table(box=None, pad_edge=False)
    made.add_column("area", no_wrap=True)
    made.add_column("what", overflow="fold")
    made.add_column("state", no_wrap=True)
    made.add_column("finding", overflow="fold", ratio=1)
    area = subject = ""
    for finding in found.findings:
        named = Text("" if finding.area == area else finding.area, style="bold")
        if finding.subject not in ("", subject):
            made.add_row(named, "", "", Text(finding.subject, style="bold"))
            named = Text()
        state = Text(finding.state, style=STYLES[finding.state])
        made.add_row(named, Text(finding.name), state, _said(finding))
        area, subject = finding.area, finding.subject
    return made


def _said(finding: Finding) -> Text:
    # Servers and files have a say in these texts: they are never markup.
    said = Text(finding.text)
    if finding.fix:
        said.append(f"\n-> {finding.fix}", style="dim")
    return said


def closing(found: Diagnosis) -> str:
    """The last line: can a run begin?"""
    problems = sum(f.state == "problem" for f in found.findings)
    warnings = sum(f.state == "warning" for f in found.findings)
    also = f" ({warnings} warnings)" if warnings > 1 else " (1 warning)" if warnings else ""
    if found.ok:
        return f"a run can begin{also}"
    return f"{problems} problem{'s' if problems > 1 else ''}: a run would fail{also}"
