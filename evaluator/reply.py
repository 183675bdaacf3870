"""Reads one decision out of what models really send.

A reply is one decision: what follows an invented report, a second THOUGHT or a second DECISION is
cut, because nothing of it has happened. Where that would cut an answer in two, or where it is not
clear which decision is meant, the reply is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from itertools import islice

import regex
from rapidfuzz import fuzz

from core.models.model_call import ModelCall
from core.models.reply_json import all_json, fold
from core.models.reply_labels import ANSWER, LABELS_AT_MOST, Label, Labels, parts_of
from core.models.reply_text import Misread, has_thoughts
from core.models.reprompt import answer_of
from core.runs.task import PREPARED, Decision

FORM = """\
THOUGHT: what is known, what is missing, which playbook fits
DECISION: PROCEED or FINISH
INSTRUCTION: for PROCEED the worker's whole instruction; for FINISH """
"""The form in the prompt; the benchmark's way to finish a task follows it."""
ALIKE = 92
"""Similarity (0 to 100) from which a sentence counts as a copy of a part of the form."""
FEWEST_WORDS = 4
"""So many words in one stretch of the prompt are a copy of it."""
_FLAGS = regex.IGNORECASE | regex.MULTILINE
_SAYS = regex.compile(
    r"[\W_]*+(?:I (?:will )?)?(?:(?P<go>PROCEED|CONTINUE)|(?P<end>FINISH(?:ED)?|DONE|STOP))\b"
    r"(?!\s*(?:or\b|/|\?|\|\s*\w))",
    _FLAGS,
)
_LABELS = Labels(
    {
        "THOUGHT": "THOUGHTS?|REASONING",
        "DECISION": "DECISION",
        "INSTRUCTION": "INSTRUCTIONS?",
        "PREPARED": PREPARED.replace(" ", "[ _]"),
    },
    # A decision and a prepared answer without a sign behind their labels.
    r"^[ \t*_#>-]*+(?P<DECISION>DECISION)\W{1,4}(?:is\W{1,4})?(?=\W{0,4}(?:PROCEED|FINISH))"
    r"|^[ \t*_#>-]*+(?P<PREPARED>IF[ _]DONE)[ \t*_]*+$(?=\s{1,4}\W{0,4}(?:OUTCOME|FINISH)\b)",
)
_ANSWER_LABELS = Labels({name: name for name in ANSWER})
_FINISH_AGAIN = regex.compile(
    r"\s*+(?:(?:DECISION\W{1,9})?FINISH\b\W*+)?(?:INSTRUCTION\W{1,9})?", _FLAGS
)
"""How some models begin a prepared answer, which is a FINISH already."""
_THINGS = r"REPORT|RESULTS?|OUTPUT|RESPONSE|REPLY|LOG|OBSERVATIONS?"
_LATER = regex.compile(
    r"(?:^|(?<=[.!?] ))[ \t>*_#`=|\[(-]*+(?:"
    # What our log prints, and roles of a dialogue.
    r"TOOL CALLS:|EFFECT (?:done|unknown)|RETURNED by |(?i:Turn) \d++ of \d|Human:|Assistant:"
    # Reports that a model invents: as a label in capitals, or with a word that nothing else has.
    rf"|(?:{_THINGS}|FAILED|ERROR|PRINTED|FINDINGS|STATE)\b(?:[ ]*\([^()\n]{{0,60}}+\))?"
    r"[*_`\]) ]*+(?:[:：=]|-(?= )|$)"
    rf"|(?i:(?:the )?worker(?:['’]s)?(?: (?:{_THINGS})\w*+)?[*_`\])]*+\s*+(?:[:：]|$))"
    rf"|(?i:(?:the )?worker (?:{_THINGS}|return|said|say|found|answer)\w{{0,3}}+\b)"
    rf"|(?i:(?:{_THINGS}) (?:from|of|by) (?:the )?worker\b)"
    r"|(?i:(?:observations?|execution logs?)(?: \d++)?[*_]*+[:：])"
    rf"|</?(?i:(?:worker_|tool_|function_)?(?:{_THINGS})s?|turn|state|briefing|findings|worker)\b"
    # A decision in JSON behind one in labels.
    r"|\{\s*+[\"'](?i:thought|decision|instruction)[\"']\s*+:)",
    regex.MULTILINE,
)
"""Begins what only our log holds, or what a model invents in its place."""
_REPORT_KEY = regex.compile(rf"(?:WORKER|TOOL)?(?:{_THINGS})")
"""Labels a report in an object with a decision."""
_ORDER = regex.compile(r"^[ \t>*_`#-]*+CHECKOUT(?![\p{L}\p{N}])", _FLAGS)
"""The line that authorises a purchase, also in a form that authorises none."""
_ORDERED = regex.compile(r"CHECKOUT[*_` \t]*+[:：]", regex.IGNORECASE)
"""Its beginning wherever it stands, as in the text of an object."""
_ESCAPE = regex.compile(r"\\++(?:u(?P<code>[0-9a-fA-F]{4})|[nrt])")
"""A character as JSON writes it, and as JSON within JSON does."""
_TAG = regex.compile(r"</?[\w-]{1,30}+>")
_OWN_WORDS = frozenset(
    {"thought", "thoughts", "reasoning", "decision", "proceed", "continue", "instruction"}
    | {"instructions", "if", "done", "if_done", "finish"}
)
"""What stands behind an order where the parts come in another order."""
_ITEM = regex.compile(r"[ \t]*+(?:[-*•–]|\d{1,3}+[.)])[ \t]++(?=\S)")
_HEAD = regex.compile(r"[ \t]*+(?:[^\p{L}\p{N}\"'“‘(\s]|[\p{L}\p{N} '’#()\[\]*_`.-]{1,40}+[:：=→])")
"""A mark, or a sign behind the beginning of a line."""
_LONE_FINISH = regex.compile(r"(?:\A|\n)[ \t*_`]*+FINISH\W*+\Z", _FLAGS)
_ONLY_JSON = regex.compile(r"(?:```\w*\s*)?\[?\s*\{")
_PLAIN_END = regex.compile(r"[\W_]*(?:DONE|DECLINED|FINISH(?:ED)?)[\W_]*", _FLAGS)
_DECLINED = regex.compile(r"\A[\W_]*DECLINED[\W_]+(?=\w)", _FLAGS)
_MISSING = "; missing: THOUGHT, DECISION, INSTRUCTION"
_SEVERAL = "there are several decisions; give exactly one"


