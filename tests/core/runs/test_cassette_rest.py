"""After a death only what was not answered yet is asked again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from core.models.model_call import ExchangeFailed, Reply, Request
from core.models.models_file import Backend
from core.runs.cassette import Tapes

BACKEND = Backend(name="m", model="m")


def request(text: str) -> Request:
    return Request(model="m", messages=({"role": "user", "content": text},))


class Counting:
    """Says how often it was asked; fails where it is told to."""

    def __init__(self, fails: tuple[int, ...] = ()) -> None:
        self.asked, self._fails = 0, fails

    def send(self, request: Request, timeout: float) -> Reply:
        self.asked += 1
        if self.asked in self._fails:
            raise ExchangeFailed("network", "gone")
        return Reply(text=f"{request.messages[0]['content']} {self.asked}")


def life(folder: Path, inner: Counting, *texts: str) -> list[str]:
    with closing(Tapes(folder)) as tapes:
        transport = tapes.transport_factory(lambda _backend: inner)(BACKEND)
        return [transport.send(request(text), 1.0).text for text in texts]


def test_each_recorded_reply_answers_once_and_in_its_order(tmp_path: Path) -> None:
    first, second, third = Counting(), Counting(), Counting()
    assert life(tmp_path, first, "a", "b", "a") == ["a 1", "b 2", "a 3"]
    assert life(tmp_path, second, "a", "a", "c", "a") == ["a 1", "a 3", "c 1", "a 2"]
    assert second.asked == 2
    assert life(tmp_path, third, "a", "b", "a", "a", "c") == ["a 1", "b 2", "a 3", "a 2", "c 1"]
    assert third.asked == 0


def test_a_failure_is_asked_again(tmp_path: Path) -> None:
    with pytest.raises(ExchangeFailed):
        life(tmp_path, Counting(fails=(2,)), "a", "b")
    inner = Counting()
    assert life(tmp_path, inner, "a", "b") == ["a 1", "b 1"]


@pytest.mark.promise("nothing lost at a kill")
def test_what_a_death_has_cut_is_asked_again(tmp_path: Path) -> None:
    life(tmp_path, Counting(), "a", "b")
    (tape,) = tmp_path.glob("*.jsonl")
    tape.write_bytes(tape.read_bytes()[:-20])
    (tmp_path / "001.jsonl").write_bytes(b"")
    inner = Counting()
    assert life(tmp_path, inner, "a", "b") == ["a 1", "b 1"]
