"""The HTTP of LiteLLM: answers within bounds, those of a chat checked and made plain.

Only the parts of a reply are kept, each with its type: LiteLLM never sees
another structure, deep nesting, an invalid number or a lone surrogate.
"""

from __future__ import annotations

import json
import math
import ssl
from contextlib import suppress
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
MOST_TOKENS = 1_000_000_000
"""A larger figure is invalid."""
MOST_PARTS = 100_000
"""Lists and objects of a body; each takes up twenty times its size once it is read."""
IN_ANSWER = "x-error-in-answer"
"""Header of an error that came with status 200; "yes": within an answer that was begun, so that
what it cost is not known."""
_ENTRIES = 20
_DEPTH = 8
_THOUGHTS = ("text", "thinking", "reasoning", "refusal", "summary", "content")
"""Fields of a part that hold texts."""


class ChatTransport(BoundedTransport):
    """Checks what model servers reply, before anything else reads it."""

    def __init__(self, verify: ssl.SSLContext | bool | str) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        super().__init__(verify, limits, MOST_BYTES, error_bytes=ERROR_BYTES)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Raises httpx.TransportError; AnswerRefused for an answer that cannot be used."""
        answer = super().handle_request(request)
        if answer.has_redirect_location:
            # The prompt is not posted to a server that nobody has named.
            where = printable(answer.headers["location"][:200])
            raise AnswerRefused(
                f"the server redirects to {where}, which is not followed; if you trust it, set it "
                "as the base URL"
            )
        if not (answer.is_success and request.url.path.endswith(CHAT)):
            return answer
        body = chat_answer(answer.content)
        answer.headers["content-type"] = "application/json"
        if body.startswith(b'{"error"'):
            failed = json.loads(body)
            answer.status_code = _status_of(failed["error"])
            answer.headers[IN_ANSWER] = "yes" if "choices" in failed else ""
        answer.headers.pop("content-length", None)
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=body, extensions=answer.extensions
        )

    def close(self) -> None:
        """Nothing: each of LiteLLM's clients closes what it was given, and all of them share it."""


def open_session(verify: ssl.SSLContext | bool | str) -> tuple[httpx.Client, ChatTransport]:
    """A client for OpenAI's library, and what it sends through, for clients of LiteLLM's own."""
    transport = ChatTransport(verify)
    return httpx.Client(transport=transport), transport


def chat_answer(body: bytes) -> bytes:
    """A chat completion with its first choice, in the form that the OpenAI API documents.

    An error in the place of choices, or within the first, becomes an object with it alone. The
    parts of a content that are no text become reasoning; calls of tools without any content become
    text.

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
    if error := _error_of(raw):
        failed = {"error": error} | ({"choices": []} if choices else {})
        try:
            return json.dumps(failed).encode()
        except RecursionError:
            raise AnswerRefused("the error in the response is nested too deeply") from None
    if isinstance(choices, list):
        names = {name: _text(raw.get(name)) or "" for name in ("id", "model")}
        answer: dict[str, Any] = {name: text[:200] for name, text in names.items() if text}
        answer |= {"object": "chat.completion", "created": count(raw.get("created")) or 0}
        answer["choices"] = [_choice(choices[0])] if choices else []
    else:
        raise AnswerRefused("the response has no list of choices")
    usage = _usage(raw.get("usage"))
    return json.dumps(answer | ({"usage": usage} if usage else {})).encode()


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


def called(calls: object) -> str:
    """Calls of tools as text, each an object with name and arguments; "" without any.

    No tool is ever offered: a model that calls one means the answer that it was asked for.
    """
    texts = []
    for call in calls[:_ENTRIES] if isinstance(calls, list) else ():
        function = call.get("function", call) if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        arguments = function.get("arguments", {})
        if isinstance(arguments, str):
            with suppress(ValueError, RecursionError):  # cut off or odd: readers get what there is
                arguments = json.loads(arguments, strict=False)
        named = {"name": str(function.get("name", "")), "arguments": arguments}
        with suppress(ValueError, RecursionError):  # too deep to be an answer
            texts.append(json.dumps(named, ensure_ascii=False))
    return printable("\n".join(texts)[:LONGEST_TEXT])


def _error_of(answer: dict[str, Any]) -> object:
    """The error that an answer holds in the place of choices or in the first; None without one."""
    choices = answer.get("choices")
    if not choices:
        return answer.get("error")
    first = choices[0] if isinstance(choices, list) else None
    return first.get("error") if isinstance(first, dict) else None


def _status_of(error: object) -> int:
    """The status that an error names as its code, else 500."""
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return int(code) if code.isdecimal() and 400 <= int(code[:4]) <= 599 else 500


def _choice(value: object) -> dict[str, Any]:
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(message, dict):
        raise AnswerRefused("the first choice of the response has no message")
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    if not isinstance(content, str | list | None) or not all(
        isinstance(part, str | dict) for part in parts
    ):
        raise AnswerRefused("the content of the response is not text")
    text, thoughts = _parts(content)
    if not text.strip():
        text = called(message.get("tool_calls") or [message.get("function_call")]) or text
        thoughts += _parts(message.get("refusal"))[0]
    told = _text(message.get("reasoning_content")) or _text(message.get("reasoning")) or ""
    reasoning = f"{told}{thoughts}"[:LONGEST_TEXT]
    finish = value.get("finish_reason")
    return {
        "index": 0,
        "finish_reason": printable(finish[:40]) if isinstance(finish, str) else None,
        "message": {"role": "assistant", "content": text or None}
        | ({"reasoning_content": reasoning} if reasoning else {}),
    }


def _parts(content: object) -> tuple[str, str]:
    """The texts of a content in a row, and what else its parts say."""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            is_text = part.get("type", "text") in ("text", "output_text")
            is_text = is_text and isinstance(part.get("text"), str)
            (texts if is_text else thoughts).extend([part["text"]] if is_text else _strings(part))
    return printable("".join(texts)[:LONGEST_TEXT]), printable("".join(thoughts)[:LONGEST_TEXT])


def _text(value: object) -> str | None:
    """A text, or the texts of a list of parts in a row; None for anything else."""
    return "".join(_parts(value)) if isinstance(value, str | list) else None


def _strings(part: object, depth: int = _DEPTH) -> list[str]:
    if isinstance(part, str):
        return [part]
    if isinstance(part, dict):
        part = [part[name] for name in _THOUGHTS if name in part]
    if not isinstance(part, list) or not depth:
        return []
    return [text for inner in part for text in _strings(inner, depth - 1)]


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
