"""Reads one decision out of what models really send.

A reply is one decision: what follows an invented report, a second THOUGHT or a second DECISION is
cut, because nothing of it has happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

import regex
from rapidfuzz import fuzz

from core.models.model_call import ModelCall
from core.models.reply_json import all_json, fold
from core.models.reprompt import Misread, read_cleaned
from core.runs.task import PREPARED, Decision

FORM = """\
THOUGHT: what is known, what is missing, which playbook fits
DECISION: PROCEED or FINISH
INSTRUCTION: for PROCEED the worker's whole instruction; for FINISH """
"""The form in the prompt; the benchmark's way to finish a task follows it."""
ALIKE = 92
"""Similarity (0 to 100) from which a line counts as a copy of a line of the form."""
FEWEST_WORDS = 4
"""So many words in one stretch of the prompt are a copy of it."""
LABELS_AT_MOST = 100
"""Labels that are looked at: a reply of nothing else must not take seconds."""
_FLAGS = regex.IGNORECASE | regex.MULTILINE
_PARTS = {"thoughts": "thought", "reasoning": "thought", "instructions": "instruction"}
_NAME = r"(?P<label>THOUGHTS?|REASONING|DECISION|INSTRUCTIONS?|IF[ _]DONE)"
_EDGE = r"[ \t>*_#`~|\[({-]*+"
_LABEL = regex.compile(
    rf"^{_EDGE}(?:\d++[.)]\s*+)?{_EDGE}{_NAME}[*_`\])]*+"
    r"(?:[ \t]*+(?:\([^()\n]{0,60}+\)|(?:to|for)(?: the)? worker))?[*_`]*+"
    r"\s*+(?::|：|=>?|→|->|\||[-–—](?=\s))[*_`]*+[ \t]*+"
    rf"|^[ \t]*+(?:#{{1,6}}+[ \t]*+(?:\d++[.)][ \t]*+)?[*_]*+|[*_]{{2,}}+){_NAME}[*_]*+[ \t]*+$"
    rf"|^[ \t]*+<{_NAME}>",
    _FLAGS,
)
"""A label at the start of a line: with a sign behind it, as a heading, or as a tag."""
_INLINE = regex.compile(r"(?<![\w\"])(?P<label>THOUGHT|DECISION|INSTRUCTION)[*_]*[:：][*_]*[ \t]*")
"""Labels as the prompt writes them, anywhere: all three parts in one line."""
_LATE = regex.compile(r"^[ \t*_#>-]*+(?P<label>DECISION)\W++(?:is\W++)?", _FLAGS)
"""A decision without a sign behind its label."""
_GO, _END = r"PROCEED|CONTINUE", r"FINISH(?:ED)?|DONE|STOP"
_DECISION_WORD = regex.compile(rf"\b(?:(?P<go>{_GO})|(?P<end>{_END}))\b", _FLAGS)
_LEADING = regex.compile(
    rf"[\s*_`\"'>(\[]*+(?:{_DECISION_WORD.pattern})(?!\s*(?:or\b|/|\|\s*\w))", _FLAGS
)
_SAYS = regex.compile(rf"[\s*_`\"'>(\[|]*+(?:I (?:will )?)?{_DECISION_WORD.pattern}", _FLAGS)
_LINE = regex.compile(r"[^\n]*+")
_FINISH_AGAIN = regex.compile(r"\s*+(?:DECISION\W{1,6}FINISH\W*+)?", _FLAGS)
"""How some models begin a prepared answer, which is a FINISH already."""
_NOT = regex.compile(r"\b(?:not|never|cannot|can't|don't|no|nor)\b", _FLAGS)
_LOG = regex.compile(
    r"^[ \t>*_#`-]*+(?:TOOL CALLS:|EFFECT (?:done|unknown)|RETURNED by |Turn \d++ of \d"
    r"|(?i:observations?|execution logs?)[*_]*+[:：]"
    r"|</?(?i:turn|log|state|briefing|findings|observations?|report|tool_response|results?)\b)",
    regex.MULTILINE,
)
"""What only our log holds, or what a model invents in its place."""
_REPORT = regex.compile(
    r"^[ \t>*_#`-]*+(?:(?:WORKER(?:['’]S)? )?REPORT|RESULTS?|FAILED|ERROR|PRINTED"
    r"|(?i:worker(?:['’]s)? (?:report|result|output|reply)|report (?:from|of|by) (?:the )?worker))"
    r"[*_]*+[ \t]*+[:：]",
    regex.MULTILINE,
)
"""The same in words that could also stand in the message of a FINISH."""
_TAG = r"(?:answer|response|output|final\w*+|result|reply|solution)"
_WRAPPER = regex.compile(
    r"^[ \t]*+(?P<fence>`{3,12}+|~{3,12}+)[ \t]*+\w*+[ \t]*+\n"
    r"(?P<body>(?s:.*?))(?:^[ \t]*+(?P=fence)|\Z)"
    rf"|<(?P<tag>{_TAG})>(?P<body>(?s:.*?))(?:</(?P=tag)>|\Z)",
    _FLAGS,
)
_DECIDES = regex.compile(r"\bDECISION\b", _FLAGS)
_FENCE = regex.compile(r"[ \t]*+(?:`{3,12}+|~{3,12}+)[ \t]*+\w*+[ \t]*+")
_LEFT_OVER = regex.compile(
    rf"[ \t]*+(?:[-*_]{{3,}}+|</?{_TAG}>|`{{3,12}}+|~{{3,12}}+)?[ \t]*+", _FLAGS
)
_LAST_TAG = regex.compile(
    rf"</(?:{_TAG}|thoughts?|reasoning|decision|instructions?)>[\s|*]*+\Z", _FLAGS
)
_OUTCOME = regex.compile(r"^[ \t>*_#`|-]*+OUTCOME[*_`]*+\s*+[:：=|]", _FLAGS)
_LONE_FINISH = regex.compile(r"(?:\A|\n)[ \t*_`]*+FINISH\W*+\Z", _FLAGS)
_ONLY_JSON = regex.compile(r"(?:```\w*\s*)?\[?\s*\{")
_PLAIN_END = regex.compile(r"[\W_]*(?:DONE|DECLINED|FINISH(?:ED)?)[\W_]*", _FLAGS)
_DECLINED = regex.compile(r"\A[\W_]*DECLINED[\W_]+(?=\w)", _FLAGS)
_MISSING = "; missing: THOUGHT, DECISION, INSTRUCTION"
_SEVERAL = "there are several decisions; give exactly one"