def read_decision(
    call: ModelCall,
    form: str = FORM,
    prompt: str = "",
    is_final: Callable[[str], bool] = lambda _instruction: False,
) -> Decision:
    """Read a reply; Markdown, other case, JSON and text around the parts are taken.

    ``form`` is what the prompt showed; ``prompt`` all that it said: copies of it decide nothing.
    ``is_final``: whether an instruction orders what cannot be undone. Of a reply that goes on
    behind such an order nothing is taken, as what follows may take the order back.

    Raises Misread: the reply is cut off, decides twice, repeats the prompt, or lacks a part.
    """
    text = answer_of(call)
    parts, goes_on = _from_json(text), False
    if not parts:
        parts, goes_on = _from_labels(text, f"{PREPARED}:" in form)
    is_finish = _finishes(parts)
    instruction = parts.get("INSTRUCTION", "")
    if is_finish and not instruction:
        instruction = parts["DECISION"].partition("\n")[2].strip()  # its label was left out
    if not is_finish:
        later = _LATER.search(instruction)  # of an object: labels end there by themselves
        instruction = instruction[: later.start()].rstrip() if later else instruction
        instruction = _LONE_FINISH.sub("", _without_answer(instruction))
        _check_order(instruction)
    if instruction and _is_copy(instruction, form, "" if is_finish else prompt):
        raise Misread(
            "INSTRUCTION only repeats the prompt; write what is to be done for this task, with "
            "its names, ids and quantities"
        )
    if not is_finish and not instruction:
        raise Misread("DECISION is PROCEED but there is no INSTRUCTION for the worker")
    if not is_finish and is_final(instruction) and (goes_on or _is_more(call, instruction, parts)):
        raise Misread("it goes on behind an order that cannot be undone; end it with that order")
    return Decision(
        thought=parts.get("THOUGHT", ""),
        decision="FINISH" if is_finish else "PROCEED",
        instruction=instruction,
        prepared="" if is_finish else parts.get("PREPARED", ""),
    )


def _check_order(instruction: str) -> None:
    """Raises Misread where an instruction orders a purchase and may hold a later turn.

    No list of words tells what a model invents. So around the order stands one paragraph of
    sentences and list items: no heading, no label, no mark.
    """
    orders = list(_ORDER.finditer(instruction))
    if len(orders) > 1:
        raise Misread("there are several CHECKOUT lines; give exactly one")
    if not orders:
        return
    before = instruction[: orders[0].start()].rstrip().split("\n")[1:]
    behind = instruction[orders[0].end() :].rstrip().split("\n")[1:]
    if all(map(_is_plain, before + behind)):
        return
    raise Misread(
        "around its CHECKOUT line, INSTRUCTION must be one paragraph: no blank line, heading or "
        "label, and nothing that has not happened yet"
    )


