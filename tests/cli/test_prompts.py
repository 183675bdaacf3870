"""``--prompts`` and ``prompts``: other texts for models, kept, shown, and held to by --resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.benchmarks import benchmark_named, sections_at, shipped_sections
from cli.options import Options
from cli.run_models import prompts_of, run_models
from coordinator.benchmark import TaskOptions
from tests.kit.commands import type_words as invoke
from workshop.lab.sampled_run import read_sampled
from workshop.simulator.store.pack import BUNDLED_PACK
from workshop.views.report.differences import differences

SPEC = json.loads(BUNDLED_PACK.read_text(encoding="utf-8"))["scenarios"][0]["spec_id"]
CASES = [(b, s) for b in ("store", "company") for s in ("evaluator-worker", "next-step")]


def rendered(benchmark: str, strategy: str, texts: dict[str, str]) -> dict[str, str]:
    options = Options.model_validate(
        {"benchmark": benchmark, "strategy": strategy, "stages": "all"}
    )
    played = benchmark_named(benchmark, TaskOptions(texts=texts))
    stages = played.stages
    of_stages = {stage.name: stage.prompt(texts) for stage in stages if stage.prompt}
    return {**prompts_of(played, options, run_models(options, stages)), **of_stages}


@pytest.mark.parametrize(("benchmark", "strategy"), CASES)
def test_the_shipped_sections_laid_over_themselves_are_the_same_prompts(
    benchmark: str, strategy: str
) -> None:
    shipped = shipped_sections()
    assert rendered(benchmark, strategy, shipped) == rendered(benchmark, strategy, {})


@pytest.mark.parametrize(("benchmark", "strategy"), CASES)
def test_every_section_of_a_strategy_stands_in_its_prompts(benchmark: str, strategy: str) -> None:
    other = {"evaluator-worker": ("next_step/", "/guide/steps"), "next-step": ("/guide/worker",)}
    rooms = ("evaluator/", "worker/") if strategy == "next-step" else ()
    # A FINISH calls the first, no worker; the second stands in a briefing.
    closing = ("company/tools/Req_ProvideAgentResponse", "company_tools/stages/guest")
    plain = rendered(benchmark, strategy, {})
    for name, text in benchmark_named(benchmark).sections().items():
        if any(part in name for part in (*other[strategy], *rooms, *closing)):
            continue
        changed = rendered(benchmark, strategy, {name: f"{text} MARKED"})
        assert changed != plain, name
        assert sum(p.count("MARKED") for p in changed.values()) > 0, name


def test_a_run_with_other_texts_keeps_them_and_goes_on_with_no_others(
    tmp_path: Path,
) -> None:
    mine, logs = tmp_path / "mine", tmp_path / "logs"
    assert invoke("prompts", mine, "--benchmark", "store").exit_code == 0
    assert sections_at(mine) == {}
    rules, tool = mine / "store/rules.md", mine / "store/tools/Req_ViewBasket.md"
    rules.write_text(rules.read_text() + "- Be polite.\n")
    tool.write_text("Looks into the basket.\n")
    done = invoke("--task", SPEC, "--prompts", mine, "--out", logs, "--quiet")
    assert done.exit_code == 0, done.output
    (folder,) = logs.iterdir()
    texts = "".join(path.read_text() for path in (folder / "prompts").glob("*.txt"))
    assert "Req_ViewBasket(): Looks into the basket." in texts
    output = invoke("show", folder).output
    assert "section store/rules" in output
    assert "section store/tools/Req_ViewBasket" in output
    assert invoke("--task", SPEC, "--out", tmp_path / "plain", "--quiet").exit_code == 0
    (plain,) = (tmp_path / "plain").iterdir()
    compared = differences(plain, folder)
    sections = [c.what for c in compared.changes if c.what.startswith("section ")]
    assert sections == ["section store/rules", "section store/tools/Req_ViewBasket"]
    assert [p.role for p in compared.prompts or ()] == ["evaluator", "worker"]
    rules.write_text("- Buy nothing.\n")
    again = invoke("--resume", folder)
    assert again.exit_code != 0
    assert "sections: were store/rules" in again.output
    assert "prompt of the evaluator: its text is in prompts/" in again.output


def test_the_lab_plays_with_them(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "store").mkdir(parents=True)
    (mine / "store/rules.md").write_text("- Buy.\n")
    words = ["--pack", "generated:prompts:1", "--jobs", "1", "--json", "--keep-journals"]
    output = invoke("regress", *words[:4], "--prompts", mine, "--out", tmp_path / "other")
    assert "changed prompt sections: store/rules" in output.output
    done = invoke("regress", *words, "--prompts", mine, "--out", tmp_path / "logs")
    assert done.exit_code == 0, done.output
    (folder,) = (tmp_path / "logs").iterdir()
    assert read_sampled(folder).settings.prompts == {"store/rules": "- Buy."}
    texts = [path.read_text() for path in folder.glob("prompts/*.txt")]
    assert any("Rules of this benchmark\n- Buy.\n\nPlaybooks" in text for text in texts)
