"""Which proxy a request goes through, by the variables of the environment."""

from __future__ import annotations

import importlib.util

import httpx
import pytest

from core.http.proxies import ProxyUnusable, is_loopback, proxy_of, variable_of

NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
FAR = "https://models.example/v1"
PROXY = "http://proxy.example:3128"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("variable", "url", "used"),
    [
        ("HTTPS_PROXY", FAR, True),
        ("https_proxy", FAR, True),
        ("ALL_PROXY", FAR, True),
        ("HTTP_PROXY", FAR, False),
        ("HTTP_PROXY", "http://models.example", True),
    ],
)
def test_the_variable_of_the_scheme_or_of_all_counts(
    monkeypatch: pytest.MonkeyPatch, variable: str, url: str, used: bool
) -> None:
    monkeypatch.setenv(variable, PROXY)
    assert proxy_of(url) == (PROXY if used else None)
    assert variable_of(url) == (variable if used else None)


@pytest.mark.parametrize("url", [
    "http://127.0.0.1:8000/v1", "http://127.9.8.7/v1", "http://localhost:1/v1", "http://[::1]:80/",
    "http://LOCALHOST/",
])  # fmt: skip
@pytest.mark.parametrize("proxy", [PROXY, "socks5://127.0.0.1:9", "nonsense://x"])
def test_loopback_goes_through_no_proxy(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy)
    assert is_loopback(httpx.URL(url).host)
    assert proxy_of(url) is None


@pytest.mark.parametrize(
    ("exempt", "url", "used"),
    [
        ("models.example", FAR, False),
        (".example", FAR, False),
        ("*.example", FAR, False),
        ("other.example, models.example", FAR, False),
        ("odels.example", FAR, True),
        ("*", FAR, False),
        ("models.example:443", FAR, False),
        ("models.example:80", FAR, True),
        ("10.0.0.0/8", "http://10.1.2.3/v1", False),
        ("10.0.0.0/8", "http://11.1.2.3/v1", True),
        ("fd07:b51a:cc66:f0::/64", "http://[fd07:b51a:cc66:f0::5]/", False),
        ("fd07:b51a:cc66:f0::/64", FAR, True),
        ("[fd00::1]", "http://[fd00::1]:8000/", False),
        ("[fd00::1]:8000", "http://[fd00::1]:8000/", False),
        ("[::1],fe80::/10,::", FAR, True),
        ("a/b/c,[,:::,,", FAR, True),
    ],
)
def test_what_no_proxy_names_goes_directly(
    monkeypatch: pytest.MonkeyPatch, exempt: str, url: str, used: bool
) -> None:
    monkeypatch.setenv("ALL_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", exempt)
    assert proxy_of(url) == (PROXY if used else None)


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks://127.0.0.1:9/"])
def test_a_socks_proxy_is_used_or_told_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ProxyUnusable, match=r"ALL_PROXY .*socksio.*unset ALL_PROXY"):
        proxy_of(FAR)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert (proxy_of(FAR) or "").startswith("socks5://127.0.0.1:9")


@pytest.mark.parametrize("proxy", ["nonsense://x:1", "http://", "http://[::1", "http://h:port"])
def test_what_names_no_proxy_is_told_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(ProxyUnusable, match="unset https_proxy"):
        proxy_of(FAR)
