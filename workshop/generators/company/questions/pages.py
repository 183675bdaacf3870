"""Wishes that change the wiki."""

from __future__ import annotations

from dataclasses import dataclass

from workshop.generators.company.ask import Answer, Event, Need, View, links, need


def _article(view: View, path: str, content: object) -> Event:
    return {
        "type": "Evt_WikiArticleUpdated",
        "file": path,
        "content": content,
        "changed_by": view.me,
    }


@dataclass(frozen=True, slots=True)
class RenamePage:
    """Give a page another path."""

    old: str
    new: str

    def needs(self, view: View) -> list[Need]:
        """Writing the wiki."""
        return need("wiki_write")

    def answer(self, view: View) -> Answer:
        """The same bytes under the new path, the old one emptied."""
        text = view.firm.wiki[self.old]
        return Answer(
            f"The {len(text.encode())} bytes of {self.old} stand under {self.new}, "
            "and the old page is saved empty.",
            links={"wiki": links([self.new], [self.old])},
            events=(_article(view, self.new, text), _article(view, self.old, "")),
        )


@dataclass(frozen=True, slots=True)
class DeletePage:
    """Remove a page."""

    path: str

    def needs(self, view: View) -> list[Need]:
        """Writing the wiki."""
        return need("wiki_write")

    def answer(self, view: View) -> Answer:
        """The page saved empty."""
        return Answer(
            f"{self.path} is saved empty.",
            links={"wiki": links([self.path])},
            events=(_article(view, self.path, ""),),
        )


@dataclass(frozen=True, slots=True)
class PagesForCustomers:
    """Write a page with the same short text for every customer."""

    folder: str
    content: str

    def needs(self, view: View) -> list[Need]:
        """Writing the wiki."""
        return need("wiki_write")

    def answer(self, view: View) -> Answer:
        """One page each, by id, with exactly that text."""
        ids = [customer.id for customer in view.firm.customers]
        paths = [f"{self.folder}/{one}.md" for one in ids]
        return Answer(
            f"There are {len(ids)} customers: {', '.join(ids)}.",
            links={"wiki": links(paths)},
            events=tuple(_article(view, path, self.content) for path in paths),
        )


@dataclass(frozen=True, slots=True)
class PagesForLeads:
    """Write a page with the same short text for everybody who leads a project."""

    folder: str
    content: str

    def needs(self, view: View) -> list[Need]:
        """Writing the wiki."""
        return need("wiki_write")

    def answer(self, view: View) -> Answer:
        """One page each, by id, with exactly that text."""
        ids = sorted({project.lead for project in view.firm.projects})
        paths = [f"{self.folder}/{one}.md" for one in ids]
        return Answer(
            f"{len(ids)} people lead a project: {', '.join(ids)}.",
            links={"wiki": links(paths)},
            events=tuple(_article(view, path, self.content) for path in paths),
        )


@dataclass(frozen=True, slots=True)
class WritePage:
    """Write a page in one's own words that has to speak of some things."""

    path: str
    words: tuple[str, ...]
    source: str

    def needs(self, view: View) -> list[Need]:
        """Writing the wiki."""
        return need("wiki_write")

    def answer(self, view: View) -> Answer:
        """A new page that holds all the words, which the text of the wish names."""
        assert all(word in view.firm.wiki[self.source] for word in self.words)
        return Answer(
            f"{self.source} explains them; the page has to hold {', '.join(self.words)}.",
            links={"wiki": links([self.path], [self.source])},
            events=(_article(view, self.path, {"contains": list(self.words)}),),
        )
