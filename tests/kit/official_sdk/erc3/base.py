"""One POST, as the SDK makes it."""

from __future__ import annotations

from typing import Any, ClassVar

import requests
from pydantic import BaseModel, ValidationError


class ApiError(BaseModel):
    """The body of a refusal."""

    status: int
    error: str
    code: str


class ApiException(Exception):
    """A refusal, or an answer that cannot be read."""

    def __init__(self, api_error: ApiError, response: Any = None) -> None:
        self.api_error = api_error
        self.response = response
        self.detail = f"Error {api_error.status}: {api_error}"
        super().__init__(api_error.error)


class BaseClient:
    """Posts models below one address."""

    sent: ClassVar[int] = 0
    """Requests of all clients; the SDK has no such count."""

    def __init__(self, base_url: str, session: requests.Session | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self.session = session or requests.Session()

    def _post(self, path: str, request: BaseModel, response_model: type[Any]) -> Any:
        BaseClient.sent += 1
        response = self.session.post(self.base_url + path, json=request.model_dump(mode="json"))
        status = response.status_code
        try:
            data = response.json()
        except ValueError:
            raise ApiException(
                ApiError(status=status, error=response.text, code=""), response
            ) from None
        if not response.ok:
            try:
                refusal = ApiError.model_validate(data)
            except ValidationError:
                refusal = ApiError(status=status, error=response.text, code="validated")
            raise ApiException(refusal, response)
        try:
            return response_model.model_validate(data)
        except ValidationError as error:
            text = f"Invalid response payload: {error}"
            raise ApiException(ApiError(status=status, error=text, code=""), response) from None
