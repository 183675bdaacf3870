"""Environments of other people, and packs to play."""

from __future__ import annotations

import json
import venv
from pathlib import Path

import pydantic
import pytest

from tests.core.erc3_client.company_pack import PACK
from tests.workshop.lab.conftest import pack_file  # noqa: F401

PYDANTIC = (
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions.py", "typing_inspection",
)  # fmt: skip


@pytest.fixture
def company_file(tmp_path: Path) -> Path:
    path = tmp_path / "company.json"
    path.write_text(json.dumps(PACK), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def their_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new virtual environment with pydantic alone."""
    folder = tmp_path_factory.mktemp("theirs")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in PYDANTIC:
        (packages / name).symlink_to(Path(pydantic.__file__).parents[1] / name)
    return folder / "bin" / "python"
