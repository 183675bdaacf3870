"""Cases for readers in the place of the policy: the product's own prompts, and what it would do.

    python -m tests.campaigns.policy ask CASES.json FOLDER [--wiki PAGES.json]
    python -m tests.campaigns.policy score CASES.json FOLDER [--wiki PAGES.json] [--tell]

CASES.json: a list of {id, system: policy or guest, label: allow or refuse, name, prompt}; the
prompt of a case has its parts between tags: user, task, change, facts, wiki; of one on a guest
task, public, message. PAGES.json: {path: text}, further pages beside those of each case, which
make its wiki a long one. ``ask`` writes FOLDER/ID.txt for each case; somebody reads it and puts
the reply into FOLDER/ID.json. ``score`` reads the replies as the product does, and says which
changes would have been sent. Cases and replies are not part of the project.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import regex
import typer

from company_tools.policy import ask_about, ask_about_answer, read_guest, read_said
from company_tools.policy_rules import Wiki, weighed
from company_tools.rule_choice import WITHOUT_BOOK_TOKENS
from core.models.model_call import Message, ModelCall
from core.models.reply_text import Misread
from core.models.tokens import count_messages, count_text

CLOSED = regex.compile(
    r"^salary of |The person whose hours they are is (?!the user\.)|"
    r"The entry \S+ is (?:of )?(?!the user|of the user)",
    regex.MULTILINE,
)
"""In change and facts of a case: pay, or hours of somebody else."""
app = typer.Typer(add_completion=False)
Cases = Annotated[Path, typer.Argument(exists=True, dir_okay=False)]
Pages = Annotated[Path | None, typer.Option("--wiki", exists=True, dir_okay=False)]


@dataclass(frozen=True)
class Case:
    """One case, taken apart."""

    id: str
    label: str
    name: str
    kind: str
    parts: dict[str, str]
    more: dict[str, str]
    """Further pages of its wiki."""

    @property
    def is_guest(self) -> bool:
        """Whether it is on an answer to a guest."""
        return "message" in self.parts

    @property
    def wiki(self) -> Wiki:
        """The wiki of the case, those further pages behind its own."""
        pages: dict[str, str] = {}
        for page in regex.split(r"^=== page ", self.parts["wiki"], flags=regex.MULTILINE)[1:]:
            head, _, text = page.partition("\n")
            pages[head.partition(" [")[0].strip()] = text.rstrip("\n")
        return Wiki.of({**pages, **self.more}, ())

    @property
    def messages(self) -> list[Message]:
        """The product's prompt."""
        parts = self.parts
        if self.is_guest:
            return ask_about_answer(**parts)
        facts = parts["facts"].splitlines()
        record = [line for line in facts if " on record: " in line or "- The entry " in line]
        told = "\n".join(line for line in facts if line not in record)
        shown = "\n".join(line.removeprefix("- ") for line in record)
        wiki = self.wiki
        whole = sum(map(count_text, wiki.pages.values())) <= WITHOUT_BOOK_TOKENS
        rules = wiki.pages if whole else self._own(wiki)
        own = {name: parts[name] for name in ("user", "task", "change")}
        return ask_about(wiki=wiki.shown(rules), facts=told, record=shown, **own)

    def _own(self, wiki: Wiki) -> dict[str, str]:
        """The case's own pages of a long wiki: the lines that a faithful book would give."""
        return {path: text for path, text in wiki.pages.items() if path not in self.more}

    def outcome(self, reply: str) -> tuple[bool, str]:
        """Whether the product would send it, and the word. Raises Misread."""
        call = ModelCall(role="policy", model="reader", text=reply, finish_reason="stop")
        if self.is_guest:
            verdict, reason = read_guest(call)
            return verdict == "clean", f"{verdict}: {reason}"
        closed = CLOSED.search(f"{self.parts['change']}\n{self.parts['facts']}") is not None
        said, sent = weighed(read_said(call), self.wiki, closed=closed)
        return sent, f"{said.verdict} ({said.basis}) {said.page}: {said.reason}"


def cases_at(path: Path, wiki: Path | None) -> list[Case]:
    """The cases of a file, each with the further pages."""
    more: dict[str, str] = json.loads(wiki.read_text(encoding="utf-8")) if wiki else {}
    every: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return [
        Case(
            str(one["id"]),
            str(one["label"]),
            str(one["name"]),
            str(one["kind"]),
            {
                match[1]: match[2]
                for match in regex.finditer(r"<(\w+)>\n(.*?)\n?</\1>", one["prompt"], regex.DOTALL)
            },
            more,
        )
        for one in every
    ]


@app.command()
def ask(cases: Cases, folder: Path, wiki: Pages = None) -> None:
    """Write the prompt of each case into a folder, for a reader who sees nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = []
    for case in cases_at(cases, wiki):
        text = "\n\n".join(message["content"] for message in case.messages)
        (folder / f"{case.id}.txt").write_text(text, encoding="utf-8")
        sizes.append(count_messages(case.messages))
    sizes.sort()
    typer.echo(f"{len(sizes)} prompts: median {sizes[len(sizes) // 2]} tokens, most {sizes[-1]}")


@app.command()
def score(cases: Cases, folder: Path, wiki: Pages = None, tell: bool = False) -> None:
    """Read the replies and compare what would be sent with the labels of the cases."""
    counts: Counter[str] = Counter()
    for case in cases_at(cases, wiki):
        path = folder / f"{case.id}.json"
        if not path.is_file():
            counts["without a reply"] += 1
            continue
        try:
            sent, word = case.outcome(path.read_text(encoding="utf-8"))
        except Misread as problem:
            counts["unreadable"] += 1
            typer.echo(f"{case.id} {case.kind}: {problem}")
            continue
        right = sent == (case.label == "allow")
        counts[f"{'sent' if sent else 'not sent'}, {'rightly' if right else 'wrongly'}"] += 1
        if tell or not right:
            typer.echo(f"{case.id} {case.label} {case.kind} ({case.name}): {word}")
    typer.echo("; ".join(f"{what}: {count}" for what, count in sorted(counts.items())))


if __name__ == "__main__":
    app()
