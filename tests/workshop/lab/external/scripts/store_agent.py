"""An agent for the store as its authors write them for the official SDK; run by a test."""

import sys
import textwrap

from erc3 import ERC3, ApiException, TaskInfo, store

MODEL = "none/rules"


def run_agent(api: ERC3, task: TaskInfo, benchmark: str) -> None:
    shop = api.get_store_client(task)
    for step in [
        store.Req_ListProducts(offset=0, limit=10),
        store.Req_ListProducts(offset=0, limit=2),
        store.Req_AddProductToBasket(sku="pen", quantity=2),
        store.Req_ViewBasket(),
        store.Req_CheckoutBasket(),
    ]:
        try:
            result = shop.dispatch(step)
            print("OUT:", result.model_dump_json(exclude_none=True, exclude_unset=True))
        except ApiException as e:
            print("ERR:", e.detail, "|", e.api_error.error)
    api.log_llm(
        task_id=task.task_id,
        model=MODEL,
        duration_sec=0.1,
        completion=f"{benchmark}: bought two pens",
        prompt_tokens=10,
        completion_tokens=5,
        cached_prompt_tokens=0,
    )


def main() -> None:
    core = ERC3()
    benchmark = sys.argv[1]
    res = core.start_session(
        benchmark=benchmark, workspace="my", name="Rules", architecture="no model"
    )
    status = core.session_status(res.session_id)
    print(f"Session has {len(status.tasks)} tasks")
    for task in status.tasks:
        print(f"Starting Task: {task.spec_id}: {task.task_text}")
        core.start_task(task)
        try:
            run_agent(core, task, benchmark)
        except Exception as e:
            print(e)
        result = core.complete_task(task)
        if result.eval:
            print(f"SCORE: {result.eval.score}\n{textwrap.indent(result.eval.logs, '  ')}")
    core.submit_session(res.session_id)
    print("DONE", core.session_status(res.session_id).status)


if __name__ == "__main__":
    main()
