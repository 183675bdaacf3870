"""Named texts that a model reads, and a folder of Markdown files that replaces them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn, TypeAlias

import regex

from core.models.file_checks import FileError, read_text
from core.text import instead

Texts: TypeAlias = Mapping[str, str]
"""Section by name, such as ``store/rules``."""
NONE: Texts = MappingProxyType({})
SUFFIX = ".md"
MOST_CHARS = 50_000
"""Maximum characters of a section; a prompt is paid for in every call."""
MOST_RENDERED = 400_000
"""Characters of a prompt with sections of a user's; more than most models can read."""
MOST_REPEATS = 10
"""Maximum occurrences of a placeholder in a section."""
_TAG = regex.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\{[{%#]", regex.DOTALL)


class SectionError(Exception):
    """A section that cannot be used; says which, what is wrong and what would be right."""


def prompt_overrides(folder: Path, shipped: Texts) -> dict[str, str]:
    """The sections of a folder that differ from the shipped ones, by name, checked.

    Raises SectionError: the folder or a file cannot be read, names no section, or has other
    placeholders than the shipped text.
    """
    overrides = {name: checked(name, text, shipped) for name, text in _files(folder)}
    return {name: text for name, text in overrides.items() if text != shipped[name]}


def write_out(texts: Texts, folder: Path) -> None:
    """Write one file per section, to be edited. Raises SectionError, OSError."""
    if folder.exists() and any(folder.iterdir()):
        raise SectionError(f"{folder} is not empty; name another folder for the sections")
    for name, text in texts.items():
        path = folder / f"{name}{SUFFIX}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")


def checked(name: str, text: str, shipped: Texts) -> str:
    """Check a section and strip trailing line ends. Raises SectionError."""
    if name not in shipped:
        raise SectionError(f"there is no section {name!r}; {instead(name, list(shipped))}")
    if len(text) > MOST_CHARS:
        raise SectionError(f"section {name} has {len(text):,} characters, at most {MOST_CHARS:,}")
    text = text.rstrip("\n")
    # A text may move and repeat its placeholders; no other one ever reaches the templates.
    wanted, given = tags(shipped[name]), tags(text)
    for tag in given:
        if tag not in wanted:
            hint = instead(tag, wanted) if wanted else "it has no placeholders"
            raise SectionError(f"section {name}: unknown placeholder {tag}; {hint}")
        if given.count(tag) > max(MOST_REPEATS, wanted.count(tag)):
            repeats = f"the placeholder {tag} occurs {given.count(tag):,} times"
            raise SectionError(f"section {name}: {repeats}, at most {MOST_REPEATS}")
    if missing := next((tag for tag in wanted if tag not in given), None):
        raise SectionError(f"section {name}: the placeholder {missing} is missing")
    if given != wanted and any(tag.startswith("{%") for tag in wanted):
        order = " ".join(wanted)
        raise SectionError(f"section {name}: its placeholders must be in this order: {order}")
    return text


def tags(text: str) -> list[str]:
    """List placeholders and control tags of a template, in order, without whitespace control.

    An unclosed opening delimiter is a tag of its own, and so is every comment.
    """
    normal = []
    for tag in _TAG.findall(text):
        inner = regex.sub(r"\A[-+]|[-+]\Z", "", tag[2:-2])
        bare = len(tag) == 2 or tag.startswith("{#")
        normal.append(tag[:2] if bare else " ".join([tag[:2], *inner.split(), tag[-2:]]))
    return normal


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every file that is not hidden; nothing outside of the folder is read."""
    if not folder.is_dir():
        raise SectionError(f"{folder} is not a folder of sections")

    def refuse(error: OSError) -> NoReturn:
        raise SectionError(f"{error.filename}: cannot be read: {error.strerror}")

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        visible = sorted(name for name in files if not name.startswith("."))
        for path in (Path(place, name) for name in [*folders, *visible]):
            if path.is_symlink():
                text = "is a symbolic link; only regular files in the folder are read"
                raise SectionError(f"{path}: {text}; copy the file there")
        for path in (Path(place, name) for name in visible):
            if path.suffix != SUFFIX:
                raise SectionError(f"{path}: a section is a file NAME{SUFFIX}")
            try:
                text = read_text(path, 4 * MOST_CHARS, follow=False)
            except FileError as error:
                raise SectionError(str(error)) from None
            yield path.relative_to(folder).as_posix().removesuffix(SUFFIX), text
