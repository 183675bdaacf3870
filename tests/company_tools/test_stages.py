"""The company's steps: what each finds by rule, what it asks, and what it makes of bad replies."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest
from company_tools.stages.language import language
from hypothesis import given
from hypothesis import strategies as st

from company_tools.final_answer import links_of, read_final_answer, reworded
from company_tools.stages.entities import Entities
from company_tools.stages.rights import Guest, Policy, Ties
from company_tools.stages.wording import Wording, by_rule
from core.erc3_client import company
from core.ledger import Ledger, ToolFault
from core.models.model_call import KeptCalls, ModelCall
from core.models.model_client import ModelClient
from core.runs.task import Finding, StageInput
from tests.canned import play
from tests.company_tools.kites import kites, person
from tests.company_tools.played_task import PlayedTask, said


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
        found: Finding = step.run(case, "", client, ledger)
    return found


def entities(played: PlayedTask, text: str) -> Finding:
    found = run(Entities(played.benchmark), StageInput(text))
    return found.model_copy(update={"step": "entities"})


def tied(played: PlayedTask, text: str) -> Finding:
    found = run(Ties(played.benchmark), StageInput(text, (entities(played, text),)))
    return found.model_copy(update={"step": "ties"})


PAY_RULE = "Only the house of People sees what others earn."


def policy(played: PlayedTask, text: str, *replies: str, name: str = "policy") -> Finding:
    model = Model(name, *replies)
    rules = Finding(step="rule_book", text=f"== rules.md ==\n{PAY_RULE}")
    case = StageInput(text, (entities(played, text), rules, tied(played, text)))
    return run(Policy(played.benchmark), case, model.client if replies else None)


def judged(verdict: str, rule: str = "Only the house of People", reason: str = "forbidden") -> str:
    return json.dumps({"verdict": verdict, "rule": rule, "reason": reason, "message": "No, sorry."})


# -- entities


def test_names_are_found_in_any_order_and_spelling() -> None:
    found = entities(
        PlayedTask(), "Does Mueller Juergen know una_berg and Dorde Cosic on Bright Sails?"
    )
    ids = {row["id"] for row in found.facts["permission"]}
    assert ids == {"juergen_mueller", "una_berg", "djordje_cosic", "proj_sails"}
    assert found.facts["candidates"] == []


def test_a_single_name_gives_all_who_are_called_so() -> None:
    found = entities(PlayedTask(), "In which department is Una?")
    assert found.facts["permission"] == []
    (one,) = found.facts["candidates"]
    assert {row["id"] for row in one["found"]} == {"una_berg", "una_holm"}


def test_what_is_only_described_is_a_candidate_with_its_values() -> None:
    found = entities(PlayedTask(), "Who leads the roof of silk over the ring?")
    (row,) = found.facts["permission"]
    assert row["id"] == "proj_tent"
    described = "Night Tent (project proj_tent, archived: a roof of silk over the ring)"
    assert f'"roof silk ring" may be: {described}' in found.text
    assert "proj_tent: customer Circus Luna (cust_circus), account manager Una Berg" in found.text
    assert "Jürgen Müller (juergen_mueller) Lead 0.1" in found.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Does Una Berg know Una?",
            "named: Una Berg (employee una_berg, Sewing, Dock – Bergen, una_berg@kites.example)",
        ),
        ("Raise the salary of Una Holm by 10.", "una_holm: salary 51000, no note"),
        ("Which raise do the notes on Una Berg approve?", "una_berg: salary 51000, note 'likes"),
        ("Please set the note on Una Holm to hats.", "una_holm: no note"),
        ("Where is Rope Ole?", '"Rope Ole" may be: Circus Luna (customer cust_circus, contact Ole'),
        (
            "The contact at Circus Luna?",
            "cust_circus: account manager Una Berg (una_berg), contact Ole Rope (ole@buyers",
        ),
        (
            "Lead of New Loft?",
            "proj_own: no customer (cust_kites_internal); team: nobody",
        ),
        ("Does Piet Oostra work here?", 'no person, project or customer is called "Piet Oostra"'),
        ("Set my skill_sewing to 9.", "the user's levels: skill_sewing 8"),
        (
            "My hours of 2025-05-02: make them 3.",
            "entries of 2025-05-02: te_001 2.5 h on proj_sails",
        ),
        ("My hours of yesterday?", "entries of 2025-05-05: none"),
        ("Una Holm: read me the note.", "una_holm: no note"),
    ],
)
def test_a_finding_tells_what_is_there(text: str, told: str) -> None:
    assert told in entities(PlayedTask(), text).text


@pytest.mark.parametrize(
    "text",
    [
        "What does Una Holm earn, what is her salary?",
        "Log 2 hours for Una Holm on Bright Sails with the note hats.",
    ],
)  # fmt: skip
def test_pay_of_others_is_not_told_where_no_change_needs_it_nor_notes_of_entries_as_theirs(
    text: str,
) -> None:
    told = entities(PlayedTask(), text).text
    assert "51000" not in told
    assert "no note" not in told


LONG = "\n".join(f"Kite {n} flies over field {n} whenever the wind allows it." for n in range(80))


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ("pay", "una_holm: salary 51000"), ("notes", "una_holm: no note"), ("team, load", ""),
        ("hours, notes", ""),
    ],
)  # fmt: skip
def test_a_model_that_has_read_the_task_says_whether_it_is_about_pay_or_notes(
    about: str, told: str
) -> None:
    played = PlayedTask(kites(wiki={"long.md": LONG}))
    model = Model(f"about-{about}", json.dumps({"about": about}))
    text = "Compare Una Holm with the usual market wages and customs, salary and note."
    found = run(Entities(played.benchmark), StageInput(text), model.client)
    lines = [line for line in found.text.splitlines()[1:] if " is on: " not in line]
    assert lines == ([told] if told else [])


def test_people_whom_a_told_note_names_are_told_with_their_department() -> None:
    company = kites()
    company["employees"][3]["notes"] = "Jürgen Müller, head: raise to 60000 approved. Una is fine."
    found = entities(PlayedTask(company), "Raise the salary of Una Holm to 60000.")
    line = "named in the note of una_holm: Jürgen Müller (juergen_mueller), Sewing"
    assert line in found.text.splitlines()
    assert found.text.count("named in the note") == 1


def test_all_candidates_of_a_description_are_told_with_status_and_team() -> None:
    text = entities(PlayedTask(), "Who leads the stunt beach team, or the silk at the ring?").text
    assert "Bright Sails (project proj_sails, active: twelve" in text
    assert "Night Tent (project proj_tent, archived: a roof" in text
    assert "proj_sails: team: Una Berg (una_berg) Lead 0.5, juergen_mueller Engineer 0.3" in text
    assert "proj_tent: team: Jürgen Müller (juergen_mueller) Lead 0.1, una_berg QA 0.2" in text


BERGS_SEATS = (
    "una_berg is on: Bright Sails (proj_sails, active) Lead 0.5, Night Tent (proj_tent, archived) "
    "QA 0.2"
)


def test_of_who_is_named_the_projects_are_told_by_requests_that_ties_would_send() -> None:
    played = PlayedTask()
    found = entities(played, "Which projects has Berg Una, and how busy is that?")
    assert BERGS_SEATS in found.text.splitlines()
    played.line.sent.clear()
    run(Ties(played.benchmark), StageInput("", (found,)))
    assert set(played.line.paths()) == {"/customers/search", "/employees/get"}


@pytest.mark.parametrize(
    "text", ["Raise the salary of Una Berg.", "What is the share of Una Berg on Bright Sails?"]
)
def test_projects_are_not_told_where_the_text_is_about_pay_or_names_one(text: str) -> None:
    assert "is on:" not in entities(PlayedTask(), text).text


@pytest.mark.parametrize(("about", "told"), [("load", True), ("pay", False), ("contacts", False)])
def test_a_model_that_has_read_the_task_says_whether_it_is_about_work(
    about: str, told: bool
) -> None:
    played = PlayedTask(kites(wiki={"long.md": LONG}))
    model = Model(f"work-{about}", json.dumps({"about": about}))
    text = "Compare Una Berg with usual customs, wages and workloads elsewhere."
    found = run(Entities(played.benchmark), StageInput(text), model.client)
    assert (BERGS_SEATS in found.text) == told


def test_a_name_that_two_people_share_is_never_told_as_certain() -> None:
    company = kites()
    company["employees"].append(person("una_second", "Una Holm", department="Sales"))
    for text in ("Where is Una Holm?", "Where is Holm Una?"):
        found = entities(PlayedTask(company), text)
        assert found.facts["permission"] == []
        assert found.text.startswith('"Una Holm" may be: Una Holm (employee una_holm, ')
        assert "Una Holm (employee una_second, " in found.text
    told = entities(PlayedTask(company), "Where is Una Holm (una_second)?").facts["permission"]
    assert [row["id"] for row in told] == ["una_second"]


def test_a_name_in_the_other_order_or_within_a_longer_one_is_no_namesake() -> None:
    company = kites()
    company["employees"] += [person("holm_una", "Holm Una"), person("x_9", "Una Holm Dahl")]
    for text, id in (
        ("Where is Una Holm?", "una_holm"), ("Where is Holm Una?", "holm_una"),
        ("Where is Una Holm Dahl?", "x_9"),
    ):  # fmt: skip
        found = entities(PlayedTask(company), text)
        assert [row["id"] for row in found.facts["permission"]] == [id]
        assert found.facts["candidates"] == []


def test_a_record_that_cannot_be_read_loses_no_name() -> None:
    played = PlayedTask()
    played.line.plan["/customers/get"] = [404] * 40
    text = entities(played, "Does Una Holm sew the roof of silk over the ring?").text
    about = "Sales, Dock – Bergen, una_holm@kites.example"
    assert text.splitlines()[0] == f"named: Una Holm (employee una_holm, {about})"


def test_the_same_people_are_told_once() -> None:
    text = entities(PlayedTask(), "Ask Hand and Number3, or Una, and then Una Berg.").text
    assert text.count("(employee una_berg, ") == 1
    assert '"Hand" may be any of 8 people' in text


@pytest.mark.parametrize(
    "text",
    ["A page for each customer: roof/ID, please.", "Wie viele sind es? Eine Zahl, bitte."],
)
def test_words_that_are_no_name_and_no_description_are_told_as_none(text: str) -> None:
    assert entities(PlayedTask(), text).text == ""


def test_of_a_project_and_its_customer_the_text_means_the_one_it_speaks_of() -> None:
    played = PlayedTask()
    found = entities(played, "Who leads the project for the acrobats, with the roof over the ring?")
    assert [row["id"] for row in found.facts["permission"]] == ["proj_tent"]


def test_a_note_that_a_finding_has_told_is_known_as_one() -> None:
    played = PlayedTask()
    session = played.benchmark._session
    session.task = "What does the note on Una Berg say of hats?"
    entities(played, session.task)
    assert ("the notes of una_berg", "una_berg") in session.evidence.texts
    assert played.asked_back("ok_not_found", "The note on Una Berg does not say.") is None


def test_what_a_finding_has_told_may_be_linked_and_named() -> None:
    played = PlayedTask()
    entities(played, "My hours of 2025-05-02 on Bright Sails: make them 3.")
    links = "employee:juergen_mueller, project:proj_sails, customer:cust_school"
    assert played.finish("ok_answer", "It is te_001.", links) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Log an hour for me on Big Flap.", '"big flap" may be: Bright Sails (project proj_sails'),
        ("Who looks after the Ringmaster?", '"ringmaster" may be: Circus Luna (customer cust_'),
        # A status, a place or somebody beside a name is no other name for it.
        ("Which projects are active?", ""),
        ("Where is Una Berg?", "named: Una Berg"),
    ],
)
def test_what_the_wiki_calls_a_project_or_customer_is_told_with_its_name(
    text: str, said: str
) -> None:
    company = kites()
    company["wiki"]["words.md"] = (
        "# Our words\n\n- **Big Flap**: Bright Sails\n\n| we say | register |\n|---|---|\n"
        "| the Ringmaster | Circus Luna |\n\n- Bright Sails: active\n- Bright Sails: Una Berg\n"
    )
    found = entities(PlayedTask(company), text)
    assert found.text.startswith(said)
    assert "is called" not in found.text
    assert ("may be" in said) == ("may be" in found.text)


def test_a_guest_s_task_names_nothing_that_is_looked_up() -> None:
    played = PlayedTask(user=None)
    before = len(played.line.sent)
    assert entities(played, "What does Una Berg earn?").nothing
    assert len(played.line.sent) == before


def test_what_a_step_has_read_is_no_evidence_until_the_solver_reads_it() -> None:
    played = PlayedTask()
    entities(played, "What about Una Berg?")
    refused = played.finish("ok_answer", "It is he.", "employee:djordje_cosic")
    assert "no answer of the system has shown that" in (refused or "")
    assert played.finish("ok_answer", "It is she.", "employee:una_berg") is None


def test_what_is_kept_from_a_step_becomes_evidence_when_a_tool_gives_it() -> None:
    played = PlayedTask()
    entities(played, "What about Una Berg?")
    before = len(played.line.sent)
    assert len(played.call("Combo_List_All_Employees")["employees"]) == 12
    assert len(played.line.sent) == before
    assert played.finish("ok_answer", "It is he.", "employee:djordje_cosic") is None


def test_a_step_changes_nothing() -> None:
    played = PlayedTask()
    with (
        closing(Ledger()) as ledger,
        played.benchmark.reading(ledger) as (session, _),
        pytest.raises(ToolFault, match="only looks"),
    ):
        session.write(company.Req_UpdateProjectStatus(id="proj_sails", status="paused"))
    assert played.line.events == []


# -- policy


def test_a_denial_that_names_its_line_closes_the_task() -> None:
    found = policy(
        PlayedTask(), "What does Jürgen Müller earn, what is their salary?", judged("denied")
    )
    assert found.verdict is not None
    assert found.verdict.by == "model"
    assert "denied_security" in found.verdict.closing
    assert "No, sorry." in found.verdict.closing
    assert "Only the house of People" in found.verdict.reason


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
    assert policy(played, "What does Jürgen Müller earn?", reply, name="doubt").verdict is None


def test_the_watchdog_sees_asker_ask_facts_and_rules_alone() -> None:
    played, model = PlayedTask(), Model("watch", judged("unclear"))
    text = "Pause Bright Sails."
    rules = Finding(step="rule_book", text=PAY_RULE)
    case = StageInput(text, (rules, tied(played, text)), log="what the solver did")
    found = run(Policy(played.benchmark), case, model.client)
    (prompt,) = model.asked
    assert PAY_RULE in prompt
    assert '"asker_roles":' in prompt
    assert "what the solver did" not in prompt
    assert found.text == "unclear: forbidden"


@pytest.mark.parametrize("rule", ["", "Everybody may do everything"])
def test_what_no_rule_that_was_shown_bears_out_is_told_as_such(rule: str) -> None:
    found = policy(PlayedTask(), "What do I earn?", judged("allowed", rule=rule), name="unborne")
    assert found.text.startswith("no rule seen")


def test_what_ties_who_asks_is_told_without_a_model() -> None:
    found = tied(PlayedTask(), "Pause Bright Sails.")
    assert "proj_sails: the user's role there:" in found.text
    assert found.facts["proj_sails"]["kind"] == "project"


@pytest.mark.promise("no order from a text")
def test_a_guest_who_orders_a_change_is_denied_by_rule() -> None:
    found = tied(PlayedTask(user=None), "Hi! Could you please raise the salary of Una Berg?")
    assert found.verdict is not None
    assert found.verdict.by == "rule"


@pytest.mark.parametrize(
    "text", ["Do you have a place in Bergen? Yes or No.", "How does one log hours with you?"]
)
def test_a_guest_s_question_is_never_denied_by_rule(text: str) -> None:
    assert tied(PlayedTask(user=None), text).verdict is None


@pytest.mark.promise("no second answer")
def test_a_verdict_goes_through_the_one_answer() -> None:
    played = PlayedTask()
    found = policy(played, "What does Jürgen Müller earn, what is their salary?", judged("denied"))
    assert found.verdict is not None
    with closing(Ledger(on_entry=played.noted)) as ledger:
        assert played.benchmark.finish(found.verdict.closing, ledger) is None
        assert played.benchmark.finish(found.verdict.closing, ledger) is None
    assert played.answered == ["denied_security"]


# -- guest


def test_only_a_guest_has_the_public_playbook() -> None:
    assert run(Guest(PlayedTask().benchmark), StageInput("Who are you?")).nothing
    told = run(Guest(PlayedTask(user=None).benchmark), StageInput("Who are you?")).text
    assert "nobody is signed in" in told
    assert "una" not in told.casefold()


# -- wording


@pytest.mark.parametrize(
    ("question", "message", "words"),
    [
        ("What do I earn?", "You earn 58,000 a year.", "You earn 58000 a year."),
        ("What is the total?", "1,234,567 and 12'000", "1234567 and 12000"),
        ("Is the salary 58,000?", "It is 58,000.", "It is 58,000."),
        ("What does the note say?", "Raise to 63,000", "Raise to 63,000"),
        ("How many hours?", "2.5 and 10,25 and 1,2345", "2.5 and 10,25 and 1,2345"),
        ("As DD.MM.YYYY, please.", "It was 2025-04-01.", "It was 01.04.2025."),
        ("mm/dd/yyyy?", "2025-04-01, 2025-13-01", "04/01/2025, 2025-13-01"),
        ("The date?", "2025-04-01", "2025-04-01"),
        ("Yes or No?", "Yes, in Novi Sad.", "Yes"),
        ("yes/no?", "No. Yesterday there was.", "No."),
        ("Yes or No?", "Yes. We are part of Wind Ltd.", "Yes. We are part of Wind Ltd."),
        ("Have you an office in Novi Sad?", "Yes, in Novi Sad.", "Yes, in Novi Sad."),
    ],
)  # fmt: skip
def test_forms_are_put_right_by_rule(question: str, message: str, words: str) -> None:
    assert by_rule(question, message) == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Who is the lead of the project that you have?", "english"),
        ("Wer ist der Leiter von dem Projekt und was hat er?", "german"),
        ("谁负责这个项目", "han"),
        ("Ко је вођа пројекта", "cyrillic"),
        ("Bright Sails", ""),
        ("", ""),
    ],
)
def test_a_language_is_told_only_for_certain(text: str, name: str) -> None:
    assert language(text) == name


GERMAN = "Wer ist der Leiter von dem Projekt und was ist die Rolle von Una Berg?"
ENGLISH = "The lead of the project is Una Berg and she has 2 roles in it."


def wording(reply: str, name: str) -> Finding:
    played, model = PlayedTask(), Model(name, reply)
    played.call("Combo_List_All_Employees")
    case = StageInput(GERMAN, final_answer=said("ok_answer", ENGLISH))
    return run(Wording(played.benchmark), case, model.client)


def test_another_language_is_one_call() -> None:
    told = "Die Leiterin ist Una Berg und sie hat 2 Rollen."
    assert wording(json.dumps({"answer": told}), "german").words == told


@pytest.mark.parametrize(
    "told", ["Die Leiterin ist sie.", "Una Berg hat 3 Rollen.", "Una Berg und Una Holm haben 2."]
)
def test_other_words_that_lose_or_add_a_name_or_figure_are_not_taken(told: str) -> None:
    found = wording(json.dumps({"answer": told}), "lossy")
    assert found.words == ""
    assert "would lose" in found.failed


BAD = ["", "Gerne!", '{"answer": ', '{"text": "Una Berg"}', '{"answer": ["Una"]}', "[]", "null"]


@pytest.mark.parametrize("reply", BAD)
def test_a_reply_that_cannot_be_used_is_no_finding(reply: str) -> None:
    played = PlayedTask()
    assert wording(reply, "bad-w").failed
    assert wording(reply, "bad-w").words == ""
    found = policy(played, "What does Jürgen Müller earn?", reply or " ", name="bad-p")
    assert (found.verdict, bool(found.failed)) == (None, True)


OFFICE = PlayedTask()
OFFICE.call("Combo_List_All_Employees")
MESSAGE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@given(
    words=MESSAGE, links=st.sampled_from(["auto", "none", "employee:una_berg", "location:Bergen"])
)
def test_other_words_never_change_outcome_or_links(words: str, links: str) -> None:
    session = OFFICE.benchmark._session
    old = said("ok_answer", "Una Berg sews.", links)
    before, after = (
        read_final_answer(old, session),
        read_final_answer(reworded(old, words, session), session),
    )
    assert after.outcome == before.outcome
    assert after.links == links_of(before, session)
    assert after.message == words.strip()
