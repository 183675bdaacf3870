"""What was asked before a process died is answered from its tapes, what is left is asked anew."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from core.models.cassette import Recorder
from core.models.cassette_tape import Tape, TapeWriter, params_hash, prompt_hash
from core.models.exchange import Reply, Request, Transport
from core.models.models_file import Backend

_Key: TypeAlias = tuple[str, str, str]


class Tapes:
    """The tapes of one piece of work, one for each process that was at it.

    A reply is on the disk before it is used: none is paid twice. Each recorded one answers once, in
    its order.
    """

    def __init__(self, folder: Path) -> None:
        """Read what there is, and begin a tape. Raises TapeError."""
        folder.mkdir(parents=True, exist_ok=True)
        earlier = sorted(folder.glob("*.jsonl"))
        self._left: defaultdict[_Key, deque[Reply]] = defaultdict(deque)
        for path in earlier:
            # One that died with its first line has nothing to tell.
            for one in Tape.load(path).exchanges if path.stat().st_size else ():
                if one.reply is not None:  # a failure is asked again: it may be over
                    key = one.request.model, one.prompt_sha256, one.params_sha256
                    self._left[key].append(one.reply)
        self._writer = TapeWriter(folder / f"{len(earlier):03d}.jsonl")
        self._lock = threading.Lock()

    def opener(self, open_: Callable[[Backend], Transport]) -> Callable[[Backend], Transport]:
        """What answers for a backend: the tapes, then what ``open_`` makes, recorded."""
        return lambda backend: _Rest(self, Recorder(self._writer, open_(backend)))

    def next(self, request: Request) -> Reply | None:
        """The next recorded reply to a request, which is used up; None: it has to be asked."""
        key = request.model, prompt_hash(request.messages), params_hash(request.params)
        with self._lock:
            left = self._left.get(key)
            return left.popleft() if left else None

    def close(self) -> None:
        """End the tape."""
        self._writer.close()


class _Rest:
    def __init__(self, tapes: Tapes, inner: Transport) -> None:
        self._tapes, self._inner = tapes, inner

    def send(self, request: Request, timeout: float) -> Reply:
        """The recorded reply, else the inner one. Raises ExchangeFailed, TapeError."""
        known = self._tapes.next(request)
        return self._inner.send(request, timeout) if known is None else known
