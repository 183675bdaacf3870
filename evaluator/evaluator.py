"""The evaluator: prompt in, decision out, and how that is read out of what models really send."""

from __future__ import annotations

import json
from functools import lru_cache

import regex
from rapidfuzz import fuzz

from core.models.model_call import Message, ModelCall
from core.models.model_client import ModelClient
from core.models.prompts import prompt
from core.models.reply_json import all_json, fold
from core.models.reply_text import Cleaned, clean
from core.models.reprompt import Misread, Unreadable, reprompt
from core.models.sections import NONE, Texts
from core.runs.task import PREPARED, Decision, TurnContext

FORM = """\
THOUGHT: what is known, what is missing, which playbook fits
DECISION: PROCEED or FINISH
INSTRUCTION: for PROCEED the worker's whole instruction; for FINISH """
"""The form in the prompt; the benchmark's way to finish a task follows it."""
EXAMPLE = """\
THOUGHT: The price of the desk lamp is not known yet, so it has to be looked up first.
DECISION: PROCEED
INSTRUCTION: Look up "desk lamp" and report every match with its name, price and stock. Change \
nothing."""
"""The form filled in, for a model that is asked again; an example, not an instruction."""
ALIKE = 92
"""Similarity (0 to 100) from which a part counts as a copy of a line of the form."""
FEWEST_WORDS = 4
"""So many words in one stretch of the prompt are a copy of it."""
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_CLAUSE = regex.compile(r'[;,":]|\bor\b')
_SMALL = regex.compile(r"\p{Ll}")
_BLANK = regex.compile(r"(?<![<\[{])[<\[{]++[\p{L}\p{N}' _-]{1,60}+[>\]}]|\.{3,}|…|_{3,}")
"""A placeholder that is still to be filled in; a list of links has a colon in it."""
_SIGNS = regex.compile(r"(?<![<\[{(])[<\[{(]++[\p{L}\p{N}' _-]{1,60}+[>\]})]+|\.{2,}|…|_{2,}")
"""A placeholder: something in brackets, dots, a line to be filled in."""


def repeats_form(part: str, form: str = FORM, prompt: str = "") -> bool:
    """Whether a part of a reply holds nothing but words of the form or of the prompt's text.

    ``prompt``: a whole stretch of it is no instruction either.
    """
    text = _normal(part)
    if not text or not _normal(_SIGNS.sub(" ", part)):
        return True
    # Several words at the beginning or end of a line are a copy of it too.
    is_stretch = " " in text
    for line in _lines(form):
        if text == line or fuzz.ratio(text, line) >= ALIKE:
            return True
        if is_stretch and (line.startswith(f"{text} ") or line.endswith(f" {text}")):
            return True
    return text.count(" ") + 1 >= FEWEST_WORDS and f" {text} " in f" {_normal(prompt or form)} "


def has_blank(text: str) -> bool:
    """Whether a text has a place that is still to be filled in."""
    return _BLANK.search(text) is not None


@lru_cache(maxsize=8)
def _lines(form: str) -> frozenset[str]:
    """The texts after the labels, whole and clause by clause."""
    lines = [*form.splitlines(), *EXAMPLE.splitlines()]
    clauses = [c for line in form.splitlines() for c in _CLAUSE.split(line.partition(":")[2])]
    whole = [part for line in lines for part in (line, line.partition(":")[2])]
    return frozenset(map(_normal, (*whole, *filter(_SMALL.search, clauses))))


@lru_cache(maxsize=256)
def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


MARKS_AT_MOST = 100
"""Labels that are looked at: a reply of nothing else must not take seconds."""
FLAGS = regex.IGNORECASE | regex.MULTILINE


