"""The process that writes traces: ``python -m views.tracing`` behind a :class:`Tracer`.

Standard input: what :func:`write_traces` takes, until it ends. Standard output: its records, each
a line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from views.tracing.writer import write_traces

NICE = 10


def stand_back() -> None:
    """Take only what the run leaves of the processor."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):  # not Linux, or not allowed
        os.nice(NICE)


def main() -> None:
    """Serve one tracer until its run is over."""
    # Ctrl-C is meant for the run; what it still has to say is written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stand_back()
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Libraries print addresses and greetings: nothing of that is an answer.
    os.dup2(2, 1)
    for told in write_traces(sys.stdin):
        print(json.dumps(told), file=answer, flush=True)


if __name__ == "__main__":
    main()
