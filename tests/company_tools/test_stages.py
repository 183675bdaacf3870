"""The company's steps: what each finds by rule, what it asks, and what it makes of bad replies."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.final_answer import links_of, read_final_answer
from company_tools.stages.entities import NAMES_AT_MOST, UNRESOLVED, Entities, remember
from company_tools.stages.rights import Guest, Ties, Watchdog
from company_tools.stages.wording import Wording, reworded
from core.erc3_client import company
from core.ledger import Ledger, ToolFault
from core.models.model_call import KeptCalls, ModelCall
from core.models.model_client import ModelClient
from core.runs.task import Finding, StageInput
from tests.company_tools.kites import kites, person, project
from tests.company_tools.played_task import PlayedTask, said
from tests.kit.canned import play
from tests.kit.combo import data_of


class Model:
    """A door to canned replies, with what it was asked."""

    def __init__(self, name: str, *replies: str) -> None:
        self.calls: list[ModelCall] = []
        self.asked: list[str] = []
        self.client = ModelClient(play(name, replies), "step", self._watch())

    def _watch(self) -> KeptCalls:
        model = self

        class Watch(KeptCalls):
            def on_prompt(self, messages: Any) -> None:
                model.asked.append("\n".join(m["content"] for m in messages))

        return Watch(self.calls)


def run(step: Any, case: StageInput, client: ModelClient | None = None) -> Finding:
    with closing(Ledger()) as ledger:
        found: Finding = step.run(case, client, ledger)
    return found


def read(*named: str, about: str = "all", changes: bool = False, **lists: Any) -> str:
    """What a model has read in a task; ``lists``: days, described."""
    reply = {"about": about, "named": named, "changes": changes, **lists}
    return json.dumps(reply, ensure_ascii=False)


def entities(played: PlayedTask, text: str, *named: str, **how: Any) -> Finding:
    model = Model(f"entities-{named}-{how}", read(*named, **how))
    found = run(Entities(played.benchmark), StageInput(text), model.client)
    return found.model_copy(update={"step": "entities"})


def tied(played: PlayedTask, text: str, *named: str) -> Finding:
    found = run(Ties(played.benchmark), StageInput(text, (entities(played, text, *named),)))
    return found.model_copy(update={"step": "ties"})


OFFICE = PlayedTask()
OFFICE.call("Combo_List_All_Employees")
PAY_RULE = "Only the house of People sees what others earn."


def watchdog(played: PlayedTask, text: str, *replies: str, name: str = "watchdog") -> Finding:
    model = Model(name, *replies)
    rules = Finding(step="rule_book", text=f"== rules.md ==\n{PAY_RULE}")
    case = StageInput(text, (entities(played, text), rules, tied(played, text)))
    return run(Watchdog(played.benchmark), case, model.client if replies else None)


def judged(verdict: str, rule: str = "Only the house of People", reason: str = "forbidden") -> str:
    return json.dumps({"verdict": verdict, "rule": rule, "reason": reason, "message": "No, sorry."})


# -- entities


def ids(found: Finding) -> set[str]:
    """Whom and what a finding means for certain or likely, as rights can hang on it."""
    return {row["id"] for row in found.facts["security"]}


ALL_KINDS = ("Mueller Juergen", "una_berg", "Dorde Cosic", "Bright Sails", "una_holm@kites.example")


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (ALL_KINDS, {"juergen_mueller", "una_berg", "djordje_cosic", "proj_sails", "una_holm"}),
        (("Jurgen Muler",), {"juergen_mueller"}),
        (("Una Holm", "Una Berg of Mars", "", "  "), {"una_holm"}),
        (("Holm Una",), {"holm_una"}),
        (("Una Holm Dahl",), {"x_9"}),
        (("Dahl Una",), set()),
        (("Una Dahl", "x_2"), {"x_2"}),
        ((), set()),
    ],
)
def test_names_that_stand_in_the_task_are_resolved_in_any_order_and_spelling(
    named: tuple[str, ...], meant: set[str]
) -> None:
    """Two of one name are never certain; who is called the other way round is somebody else."""
    company = kites()
    company["employees"] += [
        person("holm_una", "Holm Una"), person("x_9", "Una Holm Dahl"),
        person("x_1", "Una Dahl"), person("x_2", "Una Dahl"),
    ]  # fmt: skip
    text = f"Who of these knows whom: {', '.join(named).replace(' of Mars', '')}? Ring the roof."
    found = entities(PlayedTask(company), text, *named)
    assert ids(found) == meant
    assert bool(found.facts["solving"]) == (named in (("Jurgen Muler",), ("Dahl Una",)))


def test_a_name_that_several_have_is_told_with_all_of_them() -> None:
    found = entities(PlayedTask(), "In which department is Una?", "Una")
    assert found.facts["security"] == []
    (one,) = found.facts["solving"]
    assert {row["id"] for row in one["found"]} == {"una_berg", "una_holm"}
    text = entities(PlayedTask(), "Una, and then Una Berg; Hand.", "Una", "Una Berg", "Hand").text
    assert text.count("(employee una_berg, ") == 1
    assert '"Hand" may be any of 8 records' in text


NOBODY = "is the name of no person, project or customer"


@pytest.mark.parametrize(
    ("text", "named", "how", "told"),
    [
        (
            "Does Una Berg know Una?", ("Una Berg", "Una"), {},
            "named: Una Berg (employee una_berg, Sewing, Dock – Bergen, una_berg@kites.example)",
        ),
        ("Where is Una Hulm?", ("Una Hulm",), {}, '"Una Hulm" may be: Una Holm (employee una_holm'),
        (
            "Raise the salary of Una Holm by 10.", ("Una Holm",), {"about": "pay", "changes": True},
            "private: una_holm: salary 51000, no note",
        ),
        ("What does Una Holm earn?", ("Una Holm",), {"about": "pay"}, "una_holm: salary 51000"),
        ("The note on Una Holm?", ("Una Holm",), {"about": "notes"}, "una_holm: no note"),
        (
            "Which raise do the notes on Una Berg approve?", ("Una Berg",), {"about": "pay, notes"},
            "una_berg: salary 51000, note 'likes",
        ),
        (
            "Where is Rope Ole?", ("Rope Ole",), {},
            '"Rope Ole" may be: Circus Luna (customer cust_circus, contact Ole',
        ),
        (
            "The contact at Circus Luna?", ("Circus Luna",), {"about": "contacts"},
            "private: contact of cust_circus: Ole Rope (ole@buyers",
        ),
        (
            "Projects for Circus Luna?", ("Circus Luna",), {"about": "projects"},
            "all projects for cust_circus, archived ones too: Night Tent (proj_tent, archived)",
        ),
        (
            "Who leads the stunt kites for lessons?", (),
            {"about": "team", "described": ["the stunt kites for lessons"]},
            "Bright Sails (project proj_sails, active, 'twelve big stunt kites for the beach "
            "lessons')",
        ),
        (
            "Who leads the stunt kites for lessons?", (),
            {"about": "team", "described": ["the stunt kites for lessons"]},
            "proj_sails: customer Harbour School (cust_school), account manager Una Berg",
        ),
        (
            "The manager of the acrobats that fly?", (),
            {"about": "customers", "described": ["the acrobats that fly"]},
            "Circus Luna (customer cust_circus, active, Key account, 'acrobats who fly')",
        ),
        (
            "Who pays for a golden zeppelin?", (),
            {"about": "customers", "described": ["golden zeppelin"]},
            'no project or customer has the words of "golden zeppelin"',
        ),
        (
            "Lead of New Loft?", ("New Loft",), {},
            "proj_own: internal, its customer id cust_kites_internal is no record; team: nobody",
        ),
        ("Does Una Oostra work here?", ("Una Oostra",), {}, f'"Una Oostra" {NOBODY}'),
        (
            "Set my skill_sewing to 9.", ("skill_sewing",), {"about": "skills", "changes": True},
            "the user's levels: skill_sewing 8",
        ),
        (
            "Raise my needlework by 1.", ("needlework",), {"about": "skills", "changes": True},
            "the user's levels: skill_cutting 6, skill_sewing 8, will_travel 4",
        ),
        (
            "My hours of 2 May: make them 3.", (), {"about": "hours", "days": ["2025-05-02"]},
            "user of 2025-05-02: te_001 2.5 h on proj_sails",
        ),
        (
            "My hours of yesterday?", (), {"about": "hours", "days": ["2025-05-05"]},
            "user of 2025-05-05: none",
        ),
        (
            "Which projects has Berg Una?", ("Berg Una",), {"about": "projects, load"},
            "all projects that una_berg is on, archived ones too: Bright Sails (proj_sails, "
            "active) Lead 0.5, Night Tent (proj_tent, archived) QA 0.2",
        ),
    ],
)  # fmt: skip
def test_a_finding_tells_what_is_there(text: str, named: Any, how: Any, told: str) -> None:
    assert told in entities(PlayedTask(), text, *named, **how).text


@pytest.mark.parametrize(
    ("named", "how", "absent"),
    [
        (("Una Holm",), {"about": "hours, notes", "changes": True}, ["salary", " note"]),
        (("Una Holm",), {"about": "contacts"}, ["salary", " note", "is on"]),
        (("Una",), {"about": "pay, notes"}, ["salary", " note"]),
        (("Una Berg", "Bright Sails"), {"about": "load"}, ["salary", " note", "is on"]),
        ((), {"about": "all"}, [""]),
    ],
)
def test_what_the_task_is_not_about_is_not_told(
    named: tuple[str, ...], how: Any, absent: list[str]
) -> None:
    found = entities(PlayedTask(), "Una Holm, Una Berg, Bright Sails: what of it?", *named, **how)
    assert not [word for word in absent if found.text and word in found.text]


@pytest.mark.promise("what comes from outside is bounded")
def test_of_a_company_with_very_many_projects_none_is_read_for_its_words() -> None:
    projects = [project(f"proj_{n}", f"Kite {n}", "a kite") for n in range(400)]
    played = PlayedTask(kites(projects=projects, time_entries=[]))
    found = entities(played, "Who leads the red kite?", about="team", described=["the red kite"])
    assert found.text == ""
    assert "/projects/get" not in played.line.paths()


@pytest.mark.parametrize("user", ["una_berg", "una_holm"])
@pytest.mark.parametrize("named", ["una_berg", "una_holm"])
def test_the_record_of_somebody_else_is_marked_as_private(user: str, named: str) -> None:
    found = entities(PlayedTask(user=user), f"Pay and note of {named}?", named, about="pay, notes")
    assert ("private: " in found.text, "marked private" in found.text) == (user != named,) * 2


@pytest.mark.parametrize(
    ("named", "how"),
    [
        (("Una Holm",), {"about": "projects"}),
        (("Circus Luna",), {"about": "projects"}),
        ((), {"about": "hours", "days": ["2025-05-05"]}),
    ],
)
def test_what_a_finding_has_listed_whole_may_be_told_as_not_found(
    named: tuple[str, ...], how: Any
) -> None:
    """Also by a process that goes on with the task."""
    text = "Projects of Una Holm for Circus Luna, and my hours?"
    played, again = PlayedTask(), PlayedTask()
    for one in (played, again):
        one.benchmark._session.task = text
        assert one.asked_back("ok_not_found", "There is none.") is not None
    found = entities(played, text, *named, **how)
    assert "all " in found.text
    remember(again.benchmark, found)
    for one in (played, again):
        assert one.asked_back("ok_not_found", "There is none.") is None


def test_people_whom_a_told_note_names_are_told_with_their_department() -> None:
    company = kites()
    company["employees"][3]["notes"] = "Jürgen Müller, head: raise to 60000 approved. Una is fine."
    text = "Raise the salary of Una Holm to 60000."
    found = entities(PlayedTask(company), text, "Una Holm", about="pay", changes=True)
    line = "private: named in the note of una_holm: Jürgen Müller (juergen_mueller), Sewing"
    assert line in found.text.splitlines()
    assert found.text.count("named in the note") == 1


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("Sewing", False), ("Dock – Bergen", False), ("Bergen", False), ("skill", False),
        ("Skill_Sewing", False), ("Project", False), ("Key", False), ("sewing kites", True),
    ],
)  # fmt: skip
def test_what_records_have_or_are_is_no_name_of_nothing(name: str, is_told: bool) -> None:
    told = entities(PlayedTask(), f"Who of them is strong in {name}?", name).text
    assert (NOBODY in told) == is_told


def test_a_name_that_the_wiki_alone_has_is_told_with_its_line() -> None:
    company = kites()
    company["wiki"]["words.md"] = "# Our words\n\n- **Big Flap**: Bright Sails\n"
    found = entities(PlayedTask(company), "Log an hour for me on Big Flap.", "Big Flap")
    assert found.text == f'"Big Flap" {NOBODY}; words.md has it: - **Big Flap**: Bright Sails'


BAD = ["", "Gerne!", '{"answer": ', '{"text": "Una Berg"}', '{"answer": ["Una"]}', "[]", "null"]


@pytest.mark.parametrize(
    "reply",
    [*BAD, '{"about": "", "named": []}', '{"about": "kites", "named": []}',
     '{"about": "pay", "named": "Una"}', '{"about": "pay"}'],
)  # fmt: skip
def test_without_a_readable_reply_no_name_is_resolved_and_the_prompt_says_so(reply: str) -> None:
    played = PlayedTask()
    before = len(played.line.sent)
    model = Model(f"entities-bad-{reply}", reply)
    found = run(Entities(played.benchmark), StageInput("Where is Una?"), model.client)
    assert (found.text, bool(found.failed)) == (UNRESOLVED, True)
    assert run(Entities(played.benchmark), StageInput("Where is Una?")).text == UNRESOLVED
    assert len(played.line.sent) == before


@pytest.mark.promise("what comes from outside is bounded")
def test_a_reply_with_endless_names_is_cut() -> None:
    names = [f"N{n}" for n in range(5_000)]
    found = entities(PlayedTask(), " ".join(names), *names)
    assert len(found.facts["solving"]) == NAMES_AT_MOST


@given(
    named=st.lists(st.text(max_size=20), max_size=5),
    days=st.lists(st.one_of(st.text(max_size=12), st.integers()), max_size=3),
)
def test_whatever_a_model_reads_harms_nothing(named: list[str], days: list[Any]) -> None:
    with closing(Ledger()) as ledger:
        reply = json.dumps({"about": "all, hours", "named": named, "days": days})
        model = Model(f"any-{reply}", reply)
        case = StageInput(" ".join(named))
        Entities(OFFICE.benchmark).run(case, model.client, ledger)


def test_what_a_finding_has_told_may_be_linked_and_named_and_nothing_else() -> None:
    """What a stage only counted or read is no evidence until a tool gives it to the strategy."""
    played = PlayedTask()
    text = "My hours of 2025-05-02 on Bright Sails: make them 3. Ask a Hand."
    entities(played, text, "Bright Sails", "Hand", about="hours", days=["2025-05-02"])
    for id in ("hand_3", "djordje_cosic"):
        told = played.finish("ok_answer", "It is that one.", f"employee:{id}")
        assert "no answer of the system has shown that" in (told or "")
    before = len(played.line.sent)
    assert len(data_of(played.call("Combo_List_All_Employees"))) == 12
    assert len(played.line.sent) == before  # it was kept
    links = "employee:juergen_mueller, employee:hand_3, project:proj_sails, customer:cust_school"
    assert played.finish("ok_answer", "It is te_001.", links) is None


def test_a_note_that_a_finding_has_told_is_known_as_one() -> None:
    played = PlayedTask()
    session = played.benchmark._session
    session.task = "What does the note on Una Holm say of hats?"
    entities(played, session.task, "Una Holm", about="notes")
    assert played.asked_back("ok_not_found", "The note on Una Holm does not say.") is None


def test_a_guest_s_task_names_nothing_that_is_looked_up() -> None:
    played = PlayedTask(user=None)
    before = len(played.line.sent)
    assert entities(played, "What does Una Berg earn?", "Una Berg").nothing
    assert len(played.line.sent) == before


def test_a_step_changes_nothing() -> None:
    played = PlayedTask()
    with (
        closing(Ledger()) as ledger,
        played.benchmark.reading(ledger) as (session, _),
        pytest.raises(ToolFault, match="only looks"),
    ):
        session.write(company.Req_UpdateProjectStatus(id="proj_sails", status="paused"))
    assert played.line.events == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Jürgen Müller", "juergen_mueller: the user's department, on projects that the user "
        "leads: proj_sails"),
        ("Una Holm", "una_holm: another department, on projects that the user leads: none"),
        ("Una Berg", "una_berg: the user themselves"),
        ("Circus Luna", "cust_circus: the user is its account manager"),
        ("New Loft", "proj_own: the user's role there: none, account manager of its customer: none "
        "(no customer)"),
        ("Night Tent", "proj_tent: the user's role there: QA, account manager of its customer: the "
        "user"),
    ],
)  # fmt: skip
def test_what_ties_who_asks_to_a_record(name: str, line: str) -> None:
    """Without a model, and of the user without a request."""
    played = PlayedTask()
    found = entities(played, f"What of {name}?", name)
    played.line.sent.clear()
    assert run(Ties(played.benchmark), StageInput("", (found,))).text == line
    assert name != "Una Berg" or played.line.paths() == []


# -- watchdog


@pytest.mark.parametrize(
    "reply",
    [
        judged("denied", rule=""), judged("denied", rule="Nobody may ever"),
        judged("denied", reason=""),
        judged("unclear"), judged("allowed"), "", "I would deny it.",
        '{"verdict": "denied", "rule"',
        '{"verdict": "perhaps"}', '{"verdict": ["denied"]}', '{"outcome": "denied_security"}',
        '{"verdict": "denied", "rule": 1, "reason": "x"} {"verdict": "allowed"}',
    ],
)  # fmt: skip
def test_in_doubt_nothing_is_closed(reply: str) -> None:
    played = PlayedTask()
    assert watchdog(played, "What does Jürgen Müller earn?", reply, name="doubt").verdict is None


def test_the_watchdog_sees_asker_ask_facts_and_rules_alone() -> None:
    played, model = PlayedTask(), Model("watch", judged("unclear"))
    text = "Pause Bright Sails."
    rules = Finding(step="rule_book", text=PAY_RULE)
    case = StageInput(text, (rules, tied(played, text, "Bright Sails")), log="what the solver did")
    found = run(Watchdog(played.benchmark), case, model.client)
    (prompt,) = model.asked
    assert PAY_RULE in prompt
    assert "the user's role there: Lead" in prompt
    assert "what the solver did" not in prompt
    assert found.text == "unclear: forbidden"


@pytest.mark.parametrize("rule", ["", "Everybody may do everything"])
def test_what_no_rule_that_was_shown_bears_out_is_told_as_such(rule: str) -> None:
    found = watchdog(PlayedTask(), "What do I earn?", judged("allowed", rule=rule), name="unborne")
    assert found.text.startswith("no rule seen")


@pytest.mark.promise("no second answer")
def test_a_denial_that_names_its_line_goes_through_the_one_answer() -> None:
    played = PlayedTask()
    found = watchdog(played, "What does Jürgen Müller earn?", judged("denied"))
    assert found.verdict is not None
    assert found.verdict.by == "model"
    assert "Only the house of People" in found.verdict.reason
    with closing(Ledger(on_entry=played.noted)) as ledger:
        assert played.benchmark.finish(found.verdict.closing, ledger) is None
        assert played.benchmark.finish(found.verdict.closing, ledger) is None
    assert played.answered == ["denied_security"]
    assert played.responses[0]["message"] == "No, sorry."


# -- guest


def test_only_a_guest_has_the_public_playbook() -> None:
    assert run(Guest(PlayedTask().benchmark), StageInput("Who are you?")).nothing
    told = run(Guest(PlayedTask(user=None).benchmark), StageInput("Who are you?")).text
    assert "nobody is signed in" in told
    assert "una" not in told.casefold()


# -- wording


GERMAN = "Wer ist der Leiter von dem Projekt und was ist die Rolle von Una Berg?"
ENGLISH = "The lead of the project is Una Berg and she has 2 roles in it."


def wording(reply: str, name: str) -> Finding:
    played, model = PlayedTask(), Model(name, reply)
    played.call("Combo_List_All_Employees")
    case = StageInput(GERMAN, final_answer=said("ok_answer", ENGLISH))
    return run(Wording(played.benchmark), case, model.client)


def test_another_language_is_one_call() -> None:
    told = "Die Leiterin ist Una Berg und sie hat 2 Rollen."
    words = wording(json.dumps({"answer": told}), "german").words
    assert read_final_answer(words, OFFICE.benchmark._session).message == told


@pytest.mark.parametrize(
    "told", ["Die Leiterin ist sie.", "Una Berg hat 3 Rollen.", "Una Berg und Una Holm haben 2."]
)
def test_other_words_that_lose_or_add_a_name_or_figure_are_not_taken(told: str) -> None:
    found = wording(json.dumps({"answer": told}), "lossy")
    assert found.words == ""
    assert "would lose" in found.failed


@pytest.mark.parametrize("reply", BAD)
def test_a_reply_that_cannot_be_used_is_no_finding(reply: str) -> None:
    played = PlayedTask()
    assert wording(reply, "bad-w").failed
    assert wording(reply, "bad-w").words == ""
    found = watchdog(played, "What does Jürgen Müller earn?", reply or " ", name="bad-p")
    assert (found.verdict, bool(found.failed)) == (None, True)


MESSAGE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(
    words=MESSAGE, links=st.sampled_from(["auto", "none", "employee:una_berg", "location:Bergen"])
)
def test_other_words_never_change_outcome_or_links(words: str, links: str) -> None:
    session = OFFICE.benchmark._session
    before = read_final_answer(said("ok_answer", "Una Berg sews.", links), session)
    after = read_final_answer(reworded(before, words, session).as_text(), session)
    assert after.outcome == before.outcome
    assert after.links == links_of(before, session)
    assert after.message == words.strip()
