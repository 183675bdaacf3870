"""Exchanges with the simulator, as text: what was asked of a task, and the bytes that came back.

A file under `exchanges/` has sections, each a task of its own. `## TITLE` begins one; `with JSON`
changes fields of its scenario. A line that begins with `/` is a request: a path and a body, `{}`
where none stands. In `core` it goes to the platform, whose ids are written `tsk-1`, `ssn-1`.
`acts` asks what was done for good, `complete` for the score and the grader's lines (`complete
unreported`: without a reported model call). The indented lines behind are the answer: the bytes of
one with status 200, else the status and the text of the refusal.

`python -m tests.workshop.simulator.exchanges FILE` writes the answers of new requests, for reading.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.workshop.simulator.company import bakery
from tests.workshop.simulator.conftest import pack_of, tea_scenario
from workshop.simulator.server import Simulator, serve
from workshop.simulator.world import Pack

FOLDER = Path(__file__).with_name("exchanges")
ID = re.compile(r"(tsk|ssn|run)-[0-9A-Za-z]{22}")
TIME = re.compile(r'"(time|created_at)":"[^"]*"|"(unix)":[0-9]+')
BY_KIND = {
    "core": (pack_of, tea_scenario, ""),
    "store": (pack_of, tea_scenario, "store"),
    "company": (bakery.pack_of, bakery.scenario, "erc3-dev"),
}
"""By the beginning of a file's name how its packs and scenarios are made, and its benchmark."""


@dataclass
class Section:
    """A task, and what is asked of it: each line with the lines of its answer."""

    title: str
    changes: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, list[str]]] = field(default_factory=list)


def read_sections(path: Path) -> list[Section]:
    """The sections of a file."""
    sections: list[Section] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections.append(Section(line[3:]))
        elif line.startswith("with "):
            sections[-1].changes = json.loads(line[5:])
        elif line.startswith("  "):
            sections[-1].asked[-1][1].append(line[2:])
        elif line:
            sections[-1].asked.append((line, []))
    return sections


def pack_for(path: Path, sections: list[Section]) -> Pack:
    """A pack with the scenario of each section, whose id is its title."""
    make_pack, scenario, _ = BY_KIND[path.stem.partition("-")[0]]
    if path.stem == "core":
        return make_pack(scenario())
    return make_pack(*(scenario(**{"spec_id": one.title, **one.changes}) for one in sections))


def answers(path: Path, section: Section, running: Simulator) -> Iterator[list[str]]:
    """The lines that each question of a section is answered with, in a task of its own."""
    benchmark = BY_KIND[path.stem.partition("-")[0]][2]
    if not benchmark:
        yield from _core_answers(section, running)
        return
    with httpx.Client(base_url=running.base_url, trust_env=False, timeout=60) as http:

        def post(to: str, **body: Any) -> httpx.Response:
            return http.post(to, json=body)

        started = post("/tasks/start", benchmark=benchmark, spec_id=section.title).json()
        task = {"task_id": started["task_id"]}
        world = running.platform.served_as(benchmark).world
        for line, _ in section.asked:
            what, _, rest = line.partition(" ")
            if what == "acts":
                yield [world.event(act) for act in running.platform.acts(task["task_id"])]
            elif what == "complete":
                if not rest:
                    post("/tasks/log", **task, model="m", duration_sec=1, completion="")
                found = post("/tasks/complete", **task).json()["eval"]
                yield [str(found["score"]), *found["logs"].splitlines()]
            else:
                to = f"/{benchmark}/{task['task_id']}{what}"
                yield [_told(http.post(to, content=(rest or "{}").encode()))]


def _core_answers(section: Section, running: Simulator) -> Iterator[list[str]]:
    ids: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        number = sum(name.startswith(found[1]) for name in ids.values()) + 1
        return ids.setdefault(found[0], f"{found[1]}-{number}")

    with httpx.Client(base_url=running.base_url, trust_env=False, timeout=60) as http:
        for line, _ in section.asked:
            for id_, name in ids.items():
                line = re.sub(rf"{name}\b", id_, line)
            path, _, body = line.partition(" ")
            told = ID.sub(named, _told(http.post(path, content=(body or "{}").encode())))
            yield [TIME.sub(r'"\1\2":"…"', told)]


def _told(answer: httpx.Response) -> str:
    if answer.status_code == 200:
        return answer.text
    error = answer.json()
    assert error == {"status": answer.status_code, "error": error["error"], "code": ""}
    return f"{answer.status_code} {error['error']}"


def _fill(path: Path) -> None:
    sections = read_sections(path)
    lines = []
    with serve(pack_for(path, sections)) as running:
        for section in sections:
            lines += [f"## {section.title}"]
            if section.changes:
                lines += [f"with {json.dumps(section.changes, ensure_ascii=False)}"]
            for (line, _), told in zip(section.asked, answers(path, section, running), strict=True):
                lines += [line, *(f"  {one}" for one in told)]
            lines.append("")
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _fill(Path(name))
