"""What a report tells of the run itself: prompts, briefing, options, baselines, session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.lab import play_trivial
from core.models.model_call import PromptPart
from core.runs.journal import text_hash
from core.runs.manifest import Identity
from core.runs.prompts import Prompts
from core.runs.results import ResultsFile, TaskResult
from core.runs.run_view import read_run_view
from tests.kit.run_folders import HOSTILE, RunFolder, asked, ended, worked
from workshop.views.report.render import record_html
from workshop.views.report.run_page import run_page
from workshop.views.report.setup import setup_of

ROOT = Path(__file__).parents[3]
SYSTEM = "You decide.\n\nRules\n- Never guess."


def told(path: Path, text: str, *, real: bool = False, system: str = SYSTEM) -> Path:
    """A run of one task whose only prompt is a kept system prompt and this text."""
    run = RunFolder(path)
    digest = Prompts(path).keep(system)
    parts = (PromptPart(role="system", sha256=digest), PromptPart(role="user", sha256="ab"))
    call = asked(prompt=parts)
    run.task("tea", {"type": "text", "sha256": "ab", "text": text}, call, worked(), ended())
    return run.write(
        session_id="ssn-1",
        idle_group="refuse",
        submitted=real,
        identity=Identity(prompts={"evaluator": digest}, pack="small"),
        options={"max_turns": 7, "strategy": "evaluator-worker", "flags": [], "record": None},
        base_url="https://erc.example" if real else None,
        versions={"python": "3.11"},
    )


def test_a_prompt_stands_in_the_page_once_and_stories_lead_to_it(tmp_path: Path) -> None:
    run = told(tmp_path / "run", "Buy tea")
    page, digest = run_page(run), text_hash(SYSTEM)
    assert page.count("Never guess.") == 1
    assert f'id="prompt-{digest}"' in page
    assert f"Prompt of the evaluator <small>{digest[:10]}" in page
    story = record_html(read_run_view(run).tasks[0])
    assert f'<a href="#prompt-{digest}">' in story
    assert "Never guess." not in story


def test_the_briefing_of_a_task_stands_once_in_its_story(tmp_path: Path) -> None:
    briefing = f"who asks: mara {HOSTILE}".replace("<", "\\u003c")
    prompt = (
        f"<task>\nBuy\n</task>\n\n<briefing>\n{briefing}\n</briefing>\n\n<state>\n{{}}\n</state>"
    )
    story = record_html(read_run_view(told(tmp_path / "run", prompt)).tasks[0])
    folded = story.partition('<details class="briefing">')[2].partition("</details>")[0]
    assert text_hash(briefing)[:10] in folded
    assert "who asks: mara" in folded
    assert "<script>" not in story


def test_hostile_prompts_and_options_stay_texts(tmp_path: Path) -> None:
    run = told(tmp_path / "run", "Buy tea", system=HOSTILE)
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    manifest["options"] = {HOSTILE: HOSTILE}
    (run / "run.json").write_text(json.dumps(manifest))
    trivial = TaskResult(spec_id="tea", player=HOSTILE, outcome="finished", score=0.5, harm=False)
    ResultsFile(run).append([trivial])
    page = run_page(run)
    assert page.count("window.hit=1") >= 4
    assert "<script>window" not in page
    assert "<img" not in page


def test_a_damaged_folder_is_still_shown(tmp_path: Path) -> None:
    run = told(tmp_path / "run", "Buy tea")
    (run / "run.json").write_text("{")
    (run / "prompts" / "x.txt").write_bytes(b"\xff")
    found = setup_of(run)
    assert (found.prompts, found.options) == ((), None)
    assert "not known" in run_page(run)


@pytest.mark.parametrize(
    ("benchmark", "pack", "players"),
    [
        (
            "store",
            "workshop/simulator/store/packs/store-bundled.json",
            {"nothing": 1.0, "first-match": 1.0},
        ),
        ("company", "", {}),
    ],
)
def test_trivial_players_play_once_the_tasks_that_were_played(
    tmp_path: Path, benchmark: str, pack: str, players: dict[str, float]
) -> None:
    run = RunFolder(tmp_path / "run").task("under_budget_price_equals_limit", worked())
    path = run.write(benchmark=benchmark)
    play_trivial(path)
    assert not read_run_view(path).trivial, "without a pack nothing is known"
    text = (ROOT / pack).read_text(encoding="utf-8") if pack else '{"format": "company-pack/1"}'
    (path / "pack.json").write_text(text, encoding="utf-8")
    play_trivial(path)
    play_trivial(path)
    trivial = read_run_view(path).trivial
    assert {one.player: one.score for one in trivial} == players, "of the one task that was played"
    assert len((path / "results.jsonl").read_text().splitlines()) == 1 + len(players)
