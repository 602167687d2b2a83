"""Reads a text file of a workload. Problems are a missing file, a folder or pipe, too many bytes, or no UTF-8."""

from __future__ import annotations

import os
from pathlib import Path

from jobs.workload.files.problems import Problems

LARGEST = 256 * 1024
"""The most bytes of a file. A workload's texts are written by hand; thousands of values belong in a source."""


def read_text(problems: Problems, path: Path, shown: str) -> str | None:
    """The file's text with line ends `\\n`, which `problems` learns as `shown`; None, and a problem, if there is none.

    A pipe or a device is never opened, and no more is read than a text may hold.
    """
    if not path.is_file():
        problems.add(shown, _what(path))
        return None
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        problems.add(shown, f"cannot be read: {error.strerror or error}")
        return None
    if len(data) > LARGEST:
        problems.add(shown, f"is larger than {LARGEST:,} bytes; thousands of values belong in a source")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8-sig")
        line, column = good.count("\n") + 1, len(good) - good.rfind("\n")
        problems.add(f"{shown}:{line}:{column}", f"not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8")
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    problems.texts[shown] = text.split("\n")
    return text


def _what(path: Path) -> str:
    if path.is_symlink():
        return f"is a link to '{os.readlink(path)}', which is no file"
    return "is a folder, not a file" if path.is_dir() else "is no file" if path.exists() else "is missing"
