"""A company agent in a package, as `python -m clerk`."""

import sys

from erc3 import ERC3

from .answers import answer_of

with ERC3() as api:
    session = api.start_session(sys.argv[1], workspace="samples", name="clerk")
    for task in api.session_status(session.session_id).tasks:
        api.start_task(task)
        company = api.get_erc_dev_client(task)
        company.dispatch(answer_of(company))
        api.log_llm(task_id=task.task_id, model="m", duration_sec=0.1, usage={"input_tokens": 5})
        print(task.spec_id, api.complete_task(task).eval.score)
    api.submit_session(session.session_id)