def _is_more(call: ModelCall, instruction: str, parts: dict[str, str]) -> bool:
    """Whether a reply says more behind its order than is kept of it, or holds a report."""
    if has_thoughts(_behind_order(call.text)) or any(map(_REPORT_KEY.fullmatch, parts)):
        return True
    text = _unescaped(answer_of(call))
    said, kept = (_normal(_TAG.sub(" ", _behind_order(one))) for one in (text, instruction))
    if not kept or not said.startswith(kept):
        return True
    more = said.removeprefix(kept)
    for name in ("THOUGHT", "PREPARED"):
        more = more.replace(_normal(parts.get(name, "")) or "\n", "", 1)
    return not _OWN_WORDS.issuperset(more.split())


def _behind_order(text: str) -> str:
    """What stands behind the beginning of the last order in a text; "" where there is none."""
    orders = list(_ORDERED.finditer(text))
    return text[orders[-1].end() :] if orders else ""


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m["code"], 16)) if m["code"] else "\n", text)


def _is_plain(line: str) -> bool:
    """Whether a line is an item or a sentence (four words, or a sign at its end), and no head."""
    item = _ITEM.match(line)
    if item is None and len(line.split()) < 4 and not line.rstrip().endswith((".", ",", ";", ")")):
        return False
    return not _HEAD.match(line, item.end() if item else 0)


def _finishes(parts: dict[str, str]) -> bool:
    """Return whether the decision says FINISH. Raises Misread if it says neither or both."""
    said = parts.get("DECISION", "")
    word = _SAYS.match(said)
    is_finish = word is not None and word["end"] is not None
    if word and not (is_finish and "PROCEED" in said.partition("\n")[0]):
        return is_finish
    missing = [name for name in ("THOUGHT", "DECISION", "INSTRUCTION") if not parts.get(name)]
    raise Misread(
        "no DECISION that can be read; it must say PROCEED or FINISH and nothing else"
        + (f"; missing: {', '.join(missing)}" if missing else "")
    )


def _without_answer(instruction: str) -> str:
    """An instruction without the answer behind it, which nobody has asked for yet."""
    for label in _ANSWER_LABELS.find(instruction):
        value = instruction[label.end :].partition("\n")[0]
        if label.name == "OUTCOME" and ("OUTCOME" in label.written or "_" in value):
            return instruction[: label.begin].strip()
    return instruction


def _from_json(text: str) -> dict[str, str]:
    """The parts of an object with a decision; {} where there is none, or labels decide before it.

    Raises Misread: there are differing ones, or one that may have been cut off.
    """
    decides = [one for one in _LABELS.find(text) if _says(one, text)]
    if any(one.begin < text.find("{") for one in decides):
        return {}
    found = [_named(one) for one in all_json(text, ["decision"])]
    if any(one != found[0] for one in found) or (found and decides):
        raise Misread(_SEVERAL)
    if not found and _ONLY_JSON.match(text):
        # Labels inside of an object that ends too early would give half an instruction.
        raise Misread("it is JSON without a DECISION, or JSON that does not parse" + _MISSING)
    return found[0] if found else {}


def _named(value: dict[str, object]) -> dict[str, str]:
    """The parts of an object by their labels. Raises Misread: there are two of one name."""
    given: dict[str, object] = {}
    for key, inner in value.items():
        if inner is None:
            continue
        if given.setdefault(fold(key), inner) != inner:
            raise Misread(_SEVERAL)
    if "instruction" not in given and "outcome" in given:
        given["instruction"] = {k: v for k, v in given.items() if k not in ("decision", "thought")}
    return {
        {"REASONING": "THOUGHT", "IFDONE": "PREPARED"}.get(key.upper(), key.upper()): (
            inner.strip() if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
        )
        for key, inner in given.items()
    }


def _says(label: Label, text: str) -> regex.Match[str] | None:
    return _SAYS.match(text, label.end) if label.name == "DECISION" else None


def _from_labels(text: str, has_prepared: bool) -> tuple[dict[str, str], bool]:
    """The parts behind the labels of one decision, and whether the text goes on behind them.

    Raises Misread: see :class:`_OneDecision`.
    """
    labels = _LABELS.find(text)
    if any(_says(label, text) for label in labels):
        # Others are words of another part.
        labels = [one for one in labels if one.name != "DECISION" or _says(one, text)]
    labels = [one for one in labels if one.name != "PREPARED" or has_prepared]
    logs = [
        Label("", m[0], m.start(), m.end()) for m in islice(_LATER.finditer(text), LABELS_AT_MOST)
    ]
    one = _OneDecision(text, sorted([*labels, *logs], key=lambda one: one.begin))
    return one.parts(), one.stop < len(text)


