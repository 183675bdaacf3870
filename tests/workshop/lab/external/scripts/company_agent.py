"""An agent for the company as its authors write them for the official SDK; run by a test.

Rules stand where others ask a model: it knows the four tasks that the test has for it.
"""

import os
import textwrap
from datetime import date, timedelta
from typing import Literal

from erc3 import ERC3, ApiException, Erc3Client, TaskInfo
from erc3 import erc3 as dev
from erc3.erc3 import ProjectDetail
from pydantic import BaseModel


class Req_ListMyProjects(BaseModel):
    tool: Literal["/my-projects"] = "/my-projects"
    user: dev.EmployeeID
    changed_by: dev.EmployeeID | None = None


class Resp_ListMyProjects(BaseModel):
    projects: list[ProjectDetail]


class Req_RenamePage(dev.Req_UpdateWiki):
    old: str


def my_projects(api: Erc3Client, user: str) -> Resp_ListMyProjects:
    limit, offset, found = 32, 0, []
    while True:
        try:
            page = api.search_projects(
                offset=offset, limit=limit, include_archived=True, team=dict(employee_id=user)
            )
        except ApiException as e:
            if "page limit exceeded" not in str(e) or limit <= 4:
                raise
            limit /= 2
            continue
        for brief in page.projects or []:
            real = api.get_project(brief.id)
            if real.project:
                found.append(real.project)
        offset = page.next_offset
        if offset == -1:
            return Resp_ListMyProjects(projects=found)


def dispatch(api: Erc3Client, command: BaseModel) -> BaseModel:
    if isinstance(command, Req_ListMyProjects):
        return my_projects(api, command.user)
    if isinstance(command, Req_RenamePage):
        command.content = api.load_wiki(command.old).content
        done = api.dispatch(command)
        api.update_wiki(file=command.old, content="", changed_by=command.changed_by)
        return done
    if isinstance(command, dev.Req_UpdateEmployeeInfo):
        current = api.get_employee(command.employee).employee
        command.skills = command.skills or current.skills
        command.notes = command.notes or current.notes
    return api.dispatch(command)


def solve(api: Erc3Client, task: TaskInfo) -> dev.Req_ProvideAgentResponse:
    about = api.who_am_i()
    rules = "\n".join(api.load_wiki(path).content for path in api.list_wiki().paths)
    me = about.current_user
    if about.is_public and "salary" in task.task_text and "Guests" in rules:
        return dev.Req_ProvideAgentResponse(message="No.", outcome="denied_security")
    if "Rename" in task.task_text:
        old, new = (word for word in task.task_text.split() if word.endswith(".md"))
        dispatch(api, Req_RenamePage(file=new, content="", changed_by=me, old=old))
        links = [dev.AgentLink(kind="wiki", id=new)]
        return dev.Req_ProvideAgentResponse(message="Renamed.", outcome="ok_answer", links=links)
    mine = dispatch(api, Req_ListMyProjects(user=me))
    project = next(one for one in mine.projects if "touring" in one.description)
    member = next(one for one in project.team if one.role == "Engineer")
    entry = dispatch(
        api,
        dev.Req_LogTimeEntry(
            employee=member.employee,
            customer=project.customer,
            project=project.id,
            date=str(date.fromisoformat(about.today) - timedelta(days=1)),
            hours=3,
            work_category="customer_project",
            notes="",
            billable=True,
            status="draft",
            logged_by=me,
        ),
    )
    print("LOGGED", entry.model_dump_json(exclude_none=True, exclude_unset=True))
    return dev.Req_ProvideAgentResponse(
        message="Booked 3 hours.",
        outcome="ok_answer",
        links=[
            dict(kind="employee", id=member.employee),
            dict(kind="project", id=project.id),
        ],
    )


def run_agent(core: ERC3, task: TaskInfo) -> None:
    api = core.get_erc_client(task)
    try:
        answer = solve(api, task)
        api.dispatch(answer)
    except ApiException as e:
        print("ERR:", e.detail)
        core.get_erc_dev_client(task).provide_agent_response("Broken", outcome="error_internal")
    core.log_llm(
        task_id=task.task_id,
        model="none/rules",
        duration_sec=0.1,
        completion="done",
        prompt_tokens=1,
        completion_tokens=1,
    )


core = ERC3(key=os.getenv("ERC3_API_KEY"))
res = core.start_session(benchmark="erc3-dev", workspace="my", name="Rules", architecture="none")
for task in core.session_status(res.session_id).tasks:
    print("=" * 10, task.spec_id)
    core.start_task(task)
    run_agent(core, task)
    result = core.complete_task(task)
    if result.eval:
        print(f"SCORE: {result.eval.score}\n{textwrap.indent(result.eval.logs, '  ')}")
core.submit_session(res.session_id)
