"""One POST to the platform and what can go wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

_JSON = {"Content-Type": "application/json"}
Response = TypeVar("Response", bound=BaseModel)
"""The response model that a call is to be read into."""


class HasTaskId(Protocol):
    """Anything that names a task, such as a `TaskInfo` or the answer of `start_task`."""

    @property
    def task_id(self) -> str:
        """The task's id."""


class HttpResponse(Protocol):
    """What is read of an answer; `httpx.Response` is one."""

    @property
    def status_code(self) -> int:
        """The HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers; names in small letters are found."""

    @property
    def is_error(self) -> bool:
        """Whether the status is 400 or above."""

    @property
    def text(self) -> str:
        """The body as text."""

    def json(self) -> Any:
        """The body read as JSON; ValueError where it is none."""


class Http(Protocol):
    """What is needed of an HTTP client; `httpx.Client` is one."""

    def post(self, url: str, *, content: bytes, headers: Mapping[str, str]) -> HttpResponse:
        """Send a request; `httpx.TransportError` when the network fails."""

    def close(self) -> None:
        """Close the connections."""


class ApiError(BaseModel):
    """The body that the platform sends with a refusal."""

    status: int
    error: str
    code: str


class ApiException(Exception):
    """A refusal of the platform, or an answer that cannot be read.

    `str()` is the bare error text, `.detail` has status and code too, `.api_error` is the body.
    `response` is taken for the SDK's sake and not kept: its request holds the account key.
    `.retry_after`, which the SDK does not have, is its `Retry-After` in seconds, None without.
    """

    def __init__(self, api_error: ApiError, response: object = None) -> None:
        super().__init__(api_error.error)
        self.api_error = api_error
        self.detail = f"Error {api_error.status}: {api_error}"
        headers = getattr(response, "headers", None) or {}
        self.retry_after = read_retry_after(headers.get("retry-after"))


def read_retry_after(value: str | None) -> float | None:
    """Seconds from now that a ``Retry-After`` header stands for: a number, or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if seconds < float("inf") else None


class BaseClient:
    """Posts models below one URL; safe to use from several threads.

    `base_url` has no slash at its end. `secret` is cut out of every error text.
    """

    def __init__(self, base_url: str, http: Http, secret: str | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._http = http
        self._secret = secret

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r})"

    def _post(self, path: str, request: BaseModel, response_model: type[Response]) -> Response:
        """Send `request` to `path`, read the answer into `response_model`.

        Raises `ApiException` for a refusal and for an unreadable answer, in the order in which
        the official SDK looks at them; `httpx.TransportError` when the network fails.
        """
        body = request.model_dump_json(exclude_none=True).encode()
        response = self._http.post(self.base_url + path, content=body, headers=_JSON)
        try:
            data = response.json()
        except ValueError:
            raise self._failure(response, response.text) from None
        if response.is_error:
            raise self._refusal(response, data)
        try:
            return response_model.model_validate(data)
        except ValidationError as error:
            raise self._failure(response, f"Invalid response payload: {error}") from None

    def _refusal(self, response: HttpResponse, data: object) -> ApiException:
        try:
            error = ApiError.model_validate(data)
        except ValidationError:
            return self._failure(response, response.text, code="validated")
        return ApiException(error.model_copy(update={"error": self._clean(error.error)}), response)

    def _failure(self, response: HttpResponse, text: str, code: str = "") -> ApiException:
        error = ApiError(status=response.status_code, error=self._clean(text), code=code)
        return ApiException(error, response)

    def _clean(self, text: str) -> str:
        return text.replace(self._secret, "key-***") if self._secret else text
