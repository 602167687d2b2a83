"""Small logs as files, and the commands run on them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

LETTERS = "A1 B2 C2 A3 E3 A4 C5 D6 B7 A8 B9"
"""Paper 03's running example: letter = type, number = time."""


def letters(spoken: str = LETTERS) -> pa.Table:
    """A log of such events."""
    events = spoken.split()
    return pa.table({"event_type": [event[0] for event in events], "ts": [int(event[1:]) for event in events]})


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