def read_decision(call: ModelCall, form: str = FORM, prompt: str = "") -> Decision:
    """Read a reply; Markdown, other case, JSON and text around the parts are taken.

    ``form`` is what the prompt showed; ``prompt`` all that it said: copies of it decide nothing.

    Raises Misread: the reply is cut off, decides twice, repeats the prompt, or lacks a part.
    """
    text = read_cleaned(call).text
    parts = _from_json(text) or _from_labels(text, f"{PREPARED}:" in form)
    is_finish = _finishes(parts)
    instruction = parts.get("instruction", "")
    if not is_finish:
        # An answer that nobody asked for yet.
        outcome = _OUTCOME.search(instruction)
        instruction = instruction[: outcome.start() if outcome else None].strip()
        instruction = _LONE_FINISH.sub("", instruction)
    if instruction and _is_copy(instruction, form, "" if is_finish else prompt):
        raise Misread(
            "INSTRUCTION only repeats the prompt; write what is to be done for this task, with "
            "its names, ids and quantities"
        )
    if not is_finish and not instruction:
        raise Misread("DECISION is PROCEED but there is no INSTRUCTION for the worker")
    return Decision(
        thought=parts.get("thought", ""),
        decision="FINISH" if is_finish else "PROCEED",
        instruction=instruction,
        prepared="" if is_finish else _FINISH_AGAIN.sub("", parts.get("ifdone", ""), count=1),
    )


