"""How much memory a process may use: the machine's, or less in a container, whichever version its control group has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobs.exits import RunError
from jobs.lake import spark_settings

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (None, None, MACHINE),
        ("max\n", None, MACHINE),
        ("2147483648\n", None, 2 << 30),
        (None, "1073741824\n", 1 << 30),
        (None, "9223372036854771712\n", MACHINE),
        ("max", "1073741824", 1 << 30),
    ],
)
def test_a_containers_limit_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str | None, old: str | None, expected: int
) -> None:
    """Of version 2, and of version 1, which says no limit by a number larger than any memory."""
    files = (tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes")
    for file, text in zip(files, (new, old), strict=True):
        if text is not None:
            file.write_text(text)
    monkeypatch.setattr(spark_settings, "CONTAINER_LIMITS", files)
    monkeypatch.delenv("TRENDMILL_MEMORY", raising=False)
    assert spark_settings.memory_of_machine() == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("", MACHINE), ("4GB", min(4 << 30, MACHINE)), (" 0.5 gb", 1 << 29), ("1", 1 << 30), ("100000GB", MACHINE)],
)
def test_what_a_run_may_count_on_can_be_stated(monkeypatch: pytest.MonkeyPatch, stated: str, expected: int) -> None:
    """Never more than there is; the heap of a large run follows."""
    monkeypatch.setattr(spark_settings, "CONTAINER_LIMITS", ())
    monkeypatch.setenv("TRENDMILL_MEMORY", stated)
    assert spark_settings.memory_of_machine() == expected
    assert spark_settings.heap("large") == max(spark_settings.SMALL_HEAP, min(spark_settings.LARGE_HEAP, expected // 2))


@pytest.mark.parametrize("stated", ["much", "0", "-1GB", "4096MB", "nan", "inf"])
def test_another_text_is_refused(monkeypatch: pytest.MonkeyPatch, stated: str) -> None:
    """A wrong setting is no setting."""
    monkeypatch.setenv("TRENDMILL_MEMORY", stated)
    with pytest.raises(RunError, match="TRENDMILL_MEMORY: expected gigabytes such as 4GB"):
        spark_settings.memory_of_machine()
