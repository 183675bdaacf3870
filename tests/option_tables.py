"""The options of commands, as the pages on them show them, made from the command line.

``python -m tests.option_tables`` writes them between the marks of the pages.
"""

from __future__ import annotations

from pathlib import Path

import typer
from typer.core import TyperOption

from cli.cli import app

DOCS = Path(__file__).parents[1] / "docs"
BEGIN = "<!-- options of {}: written by `python -m tests.option_tables` -->"
END = "<!-- end of options -->"
PAGES = {DOCS / "run.md": "run", DOCS / "compare.md": "regress"}
"""Which command's options a page has. ``regress`` only names those that ``run`` has as well."""


def with_table(page: str, command: str) -> str:
    """The page with today's table of this command.

    Raises:
        ValueError: the page lacks one of the marks.
    """
    begin = BEGIN.format(command)
    if begin not in page or END not in page:
        raise ValueError(f"the page has no marks for the options of {command}")
    head, _, rest = page.partition(begin)
    return f"{head}{begin}\n\n{table(command)}\n\n{END}{rest.partition(END)[2]}"


def table(command: str) -> str:
    """A row for each option; of another command than ``run``, for those that are its own."""
    known = {} if command == "run" else _rows("run")
    rows = _rows(command)
    own = [f"| `{name}` | {text} |" for name, text in rows.items() if known.get(name) != text]
    lines = ["| option | what it does |", "|---|---|", *own]
    if shared := [f"`{name}`" for name, text in rows.items() if known.get(name) == text]:
        lines += ["", f"These are the same as for `run`: {', '.join(shared)}."]
    return "\n".join(lines)


def _rows(command: str) -> dict[str, str]:
    """The text of each option by its name, with its default where it has one to show."""
    known = typer.main.get_command(app).get_command(None, command)  # type: ignore[attr-defined]
    options = (one for one in known.params if one.opts[0].startswith("--") and not one.hidden)
    return {one.opts[0]: _text(one) for one in options if one.name != "help"}


def _text(option: TyperOption) -> str:
    default = option.default
    shown = "" if default is None or default is False else f" Default: {default}."
    return f"{option.help or ''}{shown}".replace("|", "\\|")


if __name__ == "__main__":
    for path, named in PAGES.items():
        path.write_text(with_table(path.read_text(encoding="utf-8"), named), encoding="utf-8")
