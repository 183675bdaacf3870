"""The routes of the site: only GET, only to the names of this machine, nothing from elsewhere.

Pages are drawn on the server's own thread, between two calls of the API, so what they show is
never half changed; only the first one takes a thread of its own, to load the templates.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from workshop.simulator.app import OUR_NAMES
from workshop.simulator.pages import views
from workshop.simulator.pages.views import Asked, View
from workshop.simulator.platform import Platform
from workshop.simulator.world import Refusal

if TYPE_CHECKING:
    from workshop.simulator.pages.render import Renderer

STATIC = Path(__file__).parent / "static"
ASSETS = {"style.css": "text/css", "live.js": "text/javascript"}
HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PART = "part"
"""The parameter with which a page's script asks for what changes of the page."""

Sight = Callable[["Platform", "Asked"], "View"]


def page_routes(platform: Platform) -> list[BaseRoute]:
    """The routes of the pages about a platform."""
    site = _Site(platform)
    sights: dict[str, Sight] = {
        "/": views.home,
        **{
            f"/benchmarks/{one}": partial(views.benchmark, one)
            for bench in platform.benches
            for one in bench.world.benchmarks
        },
        "/sessions/{id}": views.session,
        "/tasks/{id}": views.task,
    }
    return [
        *(Route(path, partial(site.answer, sight)) for path, sight in sights.items()),
        *(Route(f"/assets/{name}", partial(_asset, name)) for name in ASSETS),
    ]


class _Site:
    """The pages of one platform; what it answers is 404 where there is nothing of an id."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._renderer: Renderer | None = None
        self._boot = secrets.token_hex(4)
        """Marks of another server mean nothing here."""

    async def answer(self, sight: Sight, request: Request) -> Response:
        if refused := _foreign(request):
            return refused
        if self._renderer is None:
            self._renderer = await run_in_threadpool(_renderer, self._platform)
        try:
            view = sight(self._platform, _asked(request))
        except Refusal:
            raise HTTPException(404, "there is nothing of this id; / lists what there is") from None
        tag = f'"{self._boot}-{hash(view.mark) & 0xFFFF_FFFF_FFFF_FFFF:x}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={**HEADERS, "ETag": tag})
        part = PART in request.query_params
        html = self._renderer.part(view) if part else self._renderer.page(view, tag)
        return HTMLResponse(html, headers={**HEADERS, "ETag": tag})


async def _asset(name: str, request: Request) -> Response:
    if refused := _foreign(request):
        return refused
    content = (STATIC / name).read_bytes()
    headers = {**HEADERS, "ETag": f'"{sha256(content).hexdigest()[:16]}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=ASSETS[name], headers=headers)


def _foreign(request: Request) -> Response | None:
    """The refusal of a request that was meant for another name."""
    if OUR_NAMES.fullmatch(request.headers.get("host", "")):
        return None
    text = "These pages answer to localhost, 127.0.0.1 and [::1] only.\n"
    return PlainTextResponse(text, 400, headers=HEADERS)


def _asked(request: Request) -> Asked:
    given = {**request.query_params, **request.path_params}
    return lambda name: given.get(name, "")


def _renderer(platform: Platform) -> Renderer:
    # Jinja2 takes longer to load than the platform: not before somebody looks.
    from workshop.simulator.pages.render import Renderer

    return Renderer([bench.world for bench in platform.benches])
