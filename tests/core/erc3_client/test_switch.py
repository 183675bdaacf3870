"""The one switch between the official SDK and our own client."""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from core import erc3_client as erc3_compat
from core.erc3_client import company, own, store, switch

NO_SDK = find_spec("erc3") is None


@pytest.fixture(autouse=True)
def _forget_choices() -> Iterator[None]:
    switch._is_installed.cache_clear()
    yield
    switch._is_installed.cache_clear()


@pytest.fixture
def fake_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "erc3"
    package.mkdir()
    (package / "__init__.py").write_text("class ERC3: ...\n")
    (package / "store.py").write_text("class Req_ViewBasket: ...\n")
    (package / "erc3").mkdir()
    (package / "erc3" / "__init__.py").write_text("class Req_WhoAmI: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    real = {name: sys.modules.pop(name) for name in _sdk_modules()}
    yield
    for name in _sdk_modules():
        del sys.modules[name]
    sys.modules.update(real)


def _sdk_modules() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "erc3"]


def test_forced_compat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_CLIENT", "compat")
    assert switch.chosen() == "compat"
    assert erc3_compat.ERC3 is own.ERC3
    assert store.Req_ViewBasket is own.store.Req_ViewBasket
    assert company.Req_WhoAmI is own.company.Req_WhoAmI
    assert erc3_compat.transport_errors() == (httpx.TransportError,)


@pytest.mark.usefixtures("fake_sdk")
@pytest.mark.parametrize("value", ["sdk", "auto", ""])
def test_an_installed_sdk_is_used(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ERC3_CLIENT", value)
    assert switch.chosen() == "sdk"
    assert erc3_compat.ERC3.__module__ == "erc3"
    assert store.Req_ViewBasket.__module__ == "erc3.store"
    assert company.Req_WhoAmI.__module__ == "erc3.erc3"


@pytest.mark.usefixtures("fake_sdk")
def test_compat_wins_over_an_installed_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_CLIENT", "compat")
    assert erc3_compat.ERC3 is own.ERC3


@pytest.mark.skipif(not NO_SDK, reason="the official SDK is installed")
def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERC3_CLIENT", raising=False)
    assert switch.chosen() == "compat"
    monkeypatch.setenv("ERC3_CLIENT", "sdk")
    with pytest.raises(ImportError, match="ERC3_CLIENT=sdk, but the package erc3 is not"):
        switch.load()


def test_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_CLIENT", "both")
    with pytest.raises(ValueError, match="use auto, sdk or compat"):
        switch.chosen()


@pytest.mark.parametrize(
    ("module", "promised"),
    [
        pytest.param(erc3_compat, erc3_compat.__all__, id="root"),
        pytest.param(own, own.__all__, id="own"),
        pytest.param(store, own.store.__all__, id="store"),
        pytest.param(company, own.company.__all__, id="company"),
    ],
)
def test_every_promised_name_is_there(
    module: ModuleType, promised: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERC3_CLIENT", "compat")
    for name in promised:
        assert getattr(module, name)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        module.Nothing  # noqa: B018
