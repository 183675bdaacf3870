"""A store agent in one script, as `python main.py`: rules stand where others ask a model.

Like many it has a `.env` of its own that goes before what the shell says.
"""

import os
import re
from pathlib import Path

from erc3 import ERC3, ApiException, store

for line in Path(__file__).with_name(".env").read_text().splitlines():
    name, _, value = line.partition("=")
    os.environ[name] = value


def products(shop):
    offset = 0
    while offset >= 0:
        page = shop.dispatch(store.Req_ListProducts(offset=offset, limit=2))
        print("PAGE", offset, [one.sku for one in page.products or []])
        yield from page.products or []
        offset = page.next_offset


def play(shop, text):
    wanted = re.match(r"Buy (\d+)x (.+)", text)
    found = [one for one in products(shop) if wanted and one.name == wanted[2]]
    if not found:
        return
    try:
        shop.dispatch(store.Req_AddProductToBasket(sku=found[0].sku, quantity=int(wanted[1])))
        shop.dispatch(store.Req_CheckoutBasket())
    except ApiException as error:
        print(error.detail)


api = ERC3()
session = api.start_session("store", workspace="samples", name="one script", architecture="rules")
for task in api.session_status(session.session_id).tasks:
    api.start_task(task)
    play(api.get_store_client(task), task.task_text)
    api.log_llm(task.task_id, "openai/gpt-4o-mini", 0.1, "done", 100, 10)
    print(task.spec_id, api.complete_task(task).eval.score)
api.submit_session(session.session_id)
