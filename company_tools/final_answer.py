"""The answer to the user: read out of a FINISH, its links drawn from what was seen, then sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, NamedTuple, get_args

import regex
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from company_tools.company_session import CompanySession
from company_tools.evidence import Kind, Known
from core.erc3_client import company
from core.erc3_client.own.company_models import Outcome
from core.ledger import Tool, ToolFault, tool
from core.models.reply_json import find_json
from core.models.reply_labels import ANSWER, Label, Labels, parts_of

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
KINDS = ("employee", "customer", "project", "wiki", "location")
FORM = '"OUTCOME: …", "MESSAGE: …", "LINKS: auto | none | kind:id, …", each on a line'
LINKLESS = frozenset(
    {"denied_security", "none_clarification_needed", "none_unsupported", "error_internal"}
)
"""Outcomes whose answers carry no links of their own."""
_LABELS = Labels({name: name for name in ANSWER})
_RULE = regex.compile(r"^[ \t]*+[-*_]{3,}+[ \t]*+$", regex.M)
_LINKS_LINE = regex.compile(
    r"[-*•]\s|\d{1,3}+[.)]\s|[\[{\"'`]"
    r"|(?:employee|customer|project|wiki|location|company|page|person)s?\s*+[:=/]",
    regex.I,
)
"""A further line of links."""
_NO_LINKS = regex.compile(
    r"\W*(?:none|no links?|n/?a|nothing|null|nil|empty)\b(?![-:/=])|[\W_]*\Z", regex.I
)
_AUTO = regex.compile(r"\W*auto(?:matic)?\b(?![:/=])", regex.I)
_LINK = regex.compile(
    r"(?P<kind>location)s?\s*[:=]\s*(?P<id>[^,;\n]+)"
    r"|(?:(?P<kind>[A-Za-z]+)\s*[:=/]\s*)?(?P<id>[^\s,;:=]+)",
    regex.I,
)
"""A location is called by its name, which may have blanks."""
_JSON = json.JSONDecoder(strict=False)
_AROUND = "\"'`()[]{}<>. "
"""What may stand around an id."""


class NoFinalAnswer(Exception):
    """A FINISH that is no answer; the text says what is missing."""


class Link(NamedTuple):
    """What an answer points to."""

    kind: Kind
    id: str


@dataclass(frozen=True)
class FinalAnswer:
    """An answer as the evaluator, or a stage, wants it."""

    outcome: Outcome
    message: str
    links: tuple[Link, ...] | None
    """None: as the facts tell."""

    def as_text(self) -> str:
        """The words of a FINISH that code writes: JSON, which is read back as this very record."""
        links = None if self.links is None else [link._asdict() for link in self.links]
        fields = {"outcome": self.outcome, "message": self.message, "links": links}
        return json.dumps(fields, ensure_ascii=False)


_RECORD = TypeAdapter(FinalAnswer)


def read_final_answer(text: str, session: CompanySession) -> FinalAnswer:
    """Read a record, the three lines of a FINISH, or other JSON of the same. Raises NoFinalAnswer.

    A record's own text is read back as it was; all else is what a model wrote.
    """
    with suppress(ValueError, RecursionError):
        record = _RECORD.validate_python(json.loads(text))
        if record.message.strip():
            links = record.links and tuple(dict.fromkeys(record.links))
            return FinalAnswer(record.outcome, record.message.strip(), links)
    parts = _object(text) or _parts(text)
    outcome = parts.get("OUTCOME", "").split("\n")[0].strip(" *_`.|\"'").casefold()
    named = [one for one in OUTCOMES if regex.search(rf"\b{one}\b", outcome)]
    if len(named) != 1:
        problem = (
            f"the outcome {outcome[:60]!r} does not exist" if outcome else "no OUTCOME was given"
        )
        raise NoFinalAnswer(f"{problem}; one of: {', '.join(OUTCOMES)}. A FINISH says {FORM}")
    message = parts.get("MESSAGE", "").strip()
    if not message:
        raise NoFinalAnswer(f"no MESSAGE was given. A FINISH says {FORM}")
    links = _links(parts.get("LINKS", "auto"), session)
    return FinalAnswer(named[0], message, links)


def _object(text: str) -> dict[str, str]:
    """The parts out of JSON; {} where it is none."""
    is_json = text.lstrip().startswith(("{", "["))
    found = find_json(text, ["outcome", "message"], ["links"]) if is_json else None
    return {
        key.upper(): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in (found or {}).items()
        if value is not None
    }


def _parts(text: str) -> dict[str, str]:
    """What stands behind each label; the first of a name counts, and ends at the second.

    Labels are spelled alike: "Outcome:" within a message is none where the others are in capitals.
    """
    labels: list[Label] = []
    stop = len(text)
    for label in _LABELS.find(text):
        if labels and _is_capital(label) != _is_capital(labels[0]):
            continue
        if any(label.name == one.name for one in labels):
            stop = label.begin  # an answer that nobody has asked for yet
            break
        labels.append(label)
    parts = parts_of(text, labels, stop)
    rules = list(_RULE.finditer(parts.get("MESSAGE", "")))
    if rules and labels[-1].name == "MESSAGE":  # what follows is a note on the answer
        parts["MESSAGE"] = parts["MESSAGE"][: rules[-1].start()].rstrip()
    return parts


def _is_capital(label: Label) -> bool:
    return label.name in label.written


def _links(text: str, session: CompanySession) -> tuple[Link, ...] | None:
    text = _links_alone(text)
    if not text or _AUTO.match(text):
        return None
    if _NO_LINKS.match(text):
        return ()
    try:
        return tuple(dict.fromkeys(_link(kind, id, session) for kind, id in _pairs(text)))
    except NoFinalAnswer as error:
        named = ", ".join(f"{one.kind}:{one.id}" for one in named_in(text, session))
        raise NoFinalAnswer(f"{error}; it names {named}" if named else str(error)) from None


def _links_alone(text: str) -> str:
    """The links without a note behind them: the first line, and those that go on with the list."""
    if text.startswith(("[", "{", '"')):
        with suppress(ValueError):
            return text[: _JSON.raw_decode(text)[1]]
    first, *others = text.strip().splitlines() or [""]
    going_on = takewhile(lambda line: _LINKS_LINE.match(line.strip()), others)
    return "\n".join([first, *going_on]).strip()


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Kind and id of each link in JSON or in words; "" for a kind that is not given."""
    try:
        given = json.loads(text)
    except ValueError:
        given = text
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, dict):
            low = {str(key).casefold(): str(value) for key, value in item.items()}
            yield low.get("kind") or low.get("type") or "", low.get("id", "")
        else:
            found = ((m["kind"] or "", m["id"].strip(_AROUND)) for m in _LINK.finditer(str(item)))
            yield from (pair for pair in found if pair[1].strip("-"))


