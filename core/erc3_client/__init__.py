"""The platform's client: the official `erc3` if installed, else this project's own.

Names are resolved at their first use, so importing this package is fast. Which of the two
clients provides them is decided in `core.erc3_client.switch` (variable `ERC3_CLIENT`).
"""

from typing import TYPE_CHECKING, Any

from core.erc3_client import switch
from core.erc3_client.switch import transport_errors

if TYPE_CHECKING:
    from core.erc3_client.own.base import ApiError, ApiException
    from core.erc3_client.own.company import Erc3Client
    from core.erc3_client.own.core import ERC3, TaskInfo
    from core.erc3_client.own.store import StoreClient

__all__ = [
    "ERC3",
    "ApiError",
    "ApiException",
    "Erc3Client",
    "StoreClient",
    "TaskInfo",
    "connections",
    "transport_errors",
]


def connections() -> Any:
    """Return the ``session`` that makes the chosen client bound every response.

    None for our own client, which has bounds itself.
    """
    if switch.chosen() != "sdk":
        return None
    from core.erc3_client.sdk_session import bounded_session

    return bounded_session()


if not TYPE_CHECKING:  # a type checker shall see the names above and no others

    def __getattr__(name: str) -> object:
        if name in __all__:
            return getattr(switch.load(), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
