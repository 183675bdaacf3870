"""The platform's client: the official `erc3` where installed, else a small one of our own.

Every name is looked up at its first use, so importing this package costs nothing. Which of the two
clients stands behind the names is decided in `core.erc3_client.switch` (variable `ERC3_CLIENT`).
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
    """What to give the chosen client as its ``session``, for bounds on every answer.

    None for our own client, which brings them along.
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
