"""What our own client promises beyond the contract: unreadable answers, keys, connections."""

from collections.abc import Callable
from types import SimpleNamespace

import httpx
import pytest
from pydantic import ValidationError

from core.erc3_client.own import ERC3, ApiError, ApiException, store
from core.erc3_client.own.core import Req_SearchSessions, Req_StartSession, Resp_GetKey

KEY = "key-5ecret"
TASK = SimpleNamespace(task_id="tsk-1")


def api_answering(answer: Callable[[httpx.Request], httpx.Response] | httpx.Response) -> ERC3:
    def handle(request: httpx.Request) -> httpx.Response:
        return answer if isinstance(answer, httpx.Response) else answer(request)

    http = httpx.Client(transport=httpx.MockTransport(handle))
    return ERC3(key=KEY, base_url="http://platform/", session=http)


def failure(answer: httpx.Response) -> ApiException:
    with pytest.raises(ApiException) as caught:
        api_answering(answer).get_store_client(TASK).dispatch(store.Req_ViewBasket())
    return caught.value


def test_text_that_is_no_json() -> None:
    for status in (200, 502):
        error = failure(httpx.Response(status, text="<html>Bad Gateway</html>"))
        text = "<html>Bad Gateway</html>"
        assert error.api_error == ApiError(status=status, error=text, code="")
        assert str(error) == text


def test_refusal_with_another_body() -> None:
    error = failure(httpx.Response(500, json={"message": "oops"}))
    assert error.api_error.status == 500
    assert error.api_error.code == "validated"
    assert "oops" in str(error)
    assert failure(httpx.Response(500, json=["oops"])).api_error.code == "validated"


def test_answer_that_does_not_fit_its_model() -> None:
    error = failure(httpx.Response(200, json={"items": 3, "subtotal": 1, "total": 1}))
    assert str(error).startswith("Invalid response payload: 1 validation error for Resp_ViewBasket")
    assert error.detail.startswith("Error 200: status=200 error=")


def test_null_lists_are_empty() -> None:
    api = api_answering(httpx.Response(200, json={"items": None, "subtotal": 0, "total": 0}))
    client = api.get_store_client(TASK)
    assert client.dispatch(store.Req_ViewBasket()).items == []
    assert client.dispatch(store.Req_CheckoutBasket()).items == []
    api = api_answering(httpx.Response(200, json={"products": None, "next_offset": -1}))
    assert api.get_store_client(TASK).dispatch(store.Req_ListProducts()).products == []


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.ReadError])
def test_network_errors_surface(error: type[httpx.TransportError]) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error("gone")

    with pytest.raises(error):
        api_answering(fail).session_status("ssn-1")


def test_requests_on_the_wire() -> None:
    seen: list[tuple[str, str]] = []

    def note(request: httpx.Request) -> httpx.Response:
        seen.append((str(request.url), request.content.decode()))
        return httpx.Response(200, json={"line_count": 1, "item_count": 1, "task_id": "tsk-1"})

    api = api_answering(note)
    api.get_store_client(TASK).dispatch(store.Req_AddProductToBasket(sku="pen", quantity=1))
    with pytest.raises(ApiException):
        api.start_task(TASK)
    assert seen == [
        (
            "http://platform/store/tsk-1/basket/add",
            '{"tool":"/basket/add","sku":"pen","quantity":1}',
        ),
        ("http://platform/tasks/start", '{"task_id":"tsk-1"}'),
    ]


@pytest.mark.promise("no secret in an output")
def test_the_key_shows_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERC3_API_KEY", KEY)
    answer = httpx.Response(400, json={"status": 400, "error": f"no account {KEY}", "code": ""})
    http = httpx.Client(transport=httpx.MockTransport(lambda request: answer))
    api = ERC3(base_url="http://platform", session=http)
    assert api.key == KEY
    with pytest.raises(ApiException) as caught:
        api.start_session("store", "me")
    error = caught.value
    assert str(error) == "no account key-***"
    shown = [api, api.get_store_client(TASK), error, error.detail, error.api_error]
    shown += [Req_SearchSessions(account_key=KEY), Resp_GetKey(key=KEY)]
    with pytest.raises(ValidationError) as invalid:
        Req_StartSession.model_validate({"account_key": KEY})
    shown.append(invalid.value)
    assert [one for one in shown if KEY in repr(one) or KEY in str(one)] == []


def test_no_key_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ERC3_API_KEY", raising=False)
    with ERC3() as api, pytest.raises(ValueError, match="ERC3_API_KEY"):
        api.search_sessions()


def test_close_leaves_a_borrowed_connection_open() -> None:
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as http:
        ERC3(session=http).close()
        assert not http.is_closed


def test_own_connections_ignore_a_proxy_on_loopback(
    monkeypatch: pytest.MonkeyPatch, base_url: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with ERC3(key=KEY, base_url=base_url) as api:
        assert api.list_benchmarks().benchmarks[0].id == "store"
    with pytest.raises(RuntimeError, match="closed"):
        api.list_benchmarks()
