r"""A small agent that sends everything again when it fails, as many agents do.

    erc3-agent effects --agent retrying="python examples/retrying_agent.py store"
    erc3-agent effects --benchmark company \
        --agent retrying="python examples/retrying_agent.py company"

When the acknowledgement of an answer is lost, it answers twice; the table counts that. A second
checkout finds the basket empty, so in the store it doubles nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from erc3 import ERC3, ApiException, erc3, store

TRIES = 3
api = ERC3(key=os.environ["ERC3_API_KEY"], base_url=os.environ["ERC3_BASE_URL"])


def send(call: Callable[[], Any]) -> Any:
    """Call until it succeeds: whether a failed call took effect is not asked."""
    for left in reversed(range(TRIES)):
        try:
            return call()
        except (ApiException, OSError):
            if not left:
                raise


def shop(task: Any) -> None:
    """Buy one of the first product that the task names."""
    client = api.get_store_client(task)
    page = send(lambda: client.dispatch(store.Req_ListProducts(offset=0, limit=0)))
    named = [one for one in page.products or [] if one.name.lower() in task.task_text.lower()]
    if named:
        add = store.Req_AddProductToBasket(sku=named[0].sku, quantity=1)
        send(lambda: client.dispatch(add))
        send(lambda: client.dispatch(store.Req_CheckoutBasket()))


def answer(task: Any) -> None:
    """Refuse guests, and ask everybody else what they mean."""
    client = api.get_erc_client(task)
    is_guest = send(client.who_am_i).is_public
    outcome = "denied_security" if is_guest else "none_clarification_needed"
    reply = erc3.Req_ProvideAgentResponse(message="?", outcome=outcome, links=[])
    send(lambda: client.dispatch(reply))


def main(benchmark: str) -> None:
    """Play a session of a benchmark."""
    session = api.start_session(benchmark, workspace="example", name="retrying")
    for task in api.session_status(session.session_id).tasks:
        api.start_task(task)
        try:
            shop(task) if benchmark == "store" else answer(task)
        except (ApiException, OSError) as error:
            print(task.spec_id, error, file=sys.stderr)
        usage = {"prompt_tokens": 900, "completion_tokens": 40}
        api.log_llm(task.task_id, "openai/gpt-4o-mini", 0.5, "", **usage)
        api.complete_task(task)
    api.submit_session(session.session_id)


if __name__ == "__main__":
    main(sys.argv[1])
