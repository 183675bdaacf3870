"""How a request to a benchmark's API can fail, as the tools tell it."""

from __future__ import annotations

from typing import Any

from core.erc3_client.retry_policy import never_left, retry_after_of, trouble_of
from core.ledger import ToolFault
from core.ledger.calls import FailedRequest, shorten

PARAMETER_CHARS = 300
"""Maximum characters of a parameter of a failed request in a result, as JSON."""


class OutOfReach(ToolFault):
    """No usable answer came back: a dropped connection, a 5xx, or a body that is no JSON.

    For a write it is unknown whether it took effect, unless the text says that it did not.
    """

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text, kind="RuntimeError", fatal=True)
        self.retry_after = retry_after


class GivenUp(OutOfReach):
    """The retry time is over; what was sent last is known to have had no effect."""


class Unsettled(OutOfReach):
    """Whether a request took effect is unknown so far; look before another attempt."""


class Missed(ToolFault):
    """A request that is known to have had no effect and was not refused: it may be sent again.

    It was turned away unread, or the connection for it was refused.
    """

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text, kind="RuntimeError", lost=True)
        self.retry_after = retry_after


class NeverLeft(Missed):
    """The connection for a request was refused: nothing was sent, whatever the request."""


class Refused(ToolFault):
    """The API said no, in its own words."""


class Inconsistent(ToolFault):
    """The API's data is inconsistent, also when read again."""

    def __init__(self, text: str) -> None:
        super().__init__(text, kind="RuntimeError", fatal=True)


class Misfit(Inconsistent):
    """An answer that belongs to another request."""


def as_fault(error: Exception) -> ToolFault | None:
    """Return a tool's fault for a failed request; None for an error of this program."""
    trouble, wait = trouble_of(error), retry_after_of(error)
    if trouble is None:
        return None
    detail = getattr(error, "api_error", None)
    if trouble == "refused":
        return Refused(str(getattr(detail, "error", "") or error)[:500])
    if never_left(error):
        return NeverLeft("the API refused the connection: nothing was sent")
    if detail is None:
        return OutOfReach(f"the API did not answer ({type(error).__name__})")
    text = f"the API gave no usable answer (status {getattr(detail, 'status', 0)})"
    return Missed(text, wait) if trouble == "rate_limit" else OutOfReach(text, wait)


def failed_request(
    request: Any, text: str, error: Exception | None = None, status: int = 0
) -> FailedRequest:
    """Describe a failed request in a result; ``error``: what the client raised.

    ``status``: for a request that was answered without an error.
    """
    detail = getattr(error, "api_error", None)
    parameters = request.model_dump(mode="json", exclude={"tool"}, exclude_none=True)
    for name, value in parameters.items():
        beginning = shorten(value, PARAMETER_CHARS)
        if len(beginning) > PARAMETER_CHARS:
            parameters[name] = beginning
    return FailedRequest(
        method=type(request).__name__,
        status=int(getattr(detail, "status", 0) or status),
        code=str(getattr(detail, "code", "") or "")[:80],
        text=text,
        parameters=parameters,
    )
