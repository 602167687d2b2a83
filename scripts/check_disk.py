"""Refuse to set up, in one sentence, if the disk is too small: packages, their cache and a lake take about 4 GB."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

GIGABYTE = 10**9


def missing_space(folder: Path, needed_bytes: int, free_bytes: int) -> str | None:
    """The sentence that says what is missing, or None if there is enough.

    >>> missing_space(Path("/data"), 4 * GIGABYTE, 9 * GIGABYTE) is None
    True
    >>> missing_space(Path("/data"), 4 * GIGABYTE, 1_500_000_000)
    'Trendmill needs 4.0 GB of free disk in /data and finds 1.5 GB; free some, or clone to another disk.'
    """
    if free_bytes >= needed_bytes:
        return None
    return (
        f"Trendmill needs {needed_bytes / GIGABYTE:.1f} GB of free disk in {folder} "
        f"and finds {free_bytes / GIGABYTE:.1f} GB; free some, or clone to another disk."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path.cwd())
    parser.add_argument("--gigabytes", type=float, default=4.0)
    options = parser.parse_args()
    folder = options.folder.resolve()
    sentence = missing_space(folder, int(options.gigabytes * GIGABYTE), shutil.disk_usage(folder).free)
    if sentence:
        sys.exit(sentence)


if __name__ == "__main__":
    main()
