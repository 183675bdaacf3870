"""The platform over HTTP: every route is a POST with a JSON object each way.

A refusal answers `{"status": ..., "error": ..., "code": ""}` with the same HTTP status; an
unknown route answers 404 `Not found`, as recorded. A body that is no JSON object is refused with
HTTP 400; that text is ours.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulator import core_api, store_api
from simulator.records import Refusal

if TYPE_CHECKING:
    from simulator.platform import Platform


def build_app(platform: Platform) -> Starlette:
    """The application that serves one platform.

    Handlers run in the event loop and await nothing but the body, so a call is never interleaved
    with another one and the state needs no locks.
    """

    async def store(request: Request) -> Response:
        body = await _json_object(request)
        task = platform.task(request.path_params["task_id"])
        return JSONResponse(store_api.call(task, f"/{request.path_params['tool']}", body))

    async def core(request: Request) -> Response:
        body = await _json_object(request)
        return JSONResponse(core_api.call(platform, f"/{request.path_params['path']}", body))

    return Starlette(
        routes=[
            Route("/store/{task_id}/{tool:path}", store, methods=["POST"]),
            Route("/{path:path}", core, methods=["POST"]),
        ],
        exception_handlers={Refusal: _refused, 404: _not_found, ClientDisconnect: _gone},
    )


async def _json_object(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError:
        raise Refusal("request body is not JSON") from None
    if not isinstance(body, dict):
        raise Refusal("request body is not a JSON object")
    return body


def _error(status: int, text: str) -> Response:
    return JSONResponse({"status": status, "error": text, "code": ""}, status_code=status)


async def _refused(request: Request, error: Exception) -> Response:
    return _error(error.status if isinstance(error, Refusal) else 400, str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    return _error(404, "Not found")


async def _gone(request: Request, error: Exception) -> Response:
    # Nobody reads this answer: the client closed its connection before the request was complete.
    return Response(status_code=400)
