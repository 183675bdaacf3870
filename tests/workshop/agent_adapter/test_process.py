"""What an agent has printed is kept without what would steer a terminal."""

from __future__ import annotations

import sys
from pathlib import Path

from workshop.agent_adapter.process import AgentProcess

LOUD = r"print('\x1b[31mred\x1b[0m\x1b]0;title\x07 plain\x08\ttab'); raise SystemExit(3)"


def test_control_sequences_are_in_no_file_and_no_last_words(tmp_path: Path) -> None:
    process = AgentProcess([sys.executable, "-c", LOUD], {}, tmp_path / "1")
    while not process.ended:
        pass
    assert process.end() == "exit code 3"
    assert process.last_words() == ("red plain\ttab",)
    assert (tmp_path / "1.out").read_text(encoding="utf-8") == "red plain\ttab\n"
