"""What others wrote is read only if it is a regular file of a bounded size; files are replaced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from core.files import Unfit, read_bytes, replace_file
from tests.kit.odd_files import ODD


def test_a_regular_file_is_read_whole_and_without_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbf{}\n")
    assert read_bytes(path) == b"{}\n"
    (tmp_path / "link").symlink_to(path)
    assert read_bytes(tmp_path / "link", 6) == b"{}\n"
    with pytest.raises(OSError, match="link"):
        read_bytes(tmp_path / "link", follow=False)


@pytest.mark.promise("what comes from outside is bounded")
@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_anything_else_is_refused_unread(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(Unfit, match=r"regular file|larger than"):
        read_bytes(tmp_path / "odd")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_tells_no_size_is_bounded_all_the_same() -> None:
    with pytest.raises(Unfit, match="larger than 10 bytes"):
        read_bytes(Path("/proc/self/status"), 10)


def test_a_missing_file_is_still_told_as_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "none")


def test_a_file_is_replaced_whole_or_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ("a" * 250)
    replace_file(path, b"old", mode=0o600)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"old", 0o600)

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new", durable=True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
