"""The company, as the command line plays it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from cli.benchmarks import Declaration, RunContext, ToolTexts, verify_stage
from company_tools import environment, workbench
from company_tools.guards import guards_off
from company_tools.rule_book import TOPICS, RuleBooks
from company_tools.stages import entities, rights, rule_book, wording
from company_tools.wiki_pages import Combo_Read_Wiki_Pages
from company_tools.wiki_store import WikiStore
from coordinator.benchmark import ResultWords
from coordinator.stages import StageSpec, chosen
from core.models.embeddings import EmbeddingFailed, PageVectors, open_embedder
from core.models.extras import ExtraMissing
from core.models.prompts import prompt, template_sections
from core.models.sections import Texts
from core.runs.errors import Usage

STAGE_TEMPLATES = ("entities", "rule_book", "guest", "policy", "current_user", "wording")


def _switched(run: RunContext, specs: Sequence[StageSpec]) -> tuple[frozenset[str], set[str]]:
    """The guards that are off and the stages that are on. Raises Usage."""
    try:
        off = guards_off(run.guards)
    except ValueError as error:
        raise Usage(f"--guards: {error}") from None
    try:
        on = {spec.name for spec in chosen(run.stages, (*specs, verify_stage(run.overrides)))}
    except ValueError as error:
        raise Usage(f"--stages: {error}") from None
    return off, on


def _vectors(run: RunContext) -> PageVectors | None:
    """What searches a wiki by meaning; None: nothing does. Raises Usage: there is no such model."""
    if not run.embedding:
        return None
    try:
        return PageVectors(open_embedder(run.embedding), run.cache)
    except (EmbeddingFailed, ExtraMissing) as error:
        raise Usage(f"--embedding: {error}") from None


def declare(run: RunContext) -> Declaration:
    """Declare the company benchmark. Raises Usage: there is no such guard or stage."""
    specs = stages(run.overrides)
    off, on = _switched(run, specs)
    wiki, books = WikiStore(run.cache, _vectors(run)), RuleBooks(run.books)
    brief_rules = "rule_book" not in on

    def open_task(platform: Any, task_id: str, docs: ToolTexts) -> environment.CompanyEnvironment:
        client = platform.get_erc_client(SimpleNamespace(task_id=task_id))

        def log() -> Any:
            return platform.task_detail(task_id).logs or ()

        return environment.CompanyEnvironment(
            client, run.retry_policy, wiki, off, log, docs, run.rulebooks, books, brief_rules
        )

    return Declaration(
        rules=environment.RULES,
        final_answer=environment.ENDING,
        open=open_task,
        tools=workbench.tools,
        stages=specs,
        page_tool=Combo_Read_Wiki_Pages.__name__,
        sections=lambda: template_sections(entities.PROMPTS, *STAGE_TEMPLATES),
        stage_tools=lambda: [rights.question_tool(str)],
        results=ResultWords(
            harm_name=workbench.HARM_NAME,
            groups=workbench.GROUPS,
            idle_group=None,
            brief=workbench.changes_line,
            expected=workbench.expected,
            harmed=workbench.harmed,
        ),
    )


def stages(texts: Texts) -> tuple[StageSpec, ...]:
    """Names, rules, guests, rights, then the words of the answer."""
    return (*_stages_before(texts), *_stages_behind(texts))


def _stages_before(texts: Texts) -> tuple[StageSpec, ...]:
    return (
        StageSpec(
            "entities",
            "one model call finds the subjects and names of the task; code resolves the names",
            "before",
            partial(entities.Entities, texts=texts),
            prompt=partial(prompt, entities.PROMPTS, "entities", texts, topics=TOPICS),
            remember=entities.remember,
        ),
        StageSpec(
            "rule_book",
            "finds the wiki's rules for the user, once per version of a large wiki",
            "before",
            partial(rule_book.RuleBook, texts=texts),
            prompt=partial(prompt, entities.PROMPTS, "rule_book", texts, topics=TOPICS),
            version=attrgetter("rules_version"),
            remember=rule_book.remember,
        ),
        StageSpec(
            "guest",
            "adds the public playbook if the user is not signed in",
            "before",
            partial(rights.Guest, texts=texts),
        ),
        StageSpec(
            "ties",
            "states how the user is related to what is named",
            "before",
            partial(rights.Ties, texts=texts),
        ),
        StageSpec(
            "policy",
            "asks a model whether the request is allowed; a refusal with its rule ends the task",
            "before",
            partial(rights.Policy, texts=texts),
            default=False,
            prompt=partial(prompt, entities.PROMPTS, "policy", texts),
        ),
    )


def _stages_behind(texts: Texts) -> tuple[StageSpec, ...]:
    return (
        StageSpec(
            "current_user",
            "adds the tool Ask_Current_User(question): what the user may do, in words",
            "tool",
            partial(rights.CurrentUser, texts=texts),
            default=False,
            prompt=partial(prompt, entities.PROMPTS, "current_user", texts),
            tool=partial(rights.question_tool, texts=texts),
        ),
        StageSpec(
            "wording",
            "puts the message into the language of the question",
            "words",
            partial(wording.Wording, texts=texts),
            default=False,
            prompt=partial(prompt, entities.PROMPTS, "wording", texts),
        ),
    )
