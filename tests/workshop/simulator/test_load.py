"""Many tasks at once, through the client that agents use."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.erc3_client.own import ERC3, ApiException, store
from workshop.simulator.server import serve
from workshop.simulator.store.pack import Pack

TASKS = 200
THREADS = 16


def test_tasks_do_not_mix(
    make_pack: Callable[..., Pack], scenario_json: Callable[..., dict[str, object]]
) -> None:
    pack = make_pack(*(scenario_json(spec_id=f"tea-{number}") for number in range(TASKS)))
    with serve(pack) as simulator, ERC3(key="key-test", base_url=simulator.base_url) as api:
        session = api.start_session("store", "me")
        tasks = api.session_status(session.session_id).tasks

        def buy(number: int) -> tuple[float, int]:
            task = tasks[number]
            api.start_task(task)
            shop = api.get_store_client(task)
            for _ in range(number % 2 + 1):
                add = store.Req_AddProductToBasket(sku="tea-green", quantity=2)
                shop.dispatch(add)
            shop.dispatch(store.Req_AddProductToBasket(sku="cup", quantity=1))
            shop.dispatch(store.Req_ApplyCoupon(coupon="TEATIME"))
            with pytest.raises(ApiException, match="invalid coupon code: NO"):
                shop.dispatch(store.Req_ApplyCoupon(coupon="NO"))
            bought = shop.dispatch(store.Req_CheckoutBasket())
            api.log_llm(task.task_id, "m", 0.1, "done", 10, 1)
            evaluation = api.complete_task(task).eval
            assert evaluation is not None
            return evaluation.score, bought.total

        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(buy, range(TASKS)))
        assert results == [(1.0, 12), (0.0, 20)] * (TASKS // 2)
        status = api.session_status(session.session_id)
        assert (status.completed, status.score) == (TASKS, 0.5)
        assert api.submit_session(session.session_id).status == "submitted"
