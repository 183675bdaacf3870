"""A node of Gonka on loopback: takes what is signed for it, in time and for the first time.

It also tells who it is, and serves a list of the network's nodes, as the founders' nodes do.

How a request is checked follows the node's own code: the developer's signature is over the SHA-256
of the body in hex, the time in nanoseconds and the node's address; time and reuse are refused with
status 400 and a text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import bech32
from ecdsa import SECP256k1, SigningKey, VerifyingKey

from tests.kit.fake_openai import answer_by_script, plain

OLDEST_SECONDS = 60.0
Answer = Callable[[str, list[dict[str, Any]]], str]


def account_of(key: str) -> str:
    """The account of a private key in hex, worked out apart from the library."""
    point = SigningKey.from_string(bytes.fromhex(key), curve=SECP256k1).verifying_key
    return account(point)


def account(point: VerifyingKey) -> str:
    packed = hashlib.new("ripemd160", hashlib.sha256(point.to_string("compressed")).digest())
    address: str = bech32.bech32_encode("gonka", bech32.convertbits(packed.digest(), 8, 5))
    return address


class FakeGonka:
    """A running node; the end of a ``with`` block shuts it down."""

    def __init__(
        self,
        requester: str,
        address: str = "gonka1node0000000000",
        *,
        clock_ahead: float = 0.0,
        refuse: tuple[int, str] | None = None,
        answer: Answer = answer_by_script,
    ) -> None:
        """``requester``: the private key, in hex, whose requests are taken.

        ``clock_ahead``: seconds by which the node's clock is ahead. ``refuse``: status and text
        for what is well signed.
        """
        self.is_ill = False
        """It does not tell who it is."""
        self.network: list[tuple[str, str]] = []
        """URL and address of the nodes that it lists."""
        self.excluded: list[str] | None = None
        self.allowed: list[str] | None = None
        """Addresses that take requests; None: the network does not say."""
        self.address = address
        self.refuse = refuse
        self.seen: list[dict[str, Any]] = []
        """Bodies of requests that were well signed."""
        self.headers: list[dict[str, str]] = []
        """Of every request."""
        self.tokens = 0
        self._point = SigningKey.from_string(
            bytes.fromhex(requester), curve=SECP256k1
        ).verifying_key
        self._account = account(self._point)
        self._ahead = clock_ahead
        self._answer = answer
        self._used: set[str] = set()
        self._lock = threading.Lock()
        node = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                told = node._told(self.path)
                self._send(*((404, {"message": "Not Found"}) if told is None else (200, told)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self._send(*node._take(self.path, dict(self.headers), body))

            def _send(self, status: int, told: dict[str, Any]) -> None:
                raw = json.dumps(told).encode()
                self.send_response_only(status)
                self.send_header("Date", formatdate(time.time() + node._ahead, usegmt=True))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def endpoint(self) -> str:
        """As ``GONKA_ENDPOINTS`` names it."""
        return f"{self.url};{self.address}"

    def __enter__(self) -> FakeGonka:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _told(self, path: str) -> dict[str, Any] | None:
        """What anybody may read."""
        if path == "/v1/identity":
            return None if self.is_ill else {"data": {"delegate_ta": {}}}
        if path == "/v1/epochs/current/participants":
            listed = [{"index": address, "inference_url": url} for url, address in self.network]
            excluded = self.excluded and [{"address": one} for one in self.excluded]
            return {
                "active_participants": {"participants": listed, "epoch_id": 7},
                "excluded_participants": excluded,
            }
        if path == "/chain-api/productscience/inference/inference/params":
            access = self.allowed and {"allowed_transfer_addresses": self.allowed}
            return {"params": {"transfer_agent_access_params": access}}
        return None

    def _take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, Any]]:
        self.headers.append(headers)
        if path != "/v1/chat/completions":
            return 404, {"message": "Not Found"}
        if refused := self._refused(headers, body):
            return refused[0], {"message": refused[1]}
        asked = json.loads(body)
        self.seen.append(asked)
        if self.refuse:
            return self.refuse[0], {"message": self.refuse[1]}
        messages = plain(asked["messages"])
        text = self._answer(asked["model"], messages)
        prompt, completion = sum(len(m["content"]) for m in messages) // 4, len(text) // 4
        with self._lock:
            self.tokens += prompt + completion
        return 200, {
            "id": "x",
            "object": "chat.completion",
            "model": asked["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": "stop",
                }
            ],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }

    def _refused(self, headers: dict[str, str], body: bytes) -> tuple[int, str] | None:
        low = {name.casefold(): value for name, value in headers.items()}
        signature, stamp = low.get("authorization", ""), low.get("x-timestamp", "0")
        if low.get("x-requester-address") != self._account:
            return 404, "Inference participant not found"
        told = hashlib.sha256(body).hexdigest() + stamp + self.address
        raw = base64.b64decode(signature)
        try:
            self._point.verify(raw, told.encode(), hashfunc=hashlib.sha256)
        except Exception:
            return 401, "Unable to validate request against PubKey:invalid signature"
        if int.from_bytes(raw[32:], "big") > SECP256k1.order // 2:
            return 401, "Unable to validate request against PubKey:invalid signature"
        age = time.time() + self._ahead - int(stamp) / 1e9
        if age > OLDEST_SECONDS:
            return 400, "Request timestamp is too old"
        if age < -OLDEST_SECONDS:
            return 400, "Request timestamp is in the future"
        with self._lock:
            if signature in self._used:
                return 400, "AuthKey has already been used for a transfer request"
            self._used.add(signature)
        return None
