"""Vectors of texts: by the local model, by one behind LiteLLM, and through cassettes."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from models.cassette import Player, Recorder
from models.cassette_tape import Tape, TapeWriter
from models.embedding_door import EmbeddingDoor, EmbeddingTransport
from models.embeddings import EmbeddingFailed, LocalEmbedder
from models.exchange import Transport
from models.models_file import Backend, Models, ModelsFile


class Handler(BaseHTTPRequestHandler):
    """Answers with a text's length and first letter; `plan` are answers that come first."""

    plan: ClassVar[list[Any]] = []
    seen: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append(asked)
        texts = asked["input"]
        rows = [
            {"object": "embedding", "index": n, "embedding": [len(t), ord(t[0]) / 7, 0.5]}
            for n, t in enumerate(texts)
        ]
        usage = {"prompt_tokens": 3 * len(texts), "total_tokens": 3 * len(texts)}
        # Nothing promises the order.
        answer: Any = {"object": "list", "data": rows[::-1], "model": "m", "usage": usage}
        status = 200
        if self.plan:
            status, answer = self.plan.pop(0)
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def base_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    Handler.plan.clear()
    Handler.seen.clear()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def models_at(base_url: str) -> Models:
    backend = {"model": "openai/small", "base_url": base_url}
    entry = {"backends": [backend], "attempts": 2, "temperature": 0.3}
    prices = {"input": 2.0, "output": 0.0}
    return Models(ModelsFile.model_validate({"models": {"small": {**entry, "prices": prices}}}))


def test_a_served_model_gives_a_vector_for_each_text_and_its_price(base_url: str) -> None:
    door = EmbeddingDoor("small", models_at(base_url))
    texts = [chr(97 + n % 26) * (n + 1) for n in range(70)]
    found = door.embed(texts)
    assert [vector[0] for vector in found] == [n + 1 for n in range(70)]
    assert [len(asked["input"]) for asked in Handler.seen] == [64, 6]
    assert "temperature" not in Handler.seen[0]
    assert [call.text for call in door.calls] == ["", ""]
    assert door.note() == "small: 2 embedding calls, 210 tokens, $0.000420"


def test_what_nobody_asked_for_is_not_told(base_url: str) -> None:
    assert EmbeddingDoor("small", models_at(base_url)).note() == ""


@pytest.mark.parametrize(
    "first",
    [
        (503, {"error": {"message": "busy"}}),
        (200, {"object": "list", "data": [], "model": "m"}),
        (200, {"object": "list", "data": [{"index": 4, "embedding": [1.0]}], "model": "m"}),
        (200, {"object": "list", "data": [{"index": 0, "embedding": []}], "model": "m"}),
    ],
)
def test_what_passes_is_tried_again_and_what_stays_is_a_failure(
    base_url: str, first: tuple[int, Any]
) -> None:
    door = EmbeddingDoor("small", models_at(base_url))
    Handler.plan[:] = [first]
    assert door.embed(["abc"])[0][0] == 3
    Handler.plan[:] = [first, first]
    before = len(Handler.seen)
    with pytest.raises(EmbeddingFailed, match="small: "):
        door.embed(["abc"])
    assert len(Handler.seen) == before + 2
    with pytest.raises(EmbeddingFailed, match="not asked any more in this run: small: "):
        door.embed(["abc"])
    assert len(Handler.seen) == before + 2


def test_a_refusal_says_why_without_the_key(base_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-anybodys-eyes-1234567890")
    Handler.plan[:] = [(401, {"error": {"message": "bad sk-not-for-anybodys-eyes-1234567890"}})]
    with pytest.raises(EmbeddingFailed) as caught:
        EmbeddingDoor("small", models_at(base_url)).embed(["abc"])
    assert "sk-not" not in str(caught.value)


def test_a_recorded_embedding_is_played_without_a_network(base_url: str, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    writer = TapeWriter(tape)

    def recorded(backend: Backend) -> Transport:
        return Recorder(writer, EmbeddingTransport(backend))

    texts = ["one", "another"]
    made = EmbeddingDoor("small", models_at(base_url), recorded).embed(texts)
    writer.close()
    player = Player(Tape.load(tape))
    asked = len(Handler.seen)
    door = EmbeddingDoor("small", models_at(base_url), lambda _: player)
    assert door.embed(texts) == made
    assert len(Handler.seen) == asked
    with pytest.raises(EmbeddingFailed, match="tape"):
        door.embed(["a third"])
    with pytest.raises(EmbeddingFailed, match="tape"):
        door.embed(["a fourth"])


def refuse(*_: object) -> None:
    raise OSError("the network is refused")


def test_the_local_model_knows_what_is_alike_without_a_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    wage, money, bird = LocalEmbedder().embed(["wage increase", "a raise in salary", "seagulls"])
    near, far = (sum(a * b for a, b in zip(wage, other, strict=True)) for other in (money, bird))
    assert near > far
    assert not list(tmp_path.iterdir())
    assert not logging.getLogger().handlers or logging.getLogger().level != logging.INFO


def test_nothing_of_it_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, launch.cli, launch.embedding, company_tools.benchmark, launch.assembly\n"
        "found = {'numpy', 'bm25s', 'wordllama', 'litellm'} & sys.modules.keys()\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
