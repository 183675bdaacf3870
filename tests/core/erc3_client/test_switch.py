"""The one switch between the official SDK and our own client."""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from core import erc3_client
from core.erc3_client import company, own, store, switch

NO_SDK = find_spec("erc3") is None
STAND_IN = Path(__file__).parents[2] / "kit" / "official_sdk"


@pytest.fixture(autouse=True)
def _forget_choices() -> Iterator[None]:
    switch._is_installed.cache_clear()
    yield
    switch._is_installed.cache_clear()


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of the SDK's shapes, as if it were installed."""
    pytest.importorskip("requests")
    monkeypatch.syspath_prepend(STAND_IN)
    real = {name: sys.modules.pop(name) for name in _sdk_modules()}
    yield
    for name in _sdk_modules():
        del sys.modules[name]
    sys.modules.update(real)


def _sdk_modules() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "erc3"]


@pytest.mark.usefixtures("sdk")
@pytest.mark.parametrize(
    ("value", "choice"), [("compat", "compat"), ("sdk", "sdk"), ("auto", "sdk"), ("", "sdk")]
)
def test_an_installed_sdk_is_used_unless_ours_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, value: str, choice: str
) -> None:
    monkeypatch.setenv("ERC3_CLIENT", value)
    assert switch.chosen() == choice
    assert (erc3_client.ERC3 is own.ERC3) == (choice == "compat")
    assert (store.StoreClient is own.store.StoreClient) == (choice == "compat")
    assert (company.Erc3Client is own.company.Erc3Client) == (choice == "compat")
    assert (httpx.TransportError in erc3_client.transport_errors()) == (choice == "compat")
    assert (erc3_client.connections() is None) == (choice == "compat")


@pytest.mark.skipif(not NO_SDK, reason="the official SDK is installed")
def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERC3_CLIENT", raising=False)
    assert switch.chosen() == "compat"
    for value, error in (("sdk", ImportError), ("both", ValueError)):
        monkeypatch.setenv("ERC3_CLIENT", value)
        with pytest.raises(error, match="ERC3_CLIENT="):
            switch.load()


def test_every_promised_name_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_CLIENT", "compat")
    of_modules = (
        (erc3_client, erc3_client),
        (own, own),
        (store, own.store),
        (company, own.company),
    )
    for module, promising in of_modules:
        assert all(getattr(module, name) for name in promising.__all__)
        with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
            module.Nothing  # type: ignore[attr-defined] # noqa: B018
