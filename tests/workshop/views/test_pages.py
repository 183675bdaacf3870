"""The written pages of a run and of two: self-contained, everything escaped, in their order."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shlex
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.cli import app
from core.models.model_call import PromptPart
from core.runs.journal import text_hash
from core.runs.manifest import Identity
from core.runs.prompts import Prompts
from core.runs.results import ResultsFile, TaskResult
from core.runs.run_view import RunView, read_run_view
from core.runs.task import Turn
from core.runs.task_record import TaskRecord
from tests.kit.run_folders import (
    HOSTILE,
    RunFolder,
    asked,
    counted_run,
    ended,
    found,
    hostile_run,
    worked,
)
from workshop.views.report import versus
from workshop.views.report.differences import differences
from workshop.views.report.pairs import Difference, first_difference, pairs_of, steps_of
from workshop.views.report.record_parts import code_lines, commands_of
from workshop.views.report.render import piece, record_html
from workshop.views.report.run_page import most_of, run_page, write_report
from workshop.views.report.versus import RECORD, versus_page

ROOT = Path(__file__).parents[3]
PROMPT = "You decide.\n\nRules of the game\n- Buy tea.\n- Never guess.\n"


def stories_of(page: str) -> dict[str, str]:
    """By task the record in a page."""
    data = re.search(r'id="page">(.*?)</script>', page, re.S)
    assert data
    keys = [task["key"] for task in json.loads(data[1])["tasks"]]
    packed = re.findall(r'<script type="text/plain" id="story-\d+">(.*?)</script>', page)
    stories = [zlib.decompress(base64.b64decode(text)).decode("utf-8") for text in packed]
    return dict(zip(keys, stories, strict=True))


def only_task(folder: Path) -> TaskRecord:
    (record,) = read_run_view(folder).tasks
    return record


# -- one run


def test_the_file_stands_alone_and_its_policy_names_its_own_parts(tmp_path: Path) -> None:
    path = write_report(hostile_run(tmp_path / "run"))
    page = path.read_text(encoding="utf-8")
    assert path.name == "report.html"
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    for part in re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", page, re.S):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"sha256-{digest}" in page.replace("&#39;", "'").replace("&#43;", "+")
    assert "default-src &#39;none&#39;" in page


OURS = {
    "a", "b", "blockquote", "button", "caption", "code", "details", "div", "h2", "h3", "i", "li",
    "p", "pre", "rect", "section", "small", "span", "summary", "svg", "table", "tbody", "td", "th",
    "thead", "tr", "ul", "wbr",
}  # fmt: skip
CHECKED = {
    "type", "role", "decision", "outcome", "kind", "failure", "score", "group", "verdict", "harm",
    "sha256",
}  # fmt: skip
"""Fields that are no free texts, or by which records find each other."""


class Marks(HTMLParser):
    """Every tag and attribute of a piece of a page, and its text."""

    def __init__(self, piece: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self.feed(piece)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def poisoned(value: Any, name: str = "") -> Any:
    """A record whose free texts, and names of arguments and answers, are all hostile."""
    if isinstance(value, dict):
        inner = name in {"result", "arguments", "body"}
        return {HOSTILE if inner else key: poisoned(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, name) for item in value]
    return HOSTILE if isinstance(value, str) and name not in CHECKED else value


def poisoned_run(path: Path) -> Path:
    """One task with everything that a record can show, all of it hostile."""
    wire = {"path": "/a", "body": {"x": 1}, "kind": "read", "outcome": "failed", "error": "no"}
    turn = worked(challenge="why").model_dump(mode="json")
    report: Any = turn["report"]
    (done,) = report["calls"]
    refused = done | {"outcome": "failed", "error": "no", "requests": [wire], "line": 1}
    apart = [refused | {"step": step, "line": None} for step in (1, None)]
    report["calls"] = [done, *[refused] * 6, *apart]
    report["error"] = report["steps"][0]["error"] = "broke"
    odd = {"backend": "b", "reasoning": "r", "error": "e", "next": "n", "finish_reason": "s"}
    call = asked(**odd, prompt=(PromptPart(role="user", sha256="ab"),), attempt=2)
    calls = [
        {"type": "text", "sha256": "ab", "text": "asked"},
        {"type": "model_call"} | call.model_dump(mode="json"),
    ]
    records = [
        {"type": "task", "spec_id": "tea", "task_id": "t", "text": "Buy", "mechanics": ["kind"]},
        *calls,
        {"type": "turn"} | turn,
        {"type": "resumed"},
        *calls,
        {"type": "turn"} | ended().model_dump(mode="json"),
        {"type": "warning", "text": "odd"},
        {"type": "result", "score": 0.0, "outcome": HOSTILE, "group": HOSTILE, "error": "e"}
        | {"eval_log": "log", "acts": 1, "harm": True},
    ]
    (path / "tasks").mkdir(parents=True)
    lines = (json.dumps(poisoned(record)) + "\n" for record in records)
    (path / "tasks" / "tea.jsonl").write_text("".join(lines), encoding="utf-8")
    return path


def row_of(view: RunView) -> str:
    """Its only row in the table of tasks."""
    return piece("table.html.jinja", "row", view.tasks[0], most_of(view.tasks))


def test_no_text_of_a_record_becomes_markup_or_steers(tmp_path: Path) -> None:
    view = read_run_view(poisoned_run(tmp_path / "run"))
    (pair,) = pairs_of(view, view)
    story = record_html(view.tasks[0])
    pieces = story, versus.record_html(pair), piece(RECORD, "short", pair), row_of(view)
    for one in pieces:
        seen = Marks(one)
        assert seen.tags <= OURS
        assert not {name for name in seen.attributes if name.startswith("on")}
        assert "\u202e" not in one
        rest = [v for name, values in seen.attributes.items() if name != "data-key" for v in values]
        assert not [value for value in rest if "window.hit" in value]
    texts = Marks(story).text
    assert texts.count("window.hit=1") > 60
    for said in ("6 not done", "whose line is not known", "of code that is not known", "failed"):
        assert said in texts


def test_a_name_cannot_end_the_attribute_that_it_stands_in(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run").task("tea", worked())
    (run.path / "tasks" / "tea.jsonl").rename(run.path / "tasks" / '"><b>&\u202e.jsonl')
    run.results[0] = run.results[0].model_copy(update={"journal": '"><b>&\u202e'})
    row = row_of(read_run_view(run.write()))
    seen = Marks(row)
    assert seen.attributes["data-key"] == {'"><b>&\\u202e'}
    assert seen.attributes["href"] == {"#%22%3E%3Cb%3E%26%E2%80%AE"}
    assert "b" not in seen.tags
    assert "\u202e" not in row


@given(st.text() | st.text(alphabet="'\"\\#\nab1 rf"))
def test_highlighting_changes_no_text(code: str) -> None:
    lines = code_lines(code, frozenset({"a"}))
    texts = [html.unescape(re.sub(r'<span class="\w">|</span>', "", line)) for line in lines]
    assert "\n".join(texts) == code


def test_calls_stand_under_their_line_and_strays_at_the_end(tmp_path: Path) -> None:
    calls = found("third"), found("nowhere", line=None, number=2), found("stray", step=None)
    run = RunFolder(tmp_path / "run").task("tea", calling(1, *calls))
    story = record_html(only_task(run.write()))
    assert story.index("third") < story.index("<i>4</i>") < story.index("nowhere")
    assert story.index("Calls of code that is not known") < story.index("stray")


def told(path: Path, text: str, *, system: str = PROMPT) -> Path:
    """A run of one task whose only prompt is a kept system prompt and this text."""
    run = RunFolder(path)
    digest = Prompts(path).keep(system)
    parts = (PromptPart(role="system", sha256=digest), PromptPart(role="user", sha256="ab"))
    call = asked(prompt=parts)
    run.task("tea", {"type": "text", "sha256": "ab", "text": text}, call, worked(), ended())
    identity = Identity(prompts={"evaluator": digest}, pack="small")
    options = {"max_turns": 7, HOSTILE: HOSTILE}
    return run.write(identity=identity, options=options, versions={"python": "3.11"})


def test_a_prompt_stands_in_the_page_once_and_the_record_leads_to_it(tmp_path: Path) -> None:
    run = told(tmp_path / "run", "Buy tea")
    page, digest = run_page(run), text_hash(PROMPT)
    assert page.count("Never guess.") == 1
    assert f'id="prompt-{digest}"' in page
    assert f"Prompt of the evaluator <small>{digest[:10]}" in page
    story = record_html(only_task(run))
    assert f'<a href="#prompt-{digest}">' in story
    assert "Never guess." not in story


def test_the_briefing_of_a_task_stands_once_in_its_record(tmp_path: Path) -> None:
    briefing = f"who asks: mara {HOSTILE}".replace("<", "\\u003c")
    prompt = f"<task>\nBuy\n</task>\n\n<briefing>\n{briefing}\n</briefing>\n\n<state>\n</state>"
    story = record_html(only_task(told(tmp_path / "run", prompt)))
    folded = story.partition('<details class="briefing">')[2].partition("</details>")[0]
    assert text_hash(briefing)[:10] in folded
    assert "who asks: mara" in folded
    assert "<script>" not in story


def test_hostile_prompts_options_and_players_stay_texts(tmp_path: Path) -> None:
    run = told(tmp_path / "run", "Buy tea", system=HOSTILE)
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
    assert "not known" in run_page(run)


def test_commands_of_a_failed_task_are_quoted_and_have_whole_paths(tmp_path: Path) -> None:
    turn = worked()
    assert turn.report
    pinned = turn.model_copy(update={"report": turn.report.model_copy(update={"pins": (1.0, 2)})})
    spec = "tea; touch 'x' $(y)"
    folder = RunFolder(tmp_path / "a run").task("passed", worked(), ended())
    path = folder.task("codeless", ended(1), score=0.0).task("plain", pinned, score=0.0).write()
    journal = path / "tasks" / "plain.jsonl"
    text = journal.read_text(encoding="utf-8").replace('"spec_id": "plain"', f'"spec_id": "{spec}"')
    journal.write_text(text, encoding="utf-8")
    ways = {record.spec_id: commands_of(record) for record in read_run_view(path).tasks}
    assert (ways["passed"], ways["codeless"]) == ([], [])
    words = [shlex.split(way.command) for way in ways[spec]]
    assert words[0] == [
        sys.executable, str(ROOT / "submission.py"), "debug", str(path), "--task", spec,
        "--turn", "1",
    ]  # fmt: skip


# -- two runs


def calling(number: int, *calls: Any) -> Turn:
    turn = worked(number)
    assert turn.report
    return turn.model_copy(update={"report": turn.report.model_copy(update={"calls": calls})})


def saying(instruction: str) -> Turn:
    turn = worked()
    decision = turn.decision.model_copy(update={"instruction": instruction})
    return turn.model_copy(update={"decision": decision})


AGAIN = {"type": "task", "spec_id": "tea", "task_id": "tsk-tea", "text": "Buy tea"}


@pytest.mark.parametrize(
    ("left", "right", "difference"),
    [
        (
            [worked(), calling(2, found("cup"))],
            [saying("Look for tea"), calling(2, found("pot"))],
            (1, "turn 2: other calls", True),
        ),
        ([worked(), ended()], [saying("Look"), ended()], (0, "turn 1: other words", False)),
        ([worked()], [worked(), ended()], (1, "turn 2: A has ended", True)),
        ([worked(), ended()], [worked()], (1, "turn 2: B has ended", True)),
        ([calling(1, found("old")), AGAIN, worked()], [worked()], (None, "the same", False)),
        ([], [worked()], (None, "turns not recorded", False)),
    ],
)
def test_where_two_records_of_a_task_differ_first(
    tmp_path: Path, left: list[Any], right: list[Any], difference: tuple[Any, ...]
) -> None:
    steps = []
    for name, turns in (("a", left), ("b", right)):
        steps.append(steps_of(only_task(RunFolder(tmp_path / name).task("tea", *turns).write())))
    assert first_difference(*steps) == Difference(*difference)


def test_pairs_tell_what_became_of_each_task(tmp_path: Path) -> None:
    one = RunFolder(tmp_path / "one")
    two = RunFolder(tmp_path / "two")
    for name, then in (("same", {}), ("worse", {"score": 0.0}), ("better", {})):
        one.task(name, worked(), ended(), score=0.0 if name == "better" else 1.0)
        two.task(name, worked(), ended(), **then)
    harm = {"score": 0.0, "harm": True, "acts": 1}
    one.task("way", worked(), ended()).task("harmed", worked())
    two.task("way", ended(1)).task("alone", worked()).task("harmed", worked(), **harm)
    pairs = pairs_of(read_run_view(one.write()), read_run_view(two.write()))
    assert [(pair.spec_id, pair.change, pair.harm) for pair in pairs] == [
        ("harmed", "worse", "new"),
        ("worse", "worse", ""),
        ("better", "better", ""),
        ("way", "other way", ""),
        ("same", "same", ""),
        ("alone", "only in B", ""),
    ]


def run(path: Path, *failed: str, prompt: str = PROMPT, tasks: int = 6, **options: Any) -> Path:
    """A run of tasks t0, t1, ... of which those that are named fail."""
    folder = RunFolder(path)
    bad = {"score": 0.0, "eval_log": "FAIL: not wanted", "verdict": "purchased"}
    for spec in (f"t{n}" for n in range(tasks)):
        turn = worked(name="Cup") if spec in failed else worked()
        folder.task(spec, asked(), turn, asked(), ended(), **(bad if spec in failed else {}))
    digest = Prompts(path).keep(prompt)
    models = {"evaluator": "lab/model", "worker": "lab/model"}
    identity = Identity(models=models, prompts={"evaluator": digest}, pack="small")
    return folder.write(identity=identity, options=options)


def test_the_verdict_comes_first_then_flips_then_differences(tmp_path: Path) -> None:
    every = [f"t{n}" for n in range(6)]
    a = run(tmp_path / "a", max_turns=7)
    b = run(tmp_path / "b", *every, prompt=PROMPT.replace("Never", "Do not"), max_turns=2)
    page = versus_page(a, b)
    parts = (
        "B is worse than A", "exact McNemar test of the flips", 'id="figures"', "What differs:",
        'id="tasks"', "<td>7</td><td>2</td>", "<del>- Never guess", "decides</b>",
    )  # fmt: skip
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "−100.0" in page


def test_every_setting_that_differs_is_told(tmp_path: Path) -> None:
    old = {"evaluator": "You decide.\nBuy what fits.", "worker": "You code."}
    new = {"evaluator": "You decide.\nBuy only what fits.", "next-step": "Pick a tool."}
    one = counted_run(
        tmp_path / "one", prompts=old, scenarios={"tea": "1", "cup": "2"}, worker="lab/hands",
        versions={"python": "3.11.7", "litellm": "1"}, options={"max_turns": 7, "pack": "/a.json"},
    )  # fmt: skip
    two = counted_run(
        tmp_path / "two", prompts=new, scenarios={"tea": "1", "pot": "3"}, model="lab/two",
        versions={"python": "3.12.1", "litellm": "1"}, options={"max_turns": 30}, pack="other",
        strategy="next-step",
    )  # fmt: skip
    compared = differences(one, two)
    assert {c.what: (c.was, c.now) for c in compared.changes} == {
        "strategy": ("evaluator-worker", "next-step"),
        "model of the evaluator": ("lab/one", "lab/two"),
        "model of the worker": ("lab/hands", None),
        "pack": ("small", "other"),
        "scenarios": ("2, 1 of them the same in both", "2, 1 of them the same in both"),
        "version of python": ("3.11.7", "3.12.1"),
        "option max_turns": ("7", "30"),
    }
    told = {p.role: (bool(p.was), bool(p.now), p.text) for p in compared.prompts or ()}
    assert told["evaluator"] == (True, True, "+1 lines, −1 lines")
    assert (told["worker"][:2], told["next-step"][:2]) == ((True, False), (False, True))
    for path in (one / "prompts").iterdir():
        path.write_bytes(b"\xff\xfe")
    texts = {p.role: p.text for p in differences(one, two).prompts or ()}
    assert texts["evaluator"] == "its text was not stored"


def test_flipped_tasks_are_told_in_full_while_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = run(tmp_path / "a"), run(tmp_path / "b", "t0", "t1", "t2")
    stories = stories_of(versus_page(a, b))
    first, *_, last = stories.values()
    assert next(iter(stories)).endswith("t0")
    assert first.index("First difference") < first.index("Find Green Tea") < first.index("Find Cup")
    assert "Shortened, because" in last
    assert sum("final_answer" in story for story in stories.values()) == 3
    monkeypatch.setattr(versus, "PAGE_BYTES", 6 * versus.PAIR_BYTES + 4_000)
    some = stories_of(versus_page(a, b))
    assert 0 < sum("final_answer" in story for story in some.values()) < 3
    assert sum("FAIL: not wanted" in story for story in some.values()) == 3


def test_the_command_writes_one_run_or_two(tmp_path: Path) -> None:
    one, two = (hostile_run(tmp_path / name) for name in ("one", "two"))
    call = CliRunner().invoke
    assert call(app, ["report", str(one)]).stdout.strip() == str(one / "report.html")
    pair = tmp_path / "pair.html"
    assert call(app, ["report", str(one), str(two), "-o", str(pair)]).exit_code == 0
    page = pair.read_text(encoding="utf-8")
    assert "Two runs compared" in page
    for text in (page, *stories_of(page).values()):
        assert "<script>window" not in text
        assert "<img" not in text