def _link(kind: str, id: str, session: CompanySession) -> Link:
    kind = kind.casefold().removesuffix("s")
    kind = {"company": "customer", "page": "wiki", "person": "employee"}.get(kind, kind)
    if kind in KINDS:
        return Link(kind, id)
    kinds = session.evidence.kinds_of(id)
    if len(kinds) == 1:
        return Link(kinds[0], id)
    raise NoFinalAnswer(
        f"the link {f'{kind}:{id}' if kind else id!r} has no kind; write kind:id, with one of the "
        f"kinds {', '.join(KINDS)}"
    )


def links_of(answer: FinalAnswer, session: CompanySession) -> tuple[Link, ...]:
    """The links that are sent: those that were given, or what the message names, and what changed.

    Of several of one name the one that was changed is meant. An answer to a guest, and one that
    refuses or has a question, gets no link that was not given.
    """
    if answer.outcome in LINKLESS or session.known_guest:
        return answer.links or ()
    changed = targets(session)
    links = answer.links
    if links is None:
        names = {(link.kind, session.evidence.name_of(*link)) for link in changed}
        named = named_in(answer.message, session)
        links = tuple(Link(one.kind, one.id) for one in named if (one.kind, one.name) not in names)
    return tuple(dict.fromkeys([*links, *changed]))


class _Place(NamedTuple):
    """Where a text names a record."""

    start: int
    end: int
    known: Known
    as_stored: bool
    """By id or name as it is stored, not by the name in the other order."""

    def is_within(self, other: _Place) -> bool:
        """Whether the words only name another record: a longer name, or these in their order."""
        inside = other.start <= self.start and self.end <= other.end
        longer = other.end - other.start > self.end - self.start
        return inside and (longer or (other.as_stored and not self.as_stored))


def named_in(message: str, session: CompanySession) -> Sequence[Known]:
    """The records that a message names: by id, or by the whole name in either order.

    Not one whose name only stands within that of another, or is that of another turned round.
    """
    text = message.casefold()
    places = [one for known in session.evidence.records.values() for one in _places(known, text)]
    outer = [one.known for one in places if not any(map(one.is_within, places))]
    return list(dict.fromkeys(outer))


def _places(known: Known, low: str) -> Iterator[_Place]:
    """Where a text in lower case has a record's id, or its whole name in either order."""
    stored = {known.id.casefold(), known.name.casefold()} - {""}
    parts = known.name.casefold().split()
    turned = {f"{parts[1]} {parts[0]}"} if known.kind == "employee" and len(parts) == 2 else set()
    for name in stored | turned:
        if name in low:
            whole = rf"(?<![\p{{L}}\p{{N}}_]){regex.escape(name)}(?![\p{{L}}\p{{N}}_])"
            for match in regex.finditer(whole, low):
                yield _Place(match.start(), match.end(), known, name in stored)


def targets(session: CompanySession) -> list[Link]:
    """What the changes that took effect were about."""
    links = []
    for request in (change.request for change in session.facts.changed):
        match request:
            case company.Req_UpdateEmployeeInfo():
                links.append(Link("employee", request.employee))
            case company.Req_UpdateProjectTeam() | company.Req_UpdateProjectStatus():
                links.append(Link("project", request.id))
            case company.Req_UpdateWiki() if request.content:
                links.append(Link("wiki", request.file))
            case company.Req_LogTimeEntry():
                links.append(Link("employee", request.employee))
                links += [Link("project", request.project)] if request.project else []
    return links


def as_sent(answer: FinalAnswer, session: CompanySession) -> company.Req_ProvideAgentResponse:
    """The answer as its request."""
    fields = {
        "message": answer.message,
        "outcome": answer.outcome,
        "links": [link._asdict() for link in links_of(answer, session)],
    }
    return company.Req_ProvideAgentResponse.model_validate(fields)


class LinkArgument(TypedDict):
    """A link as a model gives it."""

    kind: Literal["employee", "customer", "project", "wiki", "location"]
    id: str


def final_answer_tool() -> Tool:
    """The one answer as a tool: it closes the task, so that it is worded and never called."""

    def Req_ProvideAgentResponse(
        outcome: Outcome, message: str, links: list[LinkArgument] | Literal["auto"] = "auto"
    ) -> None:
        """Answers the user, once and for all. LinkArgument: {kind: employee, customer, project,
        wiki or location, id}. links: exactly the records that the answer is about; auto: those
        that message and changes tell."""
        raise ToolFault("the answer is given by a FINISH alone, not by code")

    return tool("write", Req_ProvideAgentResponse, final=True, closes=True)
