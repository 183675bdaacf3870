"""LiteLLM, imported late, offline and quiet; where a run will need it, beside the run's start."""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import logging
import os
import sys
import threading
from contextlib import suppress
from typing import Any

# The import reads these: without them it fetches a price map from the network and loads
# a .env file found above site-packages.
_BEFORE_IMPORT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "HF_HUB_OFFLINE": "1",
}
_lock = threading.Lock()
_loaded: Any = None


class _Ended(importlib.abc.MetaPathFinder):
    """Ends the import in a thread when the main thread is over; finds nothing itself.

    A thread that is left behind in C when the interpreter ends would take the process with it.
    It is never taken out: another thread may be going through the list.
    """

    def __init__(self) -> None:
        self.thread = threading.current_thread()

    def find_spec(self, *_: object) -> None:
        if threading.current_thread() is self.thread and not threading.main_thread().is_alive():
            raise SystemExit


def begin() -> None:
    """Begin to load it in a thread; :func:`load` waits for that, and raises what went wrong.

    For when the program's own modules are loaded: two threads that import what imports each other
    may meet halfway.
    """
    if _loaded is None:
        threading.Thread(target=_beside, name="litellm").start()


def _beside() -> None:
    sys.meta_path.insert(0, _Ended())
    with suppress(Exception):  # whoever needs it tries again, and meets the same
        load()


def load() -> Any:
    """The ``litellm`` module, ready to use; seconds the first time, nothing afterwards."""
    global _loaded
    if _loaded is not None:
        return _loaded
    with _lock:
        if _loaded is None:
            for name, value in _BEFORE_IMPORT.items():
                os.environ.setdefault(name, value)
            litellm = _imported()
            litellm.suppress_debug_info = True
            litellm.disable_hf_tokenizer_download = True
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
            from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

            from core.models.chat_http import open_session

            session = open_session(get_ssl_configuration())
            litellm.client_session, litellm.sync_transport = session
            _loaded = litellm
    return _loaded


def _imported() -> Any:
    """The module, loaded without the collections that would take a quarter of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module("litellm")
    finally:
        if collecting:
            gc.enable()
