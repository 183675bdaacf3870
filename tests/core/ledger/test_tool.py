"""How arguments find their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger import Tool, ToolFault, tool
from core.ledger.tool import spelled


@pytest.fixture
def made() -> Tool:
    def Book(owner: str, time_slice: float = 0.0, id: str = "") -> str:
        """Books."""
        return f"{owner} {time_slice} {id}"

    return tool("read", Book)


@pytest.mark.parametrize("slice_", ["time_slice", "timeSlice", "TimeSlice", "time-slice"])
@pytest.mark.parametrize("owner", ["owner", "Owner", "owner_id", "OwnerID"])
def test_names_in_other_spellings_are_taken(made: Tool, owner: str, slice_: str) -> None:
    assert made.bind([], {owner: "a", slice_: 1}) == {"owner": "a", "time_slice": 1}


@pytest.mark.parametrize(
    "given",
    [
        {"owner": "a", "Owner": "b"},
        {"Owner": "a", "OWNER": "b"},
        {"owner": "a", "slice": 1},
        {"owner": "a", "_": 1},
        {"owners": "a"},
    ],
)
def test_what_is_not_certain_is_refused_with_what_would_be_right(
    made: Tool, given: dict[str, object]
) -> None:
    with pytest.raises(ToolFault, match=r"expected Book\(owner: str, time_slice: float = 0\.0"):
        made.bind([], given)


NAMES = st.text(alphabet="abAB_-", min_size=1, max_size=5)


@given(known=st.sets(NAMES, max_size=4), given=st.dictionaries(NAMES, st.integers(), max_size=4))
def test_no_value_is_lost_and_known_names_stay(known: set[str], given: dict[str, int]) -> None:
    renamed = spelled(known, given)
    assert sorted(renamed.values()) == sorted(given.values())
    assert all(renamed[name] == value for name, value in given.items() if name in known)
