"""LiteLLM, imported at its first use, offline and quiet."""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import Any

# The import reads these: without them it fetches a price map from the network and loads
# a .env file found above site-packages.
_BEFORE_IMPORT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "HF_HUB_OFFLINE": "1",
}


@cache
def load() -> Any:
    """The ``litellm`` module, ready to use; seconds the first time, nothing afterwards."""
    for name, value in _BEFORE_IMPORT.items():
        os.environ.setdefault(name, value)
    import litellm
    from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

    from core.models.chat_http import open_session

    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    session = open_session(get_ssl_configuration())
    litellm.client_session, litellm.sync_transport = session
    return litellm
