"""People, projects and customers by what a text calls them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_tools.ids import SURE, employee_id, match_name
from core.ledger import ToolFault
from tests.company_tools.kites import Toolbox, person, staffed, toolbox


@pytest.fixture(scope="module")
def shared() -> Toolbox:
    return toolbox()


PERSON, PROJECT, CUSTOMER = (
    ("Combo_Resolve_Person_For_Name", "name"),
    ("Combo_Resolve_Project_For_Phrase", "phrase"),
    ("Combo_Resolve_Customer_For_Phrase", "phrase"),
)


@pytest.mark.parametrize(
    ("tool", "said", "found", "matched"),
    [
        (PERSON, "Jürgen Müller", "juergen_mueller", "name"),
        (PERSON, "MÜLLER jürgen", "juergen_mueller", "name (last first)"),
        (PERSON, "Juergen Mueller", "juergen_mueller", "name"),
        (PERSON, "Jurgen Mueller", "juergen_mueller", "name"),
        (PERSON, "Mueller", "juergen_mueller", "last name"),
        (PERSON, "Cosic, Djordje", "djordje_cosic", "name (last first)"),
        (PERSON, "Dorde Cosic", "djordje_cosic", "name"),
        (PERSON, "una_holm", "una_holm", "id"),
        (PERSON, "Una Holm (una_holm)", "una_holm", "id"),
        (PERSON, "Una_Holm@kites.example", "una_holm", "email"),
        (PERSON, "Juergn Muelle", "juergen_mueller", "name (alike)"),
        (PROJECT, "the stunt kites for the beach", "proj_sails", "description"),
        (PROJECT, "Bright Sails", "proj_sails", "name"),
        (PROJECT, "sails bright", "proj_sails", "name"),
        (PROJECT, "the circus' silken roof", "proj_tent", "customer"),
        (PROJECT, "that lesson thing for the school", "proj_sails", "description"),
        (PROJECT, "proj_own", "proj_own", "id"),
        (CUSTOMER, "flying acrobats", "cust_circus", ""),
        (CUSTOMER, "Luna", "cust_circus", ""),
        (CUSTOMER, "Chile", "cust_circus", ""),
        (CUSTOMER, "pia@buyers.example", "cust_school", ""),
        (CUSTOMER, "cust_school", "cust_school", ""),
    ],
)
def test_a_record_is_found_in_every_spelling_and_by_what_is_said_of_it(
    shared: Toolbox, tool: tuple[str, str], said: str, found: str, matched: str
) -> None:
    name, argument = tool
    answer = shared.data(name, **{argument: said})
    best = answer["candidates"][0]
    assert (best["id"], answer["tied"]) == (found, 1)
    assert matched == best["matched"] if tool == PERSON else matched in best["matched"]
    assert "salary" not in best


def test_namesakes_are_tied_and_told_apart_by_project_and_department(
    shared: Toolbox,
) -> None:
    both = shared.data("Combo_Resolve_Person_For_Name", name="Una")
    assert [c["id"] for c in both["candidates"]] == ["una_berg", "una_holm"]
    assert both["tied"] == 2
    of_team = shared.data("Combo_Resolve_Person_For_Name", name="Una", project="proj_sails")
    assert [(c["id"], c["role"]) for c in of_team["candidates"]] == [("una_berg", "Lead")]
    of_sales = shared.data("Combo_Resolve_Person_For_Name", name="Una", department="sales")
    assert [c["id"] for c in of_sales["candidates"]] == ["una_holm"]


def test_a_customers_contact_is_no_employee(shared: Toolbox) -> None:
    answer = shared.data("Combo_Resolve_Person_For_Name", name="Wind Pia")
    (found,) = answer["candidates"]
    assert (found["kind"], found["customer"]) == ("contact, no employee", "cust_school")
    assert "id" not in found
    without = shared.data("Combo_Resolve_Person_For_Name", name="Wind Pia", contacts=False)
    assert (without["candidates"], without["tied"]) == ([], 0)


def test_contacts_cost_nothing_where_an_employee_is_meant_for_sure() -> None:
    at = toolbox()
    at.data("Combo_Resolve_Person_For_Name", name="Una Berg")
    assert set(at.line.paths()) == {"/employees/list"}


WORDS = st.text(alphabet="abcdefgäöüßćčšđøå", min_size=2, max_size=8)


@given(WORDS, WORDS)
def test_both_orders_of_a_name_are_sure_whatever_its_letters(first: str, last: str) -> None:
    for said in (f"{first} {last}", f"{last} {first}", f"{last}, {first}".upper()):
        assert match_name(said, "x_1", f"{first} {last}", "x@y").score >= SURE


@given(WORDS, WORDS)
def test_a_written_out_umlaut_is_the_letter(first: str, last: str) -> None:
    out = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "đ": "dj", "ø": "oe", "å": "aa"}
    bare = {"ć": "c", "č": "c", "š": "s"}
    said = "".join({**out, **bare}.get(c, c) for c in f"{first} {last}")
    assert match_name(said, "x_1", f"{first} {last}", "x@y").score >= 99


def test_projects_of_a_person_with_archived_ones_or_without(shared: Toolbox) -> None:
    def of(**asked: object) -> list[str]:
        answer = shared.data("Combo_Resolve_Project_For_Phrase", phrase="", **asked)
        return [c["id"] for c in answer["candidates"]]

    assert of(member="una_berg") == ["proj_sails", "proj_tent"]
    assert of(member="Berg Una", archived=False) == ["proj_sails"]
    assert of(lead="juergen_mueller") == ["proj_tent"]
    with pytest.raises(ToolFault, match="unless member or lead"):
        of()


def test_an_id_is_taken_for_certain_only_where_one_person_is_meant() -> None:
    twins = [person("ann_1", "Ann Lee"), person("ann_2", "Ann Lee"), person("una_berg", "Una Berg")]
    at = toolbox(staffed(*twins))
    assert employee_id(at.session, "una_berg") == "una_berg"
    assert employee_id(at.session, "Berg Una") == "una_berg"
    with pytest.raises(ToolFault, match=r"ann_1 \(Ann Lee\), ann_2 \(Ann Lee\)"):
        employee_id(at.session, "Ann Lee")
    with pytest.raises(ToolFault, match="nobody is called so"):
        employee_id(at.session, "Zzz Qqq")


def test_whose_name_has_the_words_in_another_order_or_only_in_part_is_no_namesake() -> None:
    people = [
        person("ann_lee", "Ann Lee"), person("lee_ann", "Lee Ann"), person("x_3", "Ann Mary Lee"),
    ]  # fmt: skip
    at = toolbox(staffed(*people), user="ann_lee")
    for name, id in (("Ann Lee", "ann_lee"), ("Lee Ann", "lee_ann"), ("Lee, Ann Mary", "x_3")):
        assert employee_id(at.session, name) == id
        answer = at.data("Combo_Resolve_Person_For_Name", name=name)
        assert (answer["candidates"][0]["id"], answer["tied"]) == (id, 1)
