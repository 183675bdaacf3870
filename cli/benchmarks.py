"""The benchmarks that this house knows: the one place where they are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.options import BRAINS, COMPANY, DEFAULT, ids_of
from coordinator.benchmark import Benchmark, Environment
from coordinator.stages import with_stage_tools
from core.erc3_client.retry_policy import RetryPolicy
from core.ledger.tool import retold
from core.models.prompts import template_sections
from core.models.sections import NONE, SectionError, Texts, prompt_overrides
from core.runs.errors import Usage

if TYPE_CHECKING:
    from core.ledger import Tool
    from workshop.replay.debugger.debug_state import Workbench
    from workshop.simulator.world import World


class Setting(NamedTuple):
    """What a run lends a benchmark."""

    retry_policy: RetryPolicy | None = None
    """How long the platform is waited for."""
    guards: str = "all"
    """Those that are on."""
    folder: Path | None = None
    """A cache for what its tasks share with other runs."""
    texts: Texts = NONE
    """Sections of prompts over the shipped ones."""
    rulebooks: tuple[str, ...] = ()
    """Pages that a briefing has whole."""


def store(id: str, setting: Setting) -> Benchmark:
    """The store."""
    from cli import stages as steps
    from playbooks.library import prose, prose_of_steps, sections
    from store_tools import environment as rules
    from store_tools import workbench
    from store_tools.basket import basket_line

    if setting.guards not in ("all", ""):
        raise Usage("--guards: this benchmark has no guards that can be switched")

    def open_shop(platform: Any, task_id: str) -> Environment:
        client = platform.get_store_client(SimpleNamespace(task_id=task_id))
        return rules.StoreEnvironment(client, setting.retry_policy, docs)

    def shipped() -> Texts:
        return _sections(DEFAULT, rules.RULES, sections(DEFAULT), workbench.tools())

    texts = setting.texts
    docs = _docs(DEFAULT, texts)
    return Benchmark(
        id=id,
        rules=texts.get(f"{DEFAULT}/rules", rules.RULES),
        guide=partial(prose, DEFAULT, texts),
        guide_of_steps=partial(prose_of_steps, DEFAULT, texts),
        ending=rules.ENDING,
        open=open_shop,
        tools=lambda: retold(workbench.tools(), docs),
        shipped=shipped,
        texts=texts,
        brief=basket_line,
        harm_name=rules.HARM_NAME,
        groups=rules.GROUPS,
        idle_group="refuse",
        expected=rules.expected,
        harmed=rules.harmed,
        brain=BRAINS[id]["evaluator-worker"],
        steps=steps.store(texts),
    )


def company(id: str, setting: Setting) -> Benchmark:
    """The company, under any of its ids."""
    from cli import stages as steps
    from company_tools import environment as rules
    from company_tools import workbench
    from company_tools.guards import guards_off
    from company_tools.stages import current_user, entities
    from company_tools.wiki_store import WikiStore
    from playbooks.library import prose, prose_of_steps, sections

    try:
        off = guards_off(setting.guards)
    except ValueError as error:
        raise Usage(f"--guards: {error}") from None
    wiki = WikiStore(setting.folder)

    def open_company(platform: Any, task_id: str) -> Environment:
        client = platform.get_erc_client(SimpleNamespace(task_id=task_id))

        def log() -> Any:
            return platform.task_detail(task_id).logs or ()

        return rules.CompanyEnvironment(
            client, setting.retry_policy, wiki, off, log, docs, setting.rulebooks
        )

    def shipped() -> Texts:
        of_steps = template_sections(entities.ROOM, *COMPANY_STEPS)
        own = {**sections(COMPANY), **of_steps}
        told = [*workbench.tools(), current_user.question_tool(str)]
        return _sections(COMPANY, rules.RULES, own, told)

    texts = setting.texts
    docs = _docs(COMPANY, texts)
    return Benchmark(
        id=id,
        rules=texts.get(f"{COMPANY}/rules", rules.RULES),
        guide=partial(prose, COMPANY, texts),
        guide_of_steps=partial(prose_of_steps, COMPANY, texts),
        ending=rules.ENDING,
        open=open_company,
        tools=lambda: retold(workbench.tools(), docs),
        shipped=shipped,
        texts=texts,
        brief=rules.changes_line,
        harm_name=rules.HARM_NAME,
        groups=rules.GROUPS,
        idle_group=None,
        expected=rules.expected,
        harmed=rules.harmed,
        brain=BRAINS[id]["evaluator-worker"],
        steps=steps.company(texts),
    )


TEMPLATES = {
    "evaluator": ("system",),
    "worker": ("system",),
    "next_step": ("system",),
    "coordinator": ("verify",),
}
"""By room the templates that are sections of every benchmark's prompts."""
COMPANY_STEPS = ("entities", "guest", "policy", "current_user", "wording")
"""Templates of its own."""


