"""Unpacks archives that the tests themselves made."""

from __future__ import annotations

import tarfile
from pathlib import Path

KNOWS_FILTERS = hasattr(tarfile, "data_filter")
"""Python knows them from 3.11.4 on; Debian 12 has 3.11.2."""


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks a tar archive into a folder, which is made."""
    with tarfile.open(archive) as tar:
        if KNOWS_FILTERS:
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
