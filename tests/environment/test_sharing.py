"""What is made once for all processes is whole: a failed attempt leaves nothing behind, a second one makes it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.sharing import made_once


def test_it_is_made_once_whoever_asks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Four ask at the same time; each gets the folder when all of it is there."""
    tmp_path_factory.getbasetemp()  # pytest makes it at the first call, which four threads at once would disturb
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        for number in range(100):
            (folder / str(number)).touch()

    def ask(_: int) -> int:
        return len(list(made_once(tmp_path_factory, "asked_by_four", make).iterdir()))

    with ThreadPoolExecutor(4) as processes:
        assert list(processes.map(ask, range(4))) == [100] * 4
    assert len(made) == 1


def test_what_failed_is_made_anew(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The half of a first attempt is not taken for the whole."""

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        made_once(tmp_path_factory, "failed", fail)
    folder = made_once(tmp_path_factory, "failed", lambda folder: (folder / "whole").touch())
    assert [file.name for file in folder.iterdir()] == ["whole"]
