"""Providers of our own: who answers without network, key or LiteLLM.

The command line registers them. A provider is imported when a model of it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from core.models.exchange import Reply
    from core.models.model_call import Message

CASSETTE = "cassette"
"""Prefix of ids that a recording answers for."""
GONKA = "gonka"
"""Prefix of ids that the Gonka network answers for, which LiteLLM knows nothing of."""


class Provider(Protocol):
    """What answers for all ids of one prefix; a module can be one."""

    def names(self) -> Sequence[str]:
        """The models that it has, without the prefix."""

    def reply(self, model: str, messages: list[Message], /) -> str | Reply:
        """Model name without its prefix, prompt -> reply; of a Reply without usage it is counted.

        Raises:
            LookupError: there is no such model, or it has no answer.
            ExchangeFailed: as a served model would fail.
        """


_known: dict[str, Callable[[], Provider]] = {}


def register(prefix: str, load: Callable[[], Provider]) -> None:
    """Have ``prefix/...`` answered by what ``load`` gives, which is called again and again."""
    _known[prefix] = load


def prefixes() -> tuple[str, ...]:
    """The prefixes of all ids that are ours."""
    return tuple(_known)


def provider(prefix: str) -> Provider:
    """Who answers for a prefix. Raises KeyError for one that is not ours."""
    return _known[prefix]()


def is_rule_based(model: str) -> bool:
    """Whether a model id names a provider of ours, which needs no key and costs nothing."""
    return model.split("/", 1)[0] in _known


def is_served(model: str) -> bool:
    """Whether a model id is answered by LiteLLM, and neither here nor by a recording."""
    return model.split("/", 1)[0] not in (*_known, CASSETTE)
