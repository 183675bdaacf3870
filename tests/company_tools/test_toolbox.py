"""Which tools there are, for whom, and what their texts cost."""

from __future__ import annotations

from typing import Any

import pytest

from company_tools.company_session import CompanySession
from company_tools.environment import ENDING, RULES
from company_tools.final_answer import final_answer_tool
from company_tools.rule_book import TOPICS
from company_tools.stages.entities import PROMPTS
from company_tools.toolbox import all_tools, offered
from company_tools.wiki_store import WikiStore
from core.erc3_client import ApiError, ApiException
from core.erc3_client.own import company_models
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger import Ledger, ToolFault
from core.models.prompts import prompt
from core.models.tokens import count_text
from next_step.forms import Forms, Misuse
from playbooks.library import prose
from tests.company_tools.kites import toolbox
from tests.company_tools.played_task import PlayedTask
from worker.worker import system_prompt

REQUESTS = {
    model.__name__ for name in company_models.REQUESTS if (model := getattr(company_models, name))
}


def test_every_request_is_a_tool_but_for_the_answer() -> None:
    names = {tool.name for tool in all_tools(toolbox().session, WikiStore())}
    assert len(REQUESTS) == 24
    assert {n for n in names if n.startswith("Req_")} == REQUESTS - {"Req_ProvideAgentResponse"}


def test_no_tool_takes_who_acts() -> None:
    for tool in all_tools(toolbox().session, WikiStore()):
        assert not {"changed_by", "logged_by"} & set(tool.signature.parameters)


def test_the_workers_prompt_stays_within_its_tokens() -> None:
    tools = all_tools(toolbox().session, WikiStore())
    told = system_prompt(tools)
    assert count_text(told) <= 1_700
    for tool in tools:
        assert (f"\n{tool.name}(" in told) is tool.told
        assert tool.told or tool.name.startswith("Req_")


@pytest.mark.parametrize(
    ("part", "tokens"),
    [("evaluator", 1_775), ("entities", 490), ("policy", 910), ("policy_guest", 220)],
)
def test_what_stands_in_front_of_every_task_stays_within_its_tokens(part: str, tokens: int) -> None:
    """Twenty reference tasks, answered by who wrote them, took 5,000 tokens each in 1.15 turns."""
    text = "\n".join((RULES, prose("company"), ENDING))
    if part != "evaluator":
        text = prompt(PROMPTS, part, topics=TOPICS)
    assert 0 < count_text(text) <= tokens


def test_the_worker_is_told_the_same_tools_whatever_the_task() -> None:
    prompts = set[str]()
    for one in (PlayedTask(), PlayedTask(user="juergen_mueller", task_text="Pause Bright Sails.")):
        with one.benchmark.bind(Ledger()) as tools:
            prompts.add(system_prompt(tools))
    assert len(prompts) == 1


@pytest.mark.promise("no order from a text")
def test_a_guest_has_neither_people_nor_changes() -> None:
    at = toolbox(user=None)
    assert set(at.ledger.names) == {
        "Req_WhoAmI", "Req_ListWiki", "Req_LoadWiki", "Req_SearchWiki",
        "Combo_Get_Current_User_With_Profile", "Combo_Search_Wiki_For_Words",
        "Combo_Read_Wiki_Pages",
    }  # fmt: skip
    assert all(tool.kind == "read" for tool in at.ledger.tools)
    told = at.data("Combo_Get_Current_User_With_Profile")
    assert (told["guest"], told["user"], told["profile"]) == (True, "", None)
    assert at.call("Combo_Read_Wiki_Pages")["results"][-1]["primary"] == "rules.md"
    with pytest.raises(ToolFault, match="no tool"):
        at.call("Req_ListEmployees")


def test_where_nobody_can_tell_who_asks_the_tools_are_public_and_it_is_asked_once() -> None:
    at = toolbox(whoami_status=404)
    assert "Req_ListEmployees" not in at.ledger.names
    assert {t.name for t in offered(all_tools(at.session, WikiStore()), at.session)} == set(
        at.ledger.names
    )
    assert at.line.paths() == []
    told = at.call("Combo_Get_Current_User_With_Profile")
    assert (told["results"][0]["data"], told["fatal_error"]["status"]) == (None, 404)


def test_an_outage_is_no_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dead:
        def dispatch(self, request: Any) -> Any:
            raise ApiException(ApiError(status=503, error="down", code=""), None)

    session = CompanySession(Dead(), RetryPolicy(0))
    with pytest.raises(ToolFault, match="no usable answer"):
        offered(all_tools(session, WikiStore()), session)


def test_an_agent_of_typed_steps_may_spell_as_it_likes_too() -> None:
    tools = [*all_tools(toolbox().session, WikiStore()), final_answer_tool()]
    forms = Forms(tools)
    assert {tool.name for tool in forms.tools} == {t.name for t in tools if t.told and not t.final}
    name = "Combo_Update_Team_For_Changes"
    member = {"EmployeeId": "una_berg", "timeSlice": "40%", "Role": "qa"}
    form = forms.check({"tool": name, "Project": "proj_sails", "add": member})
    assert form.model_dump(exclude_unset=True) == {
        "tool": name,
        "project": "proj_sails",
        "add": [{"employee": "una_berg", "time_slice": 0.4, "role": "QA"}],
    }
    with pytest.raises(Misuse, match="expected Combo_Update_Team_For_Changes"):
        forms.check({"tool": name, "project": "proj_sails", "add": {"who": 1}})