def _sections(name: str, rules: str, prose: Texts, tools: Iterable[Tool]) -> dict[str, str]:
    """Every section of a benchmark's prompts: those of all benchmarks, then its own."""
    rooms = (template_sections(room, *names) for room, names in TEMPLATES.items())
    roles = {key: text for room in rooms for key, text in room.items()}
    told = {f"{name}/tools/{tool.name}": tool.doc for tool in tools if tool.told}
    return {**roles, f"{name}/rules": rules, **prose, **told}


def _docs(name: str, texts: Texts) -> Mapping[str, str]:
    """Texts of tools among sections, by the tool's name."""
    head = f"{name}/tools/"
    return {key.removeprefix(head): text for key, text in texts.items() if key.startswith(head)}


class Entry(NamedTuple):
    """A benchmark in the table."""

    make: Callable[[str, Setting], Benchmark]
    world: str
    """The format of its packs."""
    workbench: Callable[[], Workbench]
    """What it offers the debugger."""


def _store_bench() -> Workbench:
    from store_tools import workbench

    return workbench


def _company_bench() -> Workbench:
    from company_tools import workbench

    return workbench


_STORE = Entry(store, "store-pack/1", _store_bench)
_COMPANY = Entry(company, "company-pack/1", _company_bench)
BENCHMARKS: dict[str, Entry] = {DEFAULT: _STORE, **dict.fromkeys(ids_of(COMPANY), _COMPANY)}
"""By the id that ``--benchmark`` takes, which the platform knows too."""


def _entry(name: str) -> Entry:
    if name not in BENCHMARKS:
        there = ", ".join(BENCHMARKS)
        raise Usage(f"there are no tools for the benchmark {name!r}; there are for: {there}")
    return BENCHMARKS[name]


def benchmark_named(
    name: str,
    retry_policy: RetryPolicy | None = None,
    guards: str = "all",
    folder: Path | None = None,
    texts: Texts = NONE,
    rulebooks: tuple[str, ...] = (),
) -> Benchmark:
    """The benchmark of that name; ``texts``: sections over the shipped ones. Raises Usage."""
    return _entry(name).make(name, Setting(retry_policy, guards, folder, texts, rulebooks))


def shipped_sections() -> dict[str, str]:
    """The sections of all prompts of all benchmarks, by name."""
    return {k: v for name in (DEFAULT, COMPANY) for k, v in benchmark_named(name).shipped().items()}


def sections_at(folder: Path | None) -> Texts:
    """The sections of a folder that are laid over the shipped ones. Raises Usage."""
    try:
        return prompt_overrides(folder, shipped_sections()) if folder else NONE
    except SectionError as error:
        raise Usage(f"--prompts: {error}") from None


def world_named(name: str) -> World:
    """What gives the benchmark of that name on an embedded platform. Raises Usage."""
    from workshop.simulator.worlds import WORLDS

    return WORLDS[_entry(name).world]()


def tools_of(name: str) -> list[Tool]:
    """The tools of a benchmark as they are today, those of every stage too, with no world behind.

    Raises Usage.
    """
    benchmark = benchmark_named(name)
    return with_stage_tools(benchmark, benchmark.steps).tools()


def workbench_of(name: str) -> Workbench:
    """What a benchmark offers the debugger. Raises Usage."""
    return _entry(name).workbench()
