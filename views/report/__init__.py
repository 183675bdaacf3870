"""What a run looked like: a run folder read into records, and those as one self-contained page."""

from views.report.write import write_report

__all__ = ["write_report"]
