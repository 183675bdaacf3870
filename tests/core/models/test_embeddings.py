"""Vectors of texts: by the local model, by one behind LiteLLM, and through cassettes."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.models.cassette import Player, Recorder
from core.models.cassette_tape import Tape, TapeWriter
from core.models.embedding_client import EmbeddingClient, EmbeddingTransport
from core.models.embeddings import EmbeddingFailed, LocalEmbedder
from core.models.exchange import Transport
from core.models.models_file import Backend, Models, ModelsFile
from tests.fake_embeddings import Handler, serving


@pytest.fixture
def base_url() -> Iterator[str]:
    with serving() as url:
        yield url


def models_at(base_url: str) -> Models:
    backend = {"model": "openai/small", "base_url": base_url}
    entry = {"backends": [backend], "attempts": 2, "temperature": 0.3}
    prices = {"input": 2.0, "output": 0.0}
    return Models(ModelsFile.model_validate({"models": {"small": {**entry, "prices": prices}}}))


def test_a_served_model_gives_a_vector_for_each_text_and_its_price(base_url: str) -> None:
    door = EmbeddingClient("small", models_at(base_url))
    texts = [chr(97 + n % 26) * (n + 1) for n in range(70)]
    found = door.embed(texts)
    assert [vector[0] for vector in found] == [n + 1 for n in range(70)]
    assert [len(asked["input"]) for asked in Handler.seen] == [64, 6]
    assert "temperature" not in Handler.seen[0]
    assert [call.text for call in door.calls] == ["", ""]
    assert door.note() == "small: 2 embedding calls, 210 tokens, $0.000420"


def test_what_nobody_asked_for_is_not_told(base_url: str) -> None:
    assert EmbeddingClient("small", models_at(base_url)).note() == ""


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
    door = EmbeddingClient("small", models_at(base_url))
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
        EmbeddingClient("small", models_at(base_url)).embed(["abc"])
    assert "sk-not" not in str(caught.value)


def test_a_recorded_embedding_is_played_without_a_network(base_url: str, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    writer = TapeWriter(tape)

    def recorded(backend: Backend) -> Transport:
        return Recorder(writer, EmbeddingTransport(backend))

    texts = ["one", "another"]
    made = EmbeddingClient("small", models_at(base_url), recorded).embed(texts)
    writer.close()
    player = Player(Tape.load(tape))
    asked = len(Handler.seen)
    door = EmbeddingClient("small", models_at(base_url), lambda _: player)
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
        "import sys, cli.cli, cli.embedding, company_tools.environment, cli.assembly\n"
        "found = {'numpy', 'bm25s', 'wordllama', 'litellm'} & sys.modules.keys()\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