_ONLY_FORM = "its {part} only repeats the form of the prompt; it has to be filled in for this task"
_NAMES = {"thoughts": "thought", "reasoning": "thought", "instructions": "instruction"}
_WORDS = r"(?P<label>THOUGHTS?|REASONING|DECISION|INSTRUCTIONS?)"
_LABEL = regex.compile(
    r"^[ \t>*_#`~-]*+(?:\d++[.)]\s*+)?[*_`\[]*+" + _WORDS + r"[*_`\]]*+"
    r"\s*+(?::|=|[-–—](?=\s))[*_`]*+[ \t]*+",
    FLAGS,
)
"""A label at the start of a line, followed by a colon or similar, with optional markdown."""
_HEADING = regex.compile(
    r"^[ \t]*+(?:#{1,6}+[ \t]*+(?:\d++[.)][ \t]*+)?[*_]*+|[*_]{2,}+)"
    + _WORDS
    + r"[*_]*+[ \t]*+:?[*_]*+[ \t]*+$",
    FLAGS,
)
_TAG = regex.compile(r"^[ \t]*<" + _WORDS + r">", FLAGS)
_INLINE = regex.compile(r"(?<![\w\"])(?P<label>THOUGHT|DECISION|INSTRUCTION)[*_]*:[*_]*[ \t]*")
"""Labels as the prompt writes them, anywhere: all three parts in one line."""
_PREPARED = regex.compile(
    r"^[ \t>*_#`~-]*+IF[ _]DONE[*_`]*+\s*+(?::|=|[-–—](?=\s))[*_`]*+[ \t]*+", FLAGS
)
"""Begins the answer that a PROCEED brings."""
_CLOSING = regex.compile(r"</(?:thoughts?|reasoning|decision|instructions?)>", FLAGS)
_GO = r"PROCEED|CONTINUE"
_END = r"FINISH(?:ED)?|DONE|STOP"
_DECISION_WORD = regex.compile(rf"\b(?:(?P<go>{_GO})|(?P<end>{_END}))\b", FLAGS)
_LEADING = regex.compile(rf"[\s*_`\"'>(\[]*(?:{_DECISION_WORD.pattern})(?!\s*(?:or\b|/|\|))", FLAGS)
_NOT = regex.compile(r"\b(?:not|never|cannot|can't|don't|no|nor)\b", FLAGS)
_ONLY_JSON = regex.compile(r"(?:```\w*\s*)?\[?\s*\{")
_FENCED = regex.compile(r"```\w*\n(.*?)\n?```", regex.DOTALL)
_PLAIN_END = regex.compile(r"[\W_]*(?:DONE|DECLINED|FINISH(?:ED)?)[\W_]*", FLAGS)
_DECLINED = regex.compile(r"\A[\W_]*DECLINED[\W_]+(?=\w)", FLAGS)
_LATE = regex.compile(r"^[ \t*_#>-]*+DECISION\W++(?:is\W++)?(\w++)", FLAGS)
"""A decision after the instruction, or without a colon after its label."""


def read_decision(
    reply: str,
    finish_reason: str | None = None,
    reasoning: str = "",
    form: str = FORM,
    prompt: str = "",
) -> Decision:
    """Read a reply; markdown, other case, JSON and text around the parts are taken.

    ``finish_reason`` and ``reasoning`` are the provider's: a decision out of a reply that was cut
    off is not taken, its instruction may lack its end. ``form`` is what the prompt showed.

    Raises Misread: it repeats the form without filling it in, or parts are missing; the text
    names them for the model.
    """
    parts = _read_parts(clean(reply, finish_reason, reasoning))
    instruction, prepared = parts.get("instruction", "").strip(), ""
    if fenced := _FENCED.fullmatch(instruction):
        instruction = fenced[1].strip()
    if f"{PREPARED}:" in form:
        instruction, *rest = (part.strip() for part in _PREPARED.split(instruction, maxsplit=1))
        prepared = "".join(rest) or parts.get("ifdone", "").strip()
    finish = _finishes(parts)
    # Only the reason of a refusal can be a copy, not the word that finishes the task.
    words = "finished as told" if _PLAIN_END.fullmatch(instruction) else instruction
    words = _DECLINED.sub("", words)
    # A rule of the prompt is no instruction, but may well be the reason of a refusal.
    if instruction and repeats_form(words, form, "" if finish else prompt):
        raise Misread(_ONLY_FORM.format(part="INSTRUCTION"))
    thought = parts.get("thought", "").strip()
    if finish and thought and not instruction and repeats_form(thought, form):
        raise Misread(_ONLY_FORM.format(part="THOUGHT"))
    if not finish and not instruction:
        raise Misread("DECISION is PROCEED but there is no INSTRUCTION for the worker")
    return Decision(
        thought=thought,
        decision="FINISH" if finish else "PROCEED",
        instruction=instruction,
        prepared="" if finish else prepared,
    )


