"""What a process loads and prepares before others are forked from it, found out by playing.

A child plays and dies; it tells which modules it had and what its brains were asked. Done again
here without playing, a single thread is left, and every fork has modules, patterns and templates.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from core.models.providers import Played
from core.models.tokens import count_text
from workshop.scripted import provider as brains

Asked = list[tuple[str, list[Any]]]


def warm(play: Callable[[], int]) -> None:
    """Prepare this process for whatever ``play`` does; it returns the exit code of the child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        asked: Asked = []
        code = 1
        try:
            _note(asked)
            code = play()
            with open(writer, "w") as told:
                json.dump([sorted(sys.modules), asked], told)
        finally:
            os._exit(code)
    os.close(writer)
    with open(reader) as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "what was played to learn from failed"
    modules, prompts = json.loads(said)
    for name in modules:
        # Some are no files: what a program was started with, or what a module made up.
        with suppress(ImportError):
            import_module(name)
    for _, messages in prompts:
        for message in messages:
            count_text(message["content"])
    gc.collect()
    gc.freeze()


def _note(asked: Asked) -> None:
    reply = brains.reply

    def noted(model: str, messages: list[Any], played: Played) -> Any:
        asked.append((model, messages))
        return reply(model, messages, played)

    brains.reply = noted
