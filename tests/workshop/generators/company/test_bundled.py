"""The bundled pack: from what an agent sees to the answer, by another way than the generator's."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from workshop.simulator.company.pack import BUNDLED_PACK
from workshop.simulator.open_world import OpenWorld
from workshop.simulator.worlds import load_pack


def test_loads_add_up_from_the_register_by_the_page() -> None:
    pack: Any = load_pack(BUNDLED_PACK)
    scenarios = {one.spec_id: one for one in pack.scenarios}
    scenario = scenarios["corvane-busiest-department"]
    ask = OpenWorld(pack, scenario).ask

    def every(path: str, field: str) -> list[dict[str, Any]]:
        rows, offset = [], 0
        while offset != -1:
            page = ask(path, offset=offset, limit=scenario.page_limit)
            rows += page[field] or ()
            offset = page["next_offset"]
        return rows

    pages = [ask("/wiki/load", file=path)["content"] for path in ask("/wiki/list")["paths"]]
    rule = re.search(r"status (?:is )?(`.*?)[.:]", " ".join(pages))
    assert rule
    counted = set(re.findall(r"`(\w+)`", rule[1]))
    load: Counter[str] = Counter()
    for brief in every("/projects/list", "projects"):
        for seat in ask("/projects/get", id=brief["id"])["project"]["team"]:
            load[seat["employee"]] += round(10 * seat["time_slice"] * (brief["status"] in counted))
    text, everybody = scenario.task_text, every("/employees/list", "employees")
    (asked,) = {one["department"] for one in everybody if one["department"] in text}
    people = {one["id"]: load[one["id"]] for one in everybody if one["department"] == asked}
    best = (min if "least" in text else max)(people.values())
    linked = set(scenario.expect.links["employee"].must)
    assert {who for who, share in people.items() if share == best} == linked
