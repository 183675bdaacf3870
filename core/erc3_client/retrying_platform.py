"""The platform's client with retries: what fails in passing is made again where that is safe."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from core.erc3_client import switch
from core.erc3_client.bounds import cut_texts, known_score
from core.erc3_client.retry_policy import OutageTracker, RetryPolicy, trouble_of

if TYPE_CHECKING:
    from core.erc3_client.own import core as answers
    from core.erc3_client.own.base import HasTaskId
    from core.erc3_client.own.core import ERC3

T = TypeVar("T")
LOG_ATTEMPTS = 2
REPORT = "log_llm"
PASSING = frozenset({"rate_limit", "no_answer"})
UNREAD = frozenset({"rate_limit"})
"""Turned away without effect."""
UNFINISHED_SESSION = "open"


class RetryingPlatform:
    """Wraps an `ERC3` client, own or official, with the same methods and errors.

    Calls that only read, or may arrive twice without harm, are repeated for the run's retry
    time. If the platform refuses a repetition whose first call had no response,
    the state of the task or session shows what became of that call. A call that creates
    something is repeated only if it was rejected unread (`start_session`,
    `start_new_task`). All other methods, such as `get_store_client`, are the client's own.
    """

    def __init__(self, client: ERC3, retry_policy: RetryPolicy | None = None) -> None:
        self._client = client
        self._retry_policy = retry_policy or RetryPolicy()
        self._outages = OutageTracker()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._client!r})"

    def session_status(self, session_id: str) -> answers.Resp_SessionStatus:
        """As the client's."""
        return self._repeated("session_status", lambda: self._client.session_status(session_id))

    def task_detail(self, *args: Any, **kwargs: Any) -> answers.Resp_ViewTask:
        """As the client's."""
        return self._repeated("task_detail", lambda: self._client.task_detail(*args, **kwargs))

    def start_session(self, *args: Any, **kwargs: Any) -> answers.Resp_StartSession:
        """As the client's; not repeated blindly, because that could open a second session."""
        return self._repeated(
            "start_session", lambda: self._client.start_session(*args, **kwargs), UNREAD
        )

    def start_new_task(self, *args: Any, **kwargs: Any) -> answers.Resp_StartTask:
        """As the client's; not repeated blindly, because that could start a second task."""
        return self._repeated(
            "start_new_task", lambda: self._client.start_new_task(*args, **kwargs), UNREAD
        )

    def start_task(self, task: HasTaskId) -> answers.Resp_StartTask:
        """As the client's; a task that runs after an unanswered call was started by it."""

        def look() -> Any:
            detail = self.task_detail(task.task_id)
            if detail.status != "in_progress":
                return None
            fields = {"task_id": task.task_id, "session_id": detail.session_id}
            return _made("Resp_StartTask", fields | {"status": detail.status})

        return self._repeated("start_task", lambda: self._client.start_task(task), look=look)

    def complete_task(self, task: HasTaskId) -> answers.Resp_CompleteTask:
        """As the client's; a task that is completed after an unanswered call was completed by it.

        Its evaluation is then the score that the platform shows, or None. So is a score that is not
        a number from 0 to 1.
        """

        def look() -> Any:
            detail = self.task_detail(task.task_id)
            if detail.status != "completed":
                return None
            score = known_score(detail.score)
            evaluation = None if score is None else {"score": score, "logs": ""}
            fields = {"status": "already_completed", "eval": evaluation}
            return _made("Resp_CompleteTask", fields)

        done = self._repeated("complete_task", lambda: self._client.complete_task(task), look=look)
        if done.eval is not None:
            done.eval.score = known_score(done.eval.score)
        return done

    def submit_session(self, session_id: str, force: bool = False) -> answers.Resp_SubmitSession:
        """As the client's; a session that an unanswered call closed was submitted by it."""

        def look() -> Any:
            status = self.session_status(session_id).status
            if status in ("", UNFINISHED_SESSION):
                return None
            return _made("Resp_SubmitSession", {"status": status})

        return self._repeated(
            "submit_session",
            lambda: self._client.submit_session(session_id, force=force),
            look=look,
        )

    def log_llm(self, *args: Any, **kwargs: Any) -> answers.Resp_LogLLM:
        """As the client's, repeated once; a report that arrives twice costs no score."""
        call = partial(self._client.log_llm, *args, **kwargs)
        return self._repeated(REPORT, call, limit=LOG_ATTEMPTS)

    def log_llm_late(self, *args: Any, **kwargs: Any) -> answers.Resp_LogLLM:
        """As `log_llm`, for a report that was not accepted; repeated for the run's retry time."""
        return self._repeated(REPORT, partial(self._client.log_llm, *args, **kwargs))

    def _repeated(
        self,
        kind: str,
        call: Callable[[], T],
        passing: frozenset[str] = PASSING,
        *,
        look: Callable[[], Any] = lambda: None,
        limit: int | None = None,
    ) -> T:
        """Make a call until it is answered; ``look`` finds its effect in the state.

        Raises what the client raises: the last failure, or the refusal; and what ends a pause.
        """
        unanswered = False

        def once() -> T:
            nonlocal unanswered
            try:
                answer = call()
                if isinstance(answer, BaseModel):
                    cut_texts(answer)
                return answer
            except Exception as error:
                trouble = trouble_of(error)
                effect: T | None = look() if unanswered and trouble == "refused" else None
                if effect is not None:
                    return effect
                unanswered = unanswered or trouble == "no_answer"
                raise

        return self._retry_policy.meet(
            once, lambda error: trouble_of(error) in passing, self._outages, kind, limit
        )


def _made(name: str, fields: dict[str, Any]) -> Any:
    return getattr(switch.load("core"), name).model_validate(fields)
