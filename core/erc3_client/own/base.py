"""One POST to the platform and what can go wrong with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from core.erc3_client.bounds import TEXT_AT_MOST, is_refusal, usable_json
from core.erc3_client.own.connections import connect
from core.http.waits import retry_after

if TYPE_CHECKING:  # where an agent has no httpx, its replacement for the SDK brings connections
    import httpx

_JSON = {"Content-Type": "application/json"}
_SHOWN_ERRORS = 20
_LONGEST_WAIT = 86_400.0
Response = TypeVar("Response", bound=BaseModel)


class HasTaskId(Protocol):
    """Anything that names a task, such as a `TaskInfo` or the answer of `start_task`."""

    @property
    def task_id(self) -> str:
        """The task's id."""


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
        asked = retry_after(getattr(response, "headers", None) or {})
        # More than a day, which nobody means, is no wish.
        self.retry_after = None if asked is None or asked > _LONGEST_WAIT else asked


class UnusableAnswer(ApiException):
    """An answer that is neither what was asked for nor a refusal of the platform's own.

    Whether the request took effect is unknown. `str()` is the text of the body, cut.
    """


class BaseClient:
    """Posts models below one URL; safe to use from several threads.

    `http` is the connections of another client; without it there are some of its own. `secret` is
    cut out of every error text.
    """

    responses: ClassVar[Mapping[str, type[BaseModel]]] = {}
    """What the API of a derived client answers, by path."""

    def __init__(
        self, base_url: str, http: httpx.Client | None = None, secret: str | None = None
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._http = http or connect(base_url)
        self._secret = secret

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r})"

    def _post(self, path: str, request: BaseModel, response_model: type[Response]) -> Response:
        """Send `request` to `path`, read the answer into `response_model`.

        Raises `ApiException` for a refusal, `UnusableAnswer` for an answer that is none or does
        not have the form that it should have; `httpx.TransportError` when the network fails.
        """
        # A subclass of a request may have its own mind about what is sent.
        fields = request.model_dump(mode="json", exclude_none=True)
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        response = self._http.post(self.base_url + path, content=body, headers=_JSON)
        try:
            data = usable_json(response.content)
        except ValueError:
            raise self._unusable(response) from None
        if not 200 <= response.status_code < 300:
            if not is_refusal(response.status_code, data):
                raise self._unusable(response, code="validated")
            error_text, code = self._clean(data["error"]), self._clean(data["code"] or "")
            raise ApiException(
                ApiError(status=data["status"], error=error_text, code=code), response
            )
        try:
            return response_model.model_validate(data)
        except ValidationError as error:
            count = error.error_count()
            problem = f"{count} errors for {error.title}" if count > _SHOWN_ERRORS else str(error)
            raise self._unusable(response, f"Invalid response payload: {problem}") from None

    def dispatch(self, request: BaseModel) -> Any:
        """Send a request to the path that its `tool` is, its class's own or an inherited one.

        Raises `ApiException` for a refusal, `httpx.TransportError` when the network fails,
        TypeError for a model of no path.
        """
        for path in (getattr(request, "tool", ""), *_inherited_paths(type(request))):
            if path in self.responses:
                return self._post(path, request, self.responses[path])
        name = type(request).__name__
        raise TypeError(f"{name} is not a request of this API: its `tool` is not a path")

    def _unusable(self, response: httpx.Response, text: str = "", code: str = "") -> UnusableAnswer:
        status = response.status_code
        text = text or str(response.content, "utf-8", "replace").strip()
        rendered = self._clean(text) or f"an empty response with status {status}"
        return UnusableAnswer(ApiError(status=status, error=rendered, code=code), response)

    def _clean(self, text: str) -> str:
        whole = text.replace(self._secret, "key-***") if self._secret else text
        return whole[:TEXT_AT_MOST]


def _inherited_paths(kind: type[BaseModel]) -> list[str]:
    """The paths of a request's class and of those that it is derived from, the nearest first."""
    fields = (getattr(base, "model_fields", {}).get("tool") for base in kind.__mro__)
    return [field.default for field in fields if field is not None]
