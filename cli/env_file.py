"""The ``.env`` of the working folder: variables for a command that its environment does not set."""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import StringIO
from pathlib import Path

from core.models.file_checks import FileError, read_text
from core.runs.errors import CannotRun, Usage

MOST_BYTES = 100_000
KNOWN = (
    "ERC3_API_KEY", "ERC3_BASE_URL", "ERC3_CLIENT", "EVALUATOR_MODEL", "WORKER_MODEL",
    "EVALUATOR_BASE_URL", "WORKER_BASE_URL", "REFLECTION_MODEL", "REFLECTION_BASE_URL",
    "MODELS_FILE", "NEBIUS_API_KEY", "OPENROUTER_API_KEY",
    "OPENAI_API_KEY", "OPENROUTER_MODELS_URL", "GONKA_PRIVATE_KEY", "GONKA_ENDPOINTS",
    "GONKA_ADDRESS", "WORKER_SANDBOX", "XDG_CACHE_HOME", "OTEL_TRACES_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SERVICE_NAME",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
)  # fmt: skip
"""Variables that this program reads; providers have more keys."""
MOST_TYPOS = 2
FIX = "make it a text file in UTF-8 with lines NAME=value"


def load_for(command: str) -> None:
    """Set what it names and the environment does not; ``doctor`` reports itself what is wrong.

    Raises:
        CannotRun: there is no working folder.
        Usage: the file cannot be used.
    """
    from dotenv import dotenv_values

    # smolagents would look for one above its own files, without these bounds, when it is imported.
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        path = Path.cwd() / ".env"
    except OSError as error:
        text = f"the working folder cannot be used: {error.strerror}"
        raise CannotRun(f"{text}; change to another folder") from None
    if not os.path.lexists(path):
        return
    try:
        for name, value in dotenv_values(stream=StringIO(text_of(path))).items():
            if value is not None:
                os.environ.setdefault(name, value)
    except (FileError, OSError, ValueError) as error:  # or a name that no variable can have
        if command != "doctor":
            text = (
                ""
                if isinstance(error, FileError)
                else f"{path}: sets a variable that cannot be used: "
            )
            raise Usage(f"{text}{error}; {FIX}") from None


def misspelt(names: Iterable[str]) -> dict[str, str]:
    """Names that nothing reads and that are almost the name of a variable, each with that one."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    nearest = {
        name: process.extractOne(name.upper(), KNOWN, scorer=OSA.distance, score_cutoff=MOST_TYPOS)
        for name in names
        if name not in KNOWN
    }
    return {name: near[0] for name, near in nearest.items() if near}


def text_of(path: Path) -> str:
    """Read its text. Raises FileError."""
    text = read_text(path, MOST_BYTES)
    if "\0" in text:
        raise FileError(f"{path}: holds a NUL character")
    return text
