"""Handing a session in, which cannot be undone: what speaks against it, and the question."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from cli.standard_streams import at_terminal
from core.erc3_client.bounds import known_score
from core.runs.hints import command
from core.terminal.console import notes, say
from core.terminal.figures import so_many_tasks

if TYPE_CHECKING:
    from cli.assembly import Assembly
    from coordinator.session import Session
    from core.runs.results import RunResults


class HandingIn:
    """Decides whether the session of a run on the real platform is submitted, and says so."""

    def __init__(self, assembly: Assembly, session: Session, results: RunResults) -> None:
        self._assembly = assembly
        self._session = session
        self._obstacles = obstacles(session, results)
        # What cannot be undone is said under --quiet too.
        self._console = notes()

    @property
    def asks(self) -> bool:
        """Whether there is somebody to ask and something to ask about."""
        options = self._assembly.options
        is_ordered = options.yes or options.submit_as_is
        return self._possible and not (is_ordered or self._obstacles) and at_terminal()

    @property
    def _possible(self) -> bool:
        return bool(self._session.session_id) and not self._assembly.stopped

    def settle(self) -> RunResults | None:
        """Submit the session unless something prevents it; return its results, else None.

        Raises ApiException, or what the transport raises.
        """
        if not self._possible or not self._wanted():
            return None
        session = self._session
        session.close_open()
        session.submit(force=bool(session.unplayed))
        results = session.write()
        say(self._console, self._told())
        return results

    def _wanted(self) -> bool:
        options, folder = self._assembly.options, self._assembly.folder
        if options.submit_as_is:
            return True
        if self._obstacles:
            text = f"not submitted: {'; '.join(self._obstacles)}"
            way = f"submit it as it is: {command('--resume', folder, '--submit-as-is')}"
            say(self._console, text, way)
            return False
        if options.yes:
            return True
        if not at_terminal():
            text = (
                "not submitted: cannot ask for confirmation, because standard input "
                "is not a terminal"
            )
            say(self._console, text, f"submit it: {command('--resume', folder, '--yes')}")
            return False
        if self._agreed():
            return True
        say(self._console, f"not submitted; later: {command('--resume', folder)}")
        return False

    def _agreed(self) -> bool:
        self._console.print(
            "Submit this session to the platform? It cannot be changed afterwards. [y/N] ",
            end="",
            markup=False,
            highlight=False,
        )
        with suppress(EOFError):
            return input().strip().casefold() in ("y", "yes")
        return False

    def _told(self) -> str:
        """That it was submitted, its id, its score where the platform tells, its page."""
        session_id = self._session.session_id or ""
        platform, score = self._assembly.platform, None
        with suppress(Exception):  # a score that cannot be had changes nothing any more
            score = known_score(platform.session_status(session_id).score)
        text = f"submitted: session {session_id}"
        text += f", score {score:.3f}" if score is not None else ", the platform has no score yet"
        return f"{text}, {self._assembly.base_url}/sessions/{session_id}"


def obstacles(session: Session, results: RunResults) -> list[str]:
    """Why a session is not what its agent can do, in words; none where all of it was played."""
    outside = sum(task.infrastructure_failure for task in results.tasks)
    limited = sum(task.failure == "limit" for task in results.tasks)
    counts = {
        "failed for external reasons": outside,
        "cut off by a limit": limited,
        "never played": session.unplayed,
    }
    return [f"{so_many_tasks(count)} {words}" for words, count in counts.items() if count]