def _read_parts(cleaned: Cleaned) -> dict[str, str]:
    missing = "; missing: THOUGHT, DECISION, INSTRUCTION"
    if cleaned.problem:
        raise Misread(cleaned.words + ("" if cleaned.problem == "truncated" else missing))
    found = [_named(one) for one in all_json(cleaned.text, ["decision"])]
    if any(one != found[0] for one in found):
        raise Misread("there are several decisions; give exactly one")
    if found:
        return found[0]
    if _ONLY_JSON.match(cleaned.text):
        # Labels inside of an object that ends too early would give half an instruction.
        raise Misread("it is JSON without a DECISION, or JSON that does not parse" + missing)
    return _from_labels(cleaned.text)


def _finishes(parts: dict[str, str]) -> bool:
    """Return whether the decision says FINISH. Raises Misread if it says neither or both."""
    said = parts.get("decision", "")
    leading = _LEADING.match(said)
    words = [leading] if leading else list(_DECISION_WORD.finditer(said))
    ends = {word["end"] is not None for word in words}
    if len(ends) == 1 and (leading or not _NOT.search(said)):
        return ends.pop()
    missing = [name for name in ("thought", "decision", "instruction") if not parts.get(name)]
    raise Misread(
        ("DECISION can be read both ways" if words else "no DECISION")
        + "; it must say PROCEED or FINISH and nothing else"
        + (f"; missing: {', '.join(m.upper() for m in missing)}" if missing else "")
    )


def _from_labels(text: str) -> dict[str, str]:
    found = [m for pattern in (_LABEL, _HEADING, _TAG) for m in pattern.finditer(text)]
    parts = _parts(text, found)
    if not _DECISION_WORD.search(parts.get("decision", "")) or "instruction" not in parts:
        inline = _parts(text, list(_INLINE.finditer(text)))
        if len(inline) > len(parts):
            parts = inline
    if "decision" not in parts and (late := _LATE.findall(text)):
        parts["decision"] = str(late[-1])
    return parts


def _parts(text: str, found: list[regex.Match[str]]) -> dict[str, str]:
    marks = sorted(found, key=lambda m: (m.start(), -m.end()))[:MARKS_AT_MOST]
    parts: dict[str, str] = {}
    for index, mark in enumerate(marks):
        name = mark["label"].casefold()
        name = _NAMES.get(name, name)
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        last = name == "instruction"
        if last:
            # An instruction may quote labels of its own: it swallows them, except a decision that
            # has not been made yet.
            later = [] if "decision" in parts else marks[index + 1 :]
            decisions = (m.start() for m in later if m["label"].casefold() == "decision")
            end = next(decisions, len(text))
        body = _CLOSING.sub("", text[mark.end() : end]).strip().removesuffix("**").strip()
        if name == "decision" and parts.get(name) and not _DECISION_WORD.search(body):
            continue
        parts[name] = body
        if last and "decision" in parts:
            break
    return parts


def _named(value: dict[str, object]) -> dict[str, str]:
    folded = {fold(key): inner for key, inner in value.items() if inner is not None}
    texts = {
        key: inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        for key, inner in folded.items()
    }
    return {_NAMES.get(key, key): text for key, text in texts.items()}


_REPAIR = (
    "Your reply could not be used: {problem}. Reply again, for this task and in exactly this form. "
    "Of another task, a reply would be:\n{example}"
)


class Evaluator:
    """Decides turn by turn; keeps nothing between calls.

    Args:
        client: the way to its model.
        rules: the rules of the benchmark.
        guide: strategies in prose.
        ending: how the instruction of a FINISH is worded.
        texts: sections that replace built-in ones.
    """

    def __init__(
        self, client: ModelClient, rules: str, guide: str, ending: str, texts: Texts = NONE
    ) -> None:
        self._client = client
        self._form = FORM + ending
        self.system = prompt(
            "evaluator", "system", texts, rules=rules, guide=guide, form=self._form
        )

    def messages(self, context: TurnContext[str]) -> list[Message]:
        """The prompt: the stable part first, the changing part last."""
        user = prompt("evaluator", "user", now=context)
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]

    def decide(self, context: TurnContext[str]) -> Decision:
        """Ask the model for the next decision.

        Raises:
            Unreadable: neither the reply nor its repair holds a decision.
            ModelFailed: the model gave no answer at all.
        """

        def read(call: ModelCall) -> Decision:
            return read_decision(
                call.text, call.finish_reason, call.reasoning, self._form, self.system
            )

        def question(problem: Misread) -> str:
            return _REPAIR.format(problem=problem, example=EXAMPLE)

        try:
            return reprompt(self._client, self.messages(context), read, question)
        except Misread as problem:
            raise Unreadable(
                f"the evaluator's reply could not be read twice: {problem} ({self._client.model})"
            ) from None
