"""Vectors of texts: from a provider, from a model on this machine, kept for each page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.models.embeddings import (
    BATCH,
    Embedder,
    EmbeddingFailed,
    PageVectors,
)

WORDS = ("soup", "kite", "rent")


def vector(text: str) -> list[float]:
    """How often a text has each of a few words."""
    return [float(text.casefold().count(word)) for word in WORDS]


class Counting(Embedder):
    """An embedder that counts what it is asked."""

    def __init__(self) -> None:
        super().__init__("counting")
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [vector(text) for text in texts]


PAGES = [["soup on Fridays", "a kite"], ["rent, rent and soup"]]


def test_the_likeness_is_the_cosine_with_each_part() -> None:
    likeness = PageVectors(Counting()).likeness("soup", PAGES)
    assert likeness == pytest.approx([1.0, 0.0, 1 / 5**0.5])
    assert PageVectors(Counting()).likeness("nothing", PAGES) == [0.0, 0.0, 0.0]
    assert PageVectors(Counting()).likeness("soup", [[], []]) == []


def test_a_page_is_embedded_once_and_again_where_it_has_changed(tmp_path: Path) -> None:
    first = Counting()
    vectors = PageVectors(first, tmp_path)
    for _ in range(2):
        vectors.likeness("soup", PAGES)
    assert first.asked == [*PAGES[0], *PAGES[1], "soup", "soup"]
    again = Counting()
    changed = [PAGES[0], ["rent and kite"]]
    assert PageVectors(again, tmp_path).likeness("kite", changed) == pytest.approx(
        [0, 1, 1 / 2**0.5]
    )
    assert again.asked == ["rent and kite", "kite"]


def test_damaged_vectors_are_made_again(tmp_path: Path) -> None:
    PageVectors(Counting(), tmp_path).likeness("soup", PAGES)
    files = sorted((tmp_path / "vectors").iterdir())
    files[0].write_bytes(b"no vectors")
    files[1].write_bytes(files[1].read_bytes()[:-4])
    likeness = PageVectors(Counting(), tmp_path).likeness("soup", PAGES)
    assert likeness == pytest.approx([1.0, 0.0, 1 / 5**0.5])


@pytest.mark.parametrize(
    "reply",
    [
        [[1.0]], [[1.0], [1.0, 2.0]], [[float("nan")] * 3] * 2, "words", [["a"], ["b"]], [], None,
    ],
)  # fmt: skip
@pytest.mark.promise("what comes from outside is bounded")
def test_a_model_without_usable_vectors_is_not_asked_again(reply: Any) -> None:
    class Bad(Counting):
        def embed(self, texts: Sequence[str]) -> Any:
            self.asked += texts
            return reply

    bad = Bad()
    vectors = PageVectors(bad)
    assert vectors.likeness("soup", PAGES) is None
    asked = len(bad.asked)
    assert vectors.likeness("soup", PAGES) is None
    assert len(bad.asked) == asked
    assert vectors.failed


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """A server that embeds as OpenAI does, in any order; what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            rows = [
                {"object": "embedding", "index": n, "embedding": vector(text)}
                for n, text in enumerate(body["input"])
            ]
            reply = {"object": "list", "data": rows[::-1], "model": "m", "usage": {
                "prompt_tokens": 1, "total_tokens": 1}}  # fmt: skip
            status = 401 if "refuse" in body["input"] else 200
            text = json.dumps(
                reply if status == 200 else {"error": {"message": "Bad key secret-key-1234"}}
            )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key-1234")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    yield asked
    server.shutdown()
    server.server_close()


def test_a_provider_is_asked_in_batches_and_its_order_is_put_right(
    provider: list[dict[str, Any]],
) -> None:
    texts = [f"{'soup ' * n}kite" for n in range(BATCH + 1)]
    rows = Embedder("openai/some-embedder").embed(texts)
    assert [list(row) for row in rows] == [vector(text) for text in texts]
    assert [len(body["input"]) for body in provider] == [BATCH, 1]
    assert provider[0]["model"] == "some-embedder"


@pytest.mark.promise("no secret in an output")
def test_a_provider_that_refuses_is_a_failure_without_its_secrets(
    provider: list[dict[str, Any]],
) -> None:
    with pytest.raises(EmbeddingFailed) as failed:
        Embedder("openai/some-embedder").embed(["refuse"])
    assert "secret-key-1234" not in str(failed.value)


def test_a_local_model_needs_no_provider(tmp_path: Path) -> None:
    model2vec = pytest.importorskip("model2vec")
    numpy = pytest.importorskip("numpy")
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: n for n, word in enumerate((*WORDS, "[UNK]"))}
    words = tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    rows = numpy.eye(4, dtype=numpy.float32)
    model2vec.StaticModel(rows, tokenizer).save_pretrained(tmp_path)
    embedder = Embedder(f"local/{tmp_path}")
    likeness = PageVectors(embedder).likeness("soup", [["soup", "kite"], ["rent"]])
    assert likeness == pytest.approx([1.0, 0.0, 0.0])


def test_a_local_model_that_is_not_there_is_a_clear_failure(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        Embedder(f"local/{tmp_path / 'none'}")
