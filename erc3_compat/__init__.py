"""The platform's client: the official `erc3` where installed, else a small one of our own.

Every name is looked up at its first use, so importing this package costs nothing. Which of the two
clients stands behind the names is decided in `erc3_compat.switch` (variable `ERC3_CLIENT`).
"""

from typing import TYPE_CHECKING, Any

from erc3_compat import switch
from erc3_compat.switch import transport_errors

if TYPE_CHECKING:
    from erc3_compat.own.base import ApiError, ApiException
    from erc3_compat.own.company import Erc3Client
    from erc3_compat.own.core import ERC3, TaskInfo
    from erc3_compat.own.store import StoreClient

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
    from erc3_compat.sdk_session import bounded_session

    return bounded_session()


if not TYPE_CHECKING:  # a type checker shall see the names above and no others

    def __getattr__(name: str) -> object:
        if name in __all__:
            return getattr(switch.load(), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
