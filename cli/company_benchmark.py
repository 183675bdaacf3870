"""The company, as the command line plays it."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from types import SimpleNamespace

import regex

from company_tools import environment, results
from company_tools.guards import NAMES
from company_tools.rule_book import TOPICS, RuleBooks
from company_tools.stages import entities, rights, rule_book, wording
from company_tools.toolbox import shown_tools
from company_tools.wiki_pages import Combo_Read_Wiki_Pages
from company_tools.wiki_store import WikiStore
from coordinator.benchmark import Benchmark, DirectCall, OpenTask, Platform, TaskOptions, tool_texts
from coordinator.stages import StageSpec, chosen
from coordinator.verify import VERIFY
from core.ledger import Ledger
from core.models.embeddings import Embedder, EmbeddingFailed, PageVectors
from core.models.extras import ExtraMissing
from core.models.prompts import prompt, template_sections
from core.models.sections import Texts
from core.runs.errors import Usage
from core.switches import switched_on
from core.terminal.console import notes, say


class CompanyTask(environment.CompanyEnvironment):
    """A task of the company that says once a run which pages of ``--rulebook`` it has not."""

    told: set[str]

    def briefing(self, ledger: Ledger, task: str = "") -> str:
        """As the company's. Raises ToolFault."""
        text = super().briefing(ledger, task)
        say(notes(), *(f"warning: {line}" for line in self.left_out if line not in self.told))
        self.told.update(self.left_out)
        return text


def open_tasks(options: TaskOptions) -> OpenTask:
    """Open companies, which share one wiki. Raises Usage: an option names what there is not."""
    try:
        guards = switched_on(options.guards, "guard", NAMES, NAMES)
        stages = {stage.name for stage in chosen(options, COMPANY.stages)}
    except ValueError as error:
        raise Usage(f"--guards or --stages: {error}") from None
    try:
        embedder = Embedder(options.embedding) if options.embedding else None
    except (EmbeddingFailed, ExtraMissing) as error:
        raise Usage(f"--embedding: {error}") from None
    vectors = PageVectors(embedder, options.cache) if embedder else None
    wiki, books = WikiStore(options.cache, vectors), RuleBooks(options.books)
    docs, told = tool_texts(options.texts, COMPANY.name), set[str]()

    def open_task(platform: Platform, task_id: str) -> CompanyTask:
        task = CompanyTask(
            platform.get_erc_client(SimpleNamespace(task_id=task_id)),
            options.retry_policy,
            wiki=wiki,
            guards_off=set(NAMES) - guards,
            log=lambda: platform.task_detail(task_id).logs or (),
            docs=docs,
            rulebooks=options.rulebooks,
            books=books,
            brief_rules="rule_book" not in stages,
        )
        task.told = told
        return task

    return open_task


def _prompt(name: str, texts: Texts) -> str:
    return prompt(entities.PROMPTS, name, texts, topics=TOPICS)


STAGES = (
    StageSpec(
        "entities",
        "one model call finds the subjects and names of the task; code resolves the names",
        "before",
        entities.Entities,
        prompt=partial(_prompt, "entities"),
        remember=entities.remember,
    ),
    StageSpec(
        "rule_book",
        "finds the wiki's rules for the user, once per version of a large wiki",
        "before",
        rule_book.RuleBook,
        prompt=partial(_prompt, "rule_book"),
        version=attrgetter("rules_version"),
        remember=rule_book.remember,
    ),
    StageSpec(
        "guest",
        "adds the public playbook if the user is not signed in",
        "before",
        rights.Guest,
    ),
    StageSpec(
        "ties",
        "states how the user is related to what is named",
        "before",
        rights.Ties,
    ),
    StageSpec(
        "watchdog",
        "asks a model whether the request is allowed; a refusal with its rule ends the task",
        "before",
        rights.Watchdog,
        default=False,
        prompt=partial(_prompt, "watchdog"),
    ),
    StageSpec(
        "policy",
        "one model call judges each change before it is written, and an answer to a guest",
        "writes",
        caveat="stage policy off: no model judged the changes, only the rules that ask none",
        prompt=lambda texts: "\n".join(_prompt(name, texts) for name in ("policy", "policy_guest")),
        arm=environment.CompanyEnvironment.ask_policy,
    ),
    StageSpec(
        "current_user",
        "adds the tool Ask_Current_User(question): what the user may do, in words",
        "tool",
        rights.CurrentUser,
        default=False,
        prompt=partial(_prompt, "current_user"),
        tool=rights.question_tool,
    ),
    StageSpec(
        "wording",
        "puts the message into the language of the question",
        "words",
        wording.Wording,
        default=False,
        prompt=partial(_prompt, "wording"),
    ),
)
"""Names, rules, guests, rights, then the words of the answer."""
TEMPLATES = (
    "entities", "rule_book", "guest", "watchdog", "policy", "policy_guest", "current_user",
    "wording",
)  # fmt: skip
PAGES_AT_MOST = 8
"""Pages that one instruction reads without a worker."""
_PAGES = regex.compile(r"READ:[ \t]*+([^\n]{1,1000})")


def pages_to_read(instruction: str) -> list[DirectCall]:
    """The call that an instruction "READ: name, name" stands for; []: it is something else."""
    names = _PAGES.fullmatch(instruction)
    if names is None:
        return []
    files = list(filter(None, map(str.strip, names[1].split(","))))[:PAGES_AT_MOST]
    return [(Combo_Read_Wiki_Pages.__name__, {"files": files})]


COMPANY = Benchmark(
    name="company",
    open_tasks=open_tasks,
    list_tools=shown_tools,
    stages=(*STAGES, VERIFY),
    stage_sections=partial(template_sections, entities.PROMPTS, *TEMPLATES),
    shipped_rules=environment.RULES,
    final_answer=environment.ENDING,
    needs_answer=True,
    direct_calls=pages_to_read,
    harm_name="wrong write",
    groups=results.GROUPS,
    group_of=results.group_of,
    shorten_state=results.changes_line,
    scripted="scripted/company",
    world="workshop.simulator.company.world:COMPANY",
)
