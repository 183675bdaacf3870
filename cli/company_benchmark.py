"""The company, as the command line plays it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from cli.benchmarks import Declaration, RunContext, ToolTexts
from company_tools import environment, results, workbench
from company_tools.guards import guards_off
from company_tools.stages import current_user, entities, guest, policy, wording
from company_tools.wiki_store import WikiStore
from coordinator.benchmark import ResultWords
from coordinator.stages import StageSpec
from core.models.prompts import template_sections
from core.models.sections import Texts
from core.runs.errors import Usage

STAGE_TEMPLATES = ("entities", "guest", "policy", "current_user", "wording")


def declare(run: RunContext) -> Declaration:
    """What the company brings. Raises Usage: there is no guard of a name in ``--guards``."""
    try:
        off = guards_off(run.guards)
    except ValueError as error:
        raise Usage(f"--guards: {error}") from None
    wiki = WikiStore(run.cache)

    def open_task(platform: Any, task_id: str, docs: ToolTexts) -> environment.CompanyEnvironment:
        client = platform.get_erc_client(SimpleNamespace(task_id=task_id))

        def log() -> Any:
            return platform.task_detail(task_id).logs or ()

        return environment.CompanyEnvironment(
            client, run.retry_policy, wiki, off, log, docs, run.rulebooks
        )

    return Declaration(
        rules=environment.RULES,
        final_answer=environment.ENDING,
        open=open_task,
        tools=workbench.tools,
        stages=stages(run.overrides),
        sections=lambda: template_sections(entities.PROMPTS, *STAGE_TEMPLATES),
        stage_tools=lambda: [current_user.question_tool(str)],
        results=ResultWords(
            harm_name=results.HARM_NAME,
            groups=results.GROUPS,
            idle_group=None,
            brief=results.changes_line,
            expected=results.expected,
            harmed=results.harmed,
        ),
    )


def stages(texts: Texts) -> tuple[StageSpec, ...]:
    """Names, guests, rights, then the words of the answer."""
    return (
        StageSpec(
            "entities",
            "names of the task, by rule and by one small call for what is left",
            "before",
            partial(entities.Entities, texts=texts),
            prompt=partial(entities.system, texts),
            remember=entities.remember,
        ),
        StageSpec(
            "guest",
            "the public playbook for who is not signed in",
            "before",
            partial(guest.Guest, texts=texts),
        ),
        StageSpec(
            "policy",
            "whether the requester may have it: facts and rule lines; a denial closes the task",
            "before",
            partial(policy.Policy, texts=texts),
            prompt=partial(policy.system, texts),
        ),
        StageSpec(
            "current_user",
            "Ask_Current_User(question): in words, what the user may do and is tied to",
            "tool",
            partial(current_user.CurrentUser, texts=texts),
            default=False,
            prompt=partial(current_user.system, texts),
            tool=partial(current_user.question_tool, texts=texts),
        ),
        StageSpec(
            "wording",
            "language, digits, dates, Yes or No of the message",
            "words",
            partial(wording.Wording, texts=texts),
            prompt=partial(wording.system, texts),
        ),
    )
