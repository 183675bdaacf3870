"""Parts a reply by its labels, such as ``DECISION:`` or ``MESSAGE:``, as models write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import regex

ANSWER = ("OUTCOME", "MESSAGE", "LINKS")
"""The labels of an answer to a user."""
LABELS_AT_MOST, TAGS_AT_MOST, CLOSERS_AT_MOST = 100, 10, 8
"""Labels of a reply, tags before its first label, and marks behind a part that are looked at: a
reply of nothing else must not take seconds."""
_EDGE = r"[ \t>*_#`~|\[({【-]*+"
_SIGN = r"(?:\s*+(?::|：|=>?|→|->|\||[-–—](?=\s))|】)"
_HEADING = r"^[ \t]*+(?:#{1,6}+[ \t]*+(?:\d++[.)][ \t]*+)?[*_]*+|[*_]{2,}+)"
_FENCE = regex.compile(r"[ \t]*+(?:`{3,12}+|~{3,12}+)[ \t]*+(?P<language>\S*+)[ \t]*+")
_OPENED = regex.compile(r"<(?P<tag>[\w-]{1,30}+)>")
_AROUND = regex.compile(
    r"<(?P<tag>answer|response|output|final\w{0,20}+|result|reply|solution|message)>"
    r"(?P<body>.*)</(?P=tag)>",
    regex.DOTALL | regex.IGNORECASE,
)
_CLOSER = regex.compile(
    r"\n[ \t]*+(?:-{3,}+|\*{3,}+|_{3,}+)\Z|</(?P<tag>[\w-]{1,30}+)>\Z|(?P<mark>\*\*|`|\"\"\")\Z"
)
"""A rule behind a part, or the end of a mark that was begun before it."""


@dataclass(frozen=True)
class Label:
    """A label in a text; what it labels begins at ``end``."""

    name: str
    """In capitals."""
    written: str
    """With its signs, as the model wrote it."""
    begin: int
    end: int


class Labels:
    """Finds labels of some names, and what they label."""

    def __init__(self, names: dict[str, str], extra: str = "(?!)") -> None:
        """``names``: a pattern for each; ``extra``: one more pattern, with groups of names."""
        name = "(?:" + "|".join(f"(?P<{key}>{pattern})" for key, pattern in names.items()) + ")"
        self._at_a_line = regex.compile(
            rf"^{_EDGE}(?:\d++[.)]\s*+)?{_EDGE}{name}[*_`\])]*+"
            r"(?:[ \t]*+(?:\([^()\n]{0,60}+\)|(?:to|for)(?: the)? worker))?[*_`]*+"
            rf"{_SIGN}[*_`]*+[ \t]*+|{_HEADING}{name}[*_]*+[ \t]*+$|^[ \t]*+<{name}>|{extra}",
            regex.IGNORECASE | regex.MULTILINE,
        )
        self._as_prompted = regex.compile(rf"(?<![\w\"]){name}[*_]*[:：][*_]*[ \t]*")

    def find(self, text: str) -> list[Label]:
        """The labels that begin a line: with a sign behind them, as headings or as tags.

        Where there are more of them within the lines, spelled as the prompt does, it is those.
        """
        found = [
            [_label(match) for match in islice(pattern.finditer(text), LABELS_AT_MOST)]
            for pattern in (self._at_a_line, self._as_prompted)
        ]
        return max(found, key=lambda labels: len({label.name for label in labels}))


def _label(match: regex.Match[str]) -> Label:
    name = next(name for name, text in match.groupdict().items() if text)
    return Label(name, match[0].strip(), match.start(), match.end())


def parts_of(text: str, labels: Sequence[Label], stop: int) -> dict[str, str]:
    """What each label labels, up to the next one or ``stop``, without marks around it."""
    if not labels:
        return {}
    wrappers = _OPENED.findall(text, 0, labels[0].begin)[:TAGS_AT_MOST]
    ends = [*(later.begin for _, later in pairwise(labels)), stop]
    parts: dict[str, str] = {}
    for label, end in zip(labels, ends, strict=True):
        part = text[label.end : end]
        for tag in (*wrappers, *_OPENED.findall(label.written)):
            if part.count(f"</{tag}>") > part.count(f"<{tag}>"):
                part = part.rpartition(f"</{tag}>")[0]
        if label.written.startswith("|"):
            part = part.rstrip().removesuffix("|")
        parts[label.name] = without_marks(part)
    return parts


def without_marks(part: str) -> str:
    """A part out of the fence or the tag around it, and without closers and a rule behind it.

    What was opened within the part stays.
    """
    part = _unfenced(part.strip())
    around = _AROUND.fullmatch(part)
    if around and f"</{around['tag']}>" not in around["body"]:
        part = around["body"].strip()
    for _ in range(CLOSERS_AT_MOST):
        closer = _CLOSER.search(part, max(0, len(part) - 200))
        if closer is None or _was_opened(part, closer):
            break
        part = part[: closer.start()].rstrip()
    return part


def _was_opened(part: str, closer: regex.Match[str]) -> bool:
    if closer["tag"]:
        return f"<{closer['tag']}" in part[: closer.start()]
    return bool(closer["mark"]) and part.count(closer["mark"]) % 2 == 0


def _unfenced(part: str) -> str:
    """The text in a fence that the part begins with; else up to a fence that closes nothing."""
    lines = part.split("\n")
    fences = [(n, fence) for n, line in enumerate(lines) if (fence := _FENCE.fullmatch(line))]
    if fences and fences[0][0] == 0:
        end = fences[1][0] if len(fences) > 1 else len(lines)
        return "\n".join(lines[1:end]).strip()
    opened: int | None = None
    lone: int | None = None
    for number, fence in fences:
        if opened is not None:  # an empty fence is the end of one and the beginning of the next
            lone = None if any(lines[opened + 1 : number]) else opened
            opened = None
        else:
            is_lone = not fence["language"] or number + 1 == len(lines)
            opened, lone = number, number if is_lone else None
    return "\n".join(lines[:lone]).strip()
