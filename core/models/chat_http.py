"""The HTTP of LiteLLM: answers within bounds, those of a chat checked and made plain.

Only the parts of a reply are kept, each with its type: LiteLLM never sees
another structure, deep nesting, an invalid number or a lone surrogate.
"""

from __future__ import annotations

import json
import math
import ssl
from typing import Any

import httpx

from core.http.bounded import AnswerRefused, BoundedTransport
from core.text import printable

PROVIDERS = frozenset({"openai", "nebius"})
"""Providers whose requests go through :func:`open_session`; each is tested."""
MOST_BYTES = 4 * 1024 * 1024
ERROR_BYTES = 64 * 1024
CHAT = "/chat/completions"
LONGEST_TEXT = 400_000
"""Characters of an answer, and of its reasoning, that are kept; more than any window holds."""
LONGEST_ERROR = 2_000
MOST_TOKENS = 1_000_000_000
"""A larger figure is invalid."""
MOST_PARTS = 100_000
"""Lists and objects of a body; each takes up twenty times its size once it is read."""
_ENTRIES = 20
_DEPTH = 4


class ChatTransport(BoundedTransport):
    """Checks what model servers reply, before anything else reads it."""

    def __init__(self, verify: ssl.SSLContext | bool | str) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        client = httpx.Client(verify=verify, limits=limits)
        super().__init__(client, MOST_BYTES, error_bytes=ERROR_BYTES)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.TransportError; AnswerRefused for an answer that cannot be used."""
        answer = super().handle_request(request)
        if answer.has_redirect_location:
            # The prompt is not posted to a server that nobody has named.
            origin = request.url
            try:
                to = origin.join(answer.headers["location"])
            except httpx.InvalidURL:
                raise AnswerRefused("the server redirects to an invalid address") from None
            same = (to.scheme, to.host, to.port) == (origin.scheme, origin.host, origin.port)
            if not same and (origin.scheme, to.scheme, to.host) != ("http", "https", origin.host):
                where = printable(f"{to.scheme}://{to.netloc.decode('ascii', 'replace')}"[:200])
                raise AnswerRefused(
                    f"the server redirects to {where}, which is not followed; if you trust it, set "
                    "it as the base URL"
                )
        if answer.is_error:
            body = error_answer(answer.content)
        elif answer.is_success and request.url.path.endswith(CHAT):
            body = chat_answer(answer.content)
            answer.headers["content-type"] = "application/json"
        else:
            return answer
        answer.headers.pop("content-length", None)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=body, extensions=answer.extensions
        )

    def close(self) -> None:
        """Nothing: each of LiteLLM's clients closes what it was given, and all of them share it."""


def open_session(verify: ssl.SSLContext | bool | str) -> tuple[httpx.Client, ChatTransport]:
    """A client for OpenAI's library, and what it sends through, for clients of LiteLLM's own."""
    transport = ChatTransport(verify)
    return httpx.Client(transport=transport, follow_redirects=True), transport


def chat_answer(body: bytes) -> bytes:
    """A chat completion with its first choice, in the form that the OpenAI API documents.

    An error object in the place of choices is handed on as an error object.

    Raises AnswerRefused: it is no JSON object, or its choices are of another form.
    """
    if body.count(b"[") + body.count(b"{") > MOST_PARTS:
        raise AnswerRefused("the response has too many parts")
    try:
        raw = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        page = body.lstrip()[:1] == b"<"
        message = "an HTML page instead of JSON" if page else "no JSON" if body.strip() else "empty"
        raise AnswerRefused(f"the response is {message}") from None
    if not isinstance(raw, dict):
        raise AnswerRefused("the response is not a JSON object")
    choices = raw.get("choices")
    if raw.get("error") is not None and not choices:
        answer: dict[str, Any] = {"error": _trimmed(raw["error"])}
    elif isinstance(choices, list):
        names = {name: _text(raw.get(name)) or "" for name in ("id", "model")}
        answer = {name: text[:200] for name, text in names.items() if text}
        answer |= {"object": "chat.completion", "created": count(raw.get("created")) or 0}
        answer["choices"] = [_choice(choices[0])] if choices else []
    else:
        raise AnswerRefused("the response has no list of choices")
    usage = _usage(raw.get("usage"))
    return json.dumps(answer | ({"usage": usage} if usage else {})).encode()


def error_answer(body: bytes) -> bytes:
    """The body of a refusal, cut: the JSON of its upper levels, or the beginning of its text."""
    text = body[: 4 * LONGEST_ERROR].decode("utf-8", "replace")[:LONGEST_ERROR]
    try:
        result = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return text.encode()
    return json.dumps(_trimmed(result)).encode()


def count(value: object) -> int | None:
    """Return a number of tokens; None if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def money(value: object) -> float | None:
    """Return dollars; None if they are invalid."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MOST_TOKENS and math.isfinite(value) else None


def _choice(value: object) -> dict[str, Any]:
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(message, dict):
        raise AnswerRefused("the first choice of the response has no message")
    content = message.get("content")
    text = None if content is None else _text(content)
    if content is not None and text is None:
        raise AnswerRefused("the content of the response is not text")
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    finish = value.get("finish_reason")
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": printable(finish[:40]) if isinstance(finish, str) else None,
        "message": {"role": "assistant", "content": text}
        | ({"reasoning_content": reasoning} if reasoning else {}),
    }
    if value.get("error") is not None:
        choice["error"] = _trimmed(value["error"])
    return choice


def _text(value: object) -> str | None:
    """A text, or the texts of a list of parts in a row; None for anything else."""
    if isinstance(value, str):
        return printable(value[:LONGEST_TEXT])
    if not isinstance(value, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else part for part in value]
    texts = [part for part in parts if isinstance(part, str)]
    return printable("".join(texts)[:LONGEST_TEXT]) if len(texts) == len(parts) else None


def _usage(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    if any(count(value.get(name)) is None for name in ("prompt_tokens", "completion_tokens")):
        return {}
    usage = _figures(value)
    for name in ("prompt_tokens_details", "completion_tokens_details"):
        if isinstance(value.get(name), dict):
            usage[name] = _figures(value[name])
    cost = money(value.get("cost"))
    return usage | ({} if cost is None else {"cost": cost})


def _figures(usage: dict[str, Any]) -> dict[str, Any]:
    known = {name: value for name, value in usage.items() if count(value) is not None}
    return dict(list(known.items())[:_ENTRIES])


def _trimmed(value: object, depth: int = _DEPTH) -> object:
    """The upper levels of a value, with few entries and short texts."""
    if isinstance(value, str):
        return printable(value[:LONGEST_ERROR])
    if isinstance(value, dict):
        if not depth:
            return {}
        few = list(value.items())[:_ENTRIES]
        return {printable(k[:200]): _trimmed(v, depth - 1) for k, v in few}
    if isinstance(value, list):
        return [_trimmed(v, depth - 1) for v in value[:_ENTRIES]] if depth else []
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