class _OneDecision:
    """The labels of a reply, up to where something begins that has not happened yet."""

    def __init__(self, text: str, labels: list[Label]) -> None:
        self._text = text
        self._labels = labels
        self._fields = _ANSWER_LABELS.find(text)
        self._kept: dict[str, Label] = {}
        self.stop = len(text)
        """Where something begins that is not of the decision."""

    def parts(self) -> dict[str, str]:
        """What each label labels.

        Raises Misread: a FINISH stands before another decision, so that it may be a draft; or it
        is not clear whether a label begins a later turn.
        """
        for label in self._labels:
            if self._belongs(label):
                continue
            if self._is_later(label):
                self.stop = label.begin
                break
        return parts_of(self._text, list(self._kept.values()), self.stop)

    def _belongs(self, label: Label) -> bool:
        """Whether a label is one of the decision, and then keep it."""
        kept, name = self._kept, label.name
        prepared, earlier = kept.get("PREPARED"), kept.get(name)
        if not name:
            return not kept.keys() & {"DECISION", "INSTRUCTION"}
        if prepared and label.begin < prepared.end:
            return True  # of the FINISH that a prepared answer begins with
        if name == "THOUGHT" and earlier and "INSTRUCTION" not in kept:
            return True  # one thought in two parts
        if name == "PREPARED" and self._finish:
            return False
        if earlier and self._text[earlier.end : label.begin].strip():
            return False
        if name == "PREPARED" and (again := _FINISH_AGAIN.match(self._text, label.end)):
            label = Label(name, label.written, label.begin, again.end())
        kept.pop(name, None)
        kept[name] = label
        return True

    @property
    def _finish(self) -> bool:
        decided = self._kept.get("DECISION")
        word = decided and _says(decided, self._text)
        return bool(word and word["end"])

    def _is_later(self, label: Label) -> bool:
        """Whether a label begins what has not happened yet; else it stands in an answer."""
        names = list(self._kept)
        decides_again = any(
            one.name == "DECISION" and one.begin >= label.begin for one in self._labels
        )
        if decides_again and self._finish:
            raise Misread(_SEVERAL)
        if label.name == "INSTRUCTION" and names[-1] == "DECISION":
            raise Misread("there are several INSTRUCTIONS; give exactly one")
        begin = self._kept[names[-1]].end
        before = {one.name for one in self._fields if begin <= one.begin < label.begin}
        behind = [one.name for one in self._fields if one.begin >= label.begin]
        if "OUTCOME" in before and len(before) < len(ANSWER):
            if behind and behind[0] not in before:
                return False
            raise Misread(_unclear(label, "MESSAGE"))
        earlier = self._kept.get(label.name)
        is_other = earlier is not None and label.written != earlier.written
        if is_other and label.name in ("THOUGHT", "INSTRUCTION") and not decides_again:
            raise Misread(_unclear(label, "INSTRUCTION"))
        return True


def _unclear(label: Label, part: str) -> str:
    return f"a line of {part} begins with {label.written[:40]!r}, as another turn would; reword it"


_WORD = regex.compile(r"[\p{L}\p{N}]+")
_SENTENCE = regex.compile(r"\n|(?<=[.!?;:])\s")
_CLAUSE = regex.compile(r"[\n;,\":()]|\bor\b")
_BLANK = regex.compile(r"(?<![<\[{])[<\[{]++[\p{L}\p{N}' _-]{1,60}+[>\]}]|\.{3,}|…|_{3,}")
"""A placeholder that is still to be filled in; a list of links has a colon in it."""


def has_blank(text: str) -> bool:
    """Whether a text has a place that is still to be filled in."""
    return _BLANK.search(text) is not None


def _is_copy(text: str, form: str, prompt: str) -> bool:
    """Whether every sentence of a text stands in the prompt, or nearly so in its form.

    A few words alone, such as the name of a playbook, have to be a whole clause there.
    """
    if _PLAIN_END.fullmatch(text):
        return False
    text = _DECLINED.sub("", text)
    if not _normal(_BLANK.sub(" ", text)):
        return True
    (told, clauses), shown = _told(prompt or form), _told(form)[0]
    sentences = list(filter(None, map(_normal, _SENTENCE.split(text))))
    if len(sentences) == 1 and sentences[0].count(" ") + 1 < FEWEST_WORDS:
        return sentences[0] in clauses
    return all(
        f" {one} " in told or (len(one) <= len(shown) and fuzz.partial_ratio(one, shown) >= ALIKE)
        for one in sentences
    )


@lru_cache(maxsize=8)
def _told(prompt: str) -> tuple[str, frozenset[str]]:
    """All that a prompt says as one line, and its clauses."""
    return f" {_normal(prompt)} ", frozenset(map(_normal, _CLAUSE.split(prompt)))


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