def _from_json(text: str) -> dict[str, str]:
    """The parts of an object with a decision; {} where there is none.

    Raises Misread: there are differing ones, or one that may have been cut off.
    """
    found = [_named(one) for one in all_json(text, ["decision"])]
    if any(one != found[0] for one in found):
        raise Misread(_SEVERAL)
    if not found and _ONLY_JSON.match(text):
        # Labels inside of an object that ends too early would give half an instruction.
        raise Misread("it is JSON without a DECISION, or JSON that does not parse" + _MISSING)
    return found[0] if found else {}


def _named(value: dict[str, object]) -> dict[str, str]:
    given = {fold(key): inner for key, inner in value.items() if inner is not None}
    if "instruction" not in given and "outcome" in given:
        given["instruction"] = {k: v for k, v in given.items() if k not in ("decision", "thought")}
    texts = {
        key: inner.strip() if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        for key, inner in given.items()
    }
    return {_PARTS.get(key, key): text for key, text in texts.items()}


def _from_labels(text: str, has_prepared: bool) -> dict[str, str]:
    """The parts behind the labels of one decision. Raises Misread: a second one contradicts it."""
    wrappers = (found for found in _WRAPPER.finditer(text) if _DECIDES.search(found["body"]))
    if wrapper := next(wrappers, None):
        text = text[: wrapper.start()] + wrapper["body"]
    text = _until_log(text)
    parts = _one_decision(text, _LABEL, has_prepared)
    if not _DECISION_WORD.search(parts.get("decision", "")) or "instruction" not in parts:
        inline = _one_decision(text, _INLINE, has_prepared)
        parts = inline if len(inline) > len(parts) else parts
    if "decision" not in parts:
        parts = _one_decision(text, _LATE, has_prepared) | parts
    head, _, rest = parts.get("decision", "").partition("\n")
    if "instruction" not in parts and _OUTCOME.match(rest.lstrip()):
        parts |= {"decision": head, "instruction": rest}  # the label between them was left out
    return {name: _trimmed(part) for name, part in parts.items()}


def _until_log(text: str) -> str:
    """The text up to where, behind the first decision, a log begins that nobody has written."""
    labels = [m for pattern in (_LABEL, _INLINE) for m in pattern.finditer(text)]
    begins = [m for m in labels if m["label"][0] in "dDiI" and " " not in m["label"]]
    first = min(begins, key=lambda m: (m.start(), -m.end()), default=None)
    if first is None:
        return text
    word = _LEADING.match(text, first.end())
    marks = (_LOG,) if word and word["end"] else (_LOG, _REPORT)
    logs = [mark.search(text, first.start()) for mark in marks]
    return text[: min((log.start() for log in logs if log), default=len(text))]


def _one_decision(text: str, pattern: regex.Pattern[str], has_prepared: bool) -> dict[str, str]:
    """What stands behind each label, up to where a second decision begins."""
    labels = list(_labels(text, pattern, has_prepared))
    kept: dict[str, _Label] = {}
    stop = len(text)
    for label in labels:
        earlier = kept.get(label.name)
        if earlier and label.name == "thought" and "decision" not in kept:
            continue  # one thought in two parts
        if earlier and text[earlier.end : label.begin].strip():
            stop = label.begin
            break
        kept[label.name] = label
    decided = kept.get("decision")
    word = _LEADING.match(text, decided.end) if decided else None
    later = (label for label in labels if label.begin >= stop)
    if word and word["end"] and any(label.name == "decision" for label in later):
        raise Misread(_SEVERAL)  # the first may be a draft
    ends = [*(label.begin for label in kept.values()), stop][1:]
    pairs = zip(kept.values(), ends, strict=True)
    return {label.name: text[label.end : end] for label, end in pairs}


class _Label(NamedTuple):
    name: str
    begin: int
    end: int


