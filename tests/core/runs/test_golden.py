"""Run folders that this version wrote, kept: whoever changes the format notices it here.

``golden/make.py`` writes them anew, where the change is meant and the changelog tells of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ledger import Judgement, WireCall
from core.models.model_call import total_usage
from core.runs.manifest import read_manifest
from core.runs.packs import pack_with
from core.runs.prompts import read_prompts
from core.runs.reader import read_tasks
from core.runs.results import read_results
from core.runs.run_view import read_run_view
from workshop.views.comparison import compare, read_side
from workshop.views.report.run_page import run_page

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = {
    "store": {"gen-7-0-as-many-as": (1.0, "purchased"), "gen-7-1-best-coupon": (0.0, "purchased")},
    "company": {"gen-7-3-raise-notes": (1.0, "ok_answer"), "gen-7-0-pay-of": (1.0, "ok_answer")},
}
WRITES = {
    "store": {"/basket/add": 2, "/basket/checkout": 2},
    "company": {"/employees/update": 1, "/respond": 2},
}


@pytest.fixture(params=EXPECTED)
def folder(request: pytest.FixtureRequest) -> Path:
    return GOLDEN / str(request.param)


def test_its_results_are_read(folder: Path) -> None:
    results, manifest = read_results(folder), read_manifest(folder)
    found = {one.spec_id: (one.score, one.verdict) for one in results.tasks}
    assert found == EXPECTED[folder.name]
    assert [spec for spec, _, _ in manifest.tasks] == list(found)
    assert (results.benchmark, results.totals.tasks, results.finished is not None) == (
        folder.name, 2, True,
    )  # fmt: skip
    assert results.totals.harm == (folder.name == "store")
    unauthorised = int(folder.name == "store")
    assert results.totals.effects == {"lost": 0, "doubled": 0, "unauthorised": unauthorised}
    assert all(pack_with(folder, one.spec_id, one.pack) for one in results.tasks)


def test_its_journals_tell_what_the_results_tell(folder: Path) -> None:
    results = {one.spec_id: one for one in read_results(folder).tasks}
    prompts = read_prompts(folder)
    for record in read_tasks(folder):
        result = results[record.spec_id]
        acts = [act for act in record.turns if act.turn]
        assert record.result is not None
        assert record.result.key == result.key
        assert len(acts) == len(record.turns)
        assert sum(act.turn is not None and not act.turn.closed_by for act in acts) == result.turns
        assert sum(len(act.tools) for act in acts) == result.tool_calls
        assert total_usage(record.calls) == result.tokens
        for act in acts:
            for call in act.asked:
                assert all(part.sha256 in {**act.texts, **prompts} for part in call.prompt)


def test_its_writes_and_verdicts_are_read(folder: Path) -> None:
    entries = [entry for record in read_tasks(folder) for entry in record.entries]
    writes = [e.path for e in entries if isinstance(e, WireCall) and e.kind == "write"]
    assert {path: writes.count(path) for path in writes} == WRITES[folder.name]
    assert sum(isinstance(e, Judgement) for e in entries) == (folder.name == "company")


def test_it_is_shown_and_compared_without_a_problem(folder: Path) -> None:
    view = read_run_view(folder)
    assert view.problems == ()
    notes = [note.split(":")[0] for record in view.tasks for note in record.notes]
    assert set(notes) <= {"notice", "policy"}, "every kind of record is known"
    assert "<html" in run_page(folder)
    side = read_side(folder)
    assert compare(side, side, 0.02).difference == 0.0