def _labels(text: str, pattern: regex.Pattern[str], has_prepared: bool) -> Iterator[_Label]:
    """The labels that part a reply; a DECISION that opens an IF DONE belongs to that label."""
    found = islice(pattern.finditer(text), LABELS_AT_MOST)
    labels = [_Label(fold(_PARTS.get(m["label"].casefold(), m["label"])), *m.span()) for m in found]
    says = {one: bool(_SAYS.match(text, one.end)) for one in labels if one.name == "decision"}
    prepared: _Label | None = None
    for label in labels:
        if (label.name == "ifdone" and not has_prepared) or (
            any(says.values()) and not says.get(label, True)
        ):
            continue  # words of another part
        begins = prepared and _FINISH_AGAIN.fullmatch(text, prepared.end, label.begin)
        if prepared and begins and label.name in ("decision", "instruction"):
            line = _LINE.match(text, label.end) if label.name == "decision" else None
            prepared = prepared._replace(end=line.end() if line else label.end)
            continue
        if prepared:
            yield prepared
        prepared = label if label.name == "ifdone" else None
        if prepared is None:
            yield label
    if prepared:
        yield prepared


def _trimmed(part: str) -> str:
    """A part without the fence around it, and without closing marks and rules behind it."""
    lines = part.strip().splitlines()
    if lines and _FENCE.fullmatch(lines[0]):
        inner = list(takewhile(lambda line: not _FENCE.fullmatch(line), lines[1:]))
        lines = inner
    while lines and _LEFT_OVER.fullmatch(lines[-1]):
        lines.pop()
    text = "\n".join(lines)
    while tag := _LAST_TAG.search(text):
        text = text[: tag.start()]
    return text.strip(" \n\t|").removesuffix("**").strip()


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


_WORD = regex.compile(r"[\p{L}\p{N}]+")
_SENTENCE = regex.compile(r"\n|(?<=[.!?;:])\s")
_CLAUSE = regex.compile(r'[;,":]|\bor\b')
_SMALL = regex.compile(r"\p{Ll}")
_BLANK = regex.compile(r"(?<![<\[{])[<\[{]++[\p{L}\p{N}' _-]{1,60}+[>\]}]|\.{3,}|…|_{3,}")
"""A placeholder that is still to be filled in; a list of links has a colon in it."""
_SIGNS = regex.compile(r"(?<![<\[{(])[<\[{(]++[\p{L}\p{N}' _-]{1,60}+[>\]})]+|\.{2,}|…|_{2,}")
"""A placeholder: something in brackets, dots, a line to be filled in."""


def has_blank(text: str) -> bool:
    """Whether a text has a place that is still to be filled in."""
    return _BLANK.search(text) is not None


def _is_copy(text: str, form: str, prompt: str) -> bool:
    """Whether every sentence of a text stands in the prompt, or in its form with altered ends."""
    if _PLAIN_END.fullmatch(text):
        return False
    text = _DECLINED.sub("", text)
    if not _normal(_SIGNS.sub(" ", text)):
        return True
    told = f" {_normal(prompt or form)} "
    sentences = [line for line in map(_normal, _SENTENCE.split(text)) if line]
    if any(one.count(" ") + 1 >= FEWEST_WORDS for one in sentences) or len(sentences) > 1:
        return all(f" {one} " in told or _is_of_form(one, form) for one in sentences)
    # The name of a playbook alone, or a few words of the form.
    heads = {_normal(regex.split(r"[:(]", line)[0]) for line in prompt.splitlines()}
    return sentences[0] in heads or _is_of_form(sentences[0], form)


def _is_of_form(text: str, form: str) -> bool:
    is_stretch = " " in text  # several words at the beginning or end of a line
    return any(
        fuzz.ratio(text, line) >= ALIKE
        or (is_stretch and (line.startswith(f"{text} ") or line.endswith(f" {text}")))
        for line in _lines(form)
    )


@lru_cache(maxsize=8)
def _lines(form: str) -> frozenset[str]:
    """The texts after the labels, whole and clause by clause."""
    lines = form.splitlines()
    clauses = [c for line in lines for c in _CLAUSE.split(line.partition(":")[2])]
    whole = [part for line in lines for part in (line, line.partition(":")[2])]
    return frozenset(filter(None, map(_normal, (*whole, *filter(_SMALL.search, clauses)))))


@lru_cache(maxsize=256)
def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
