"""Every row of the checklist of monitoring and slicing is shown by tests or benchmarks that exist."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("checklist.txt")
ROWS = (
    *(f"F{number}" for number in range(1, 13)),
    *(f"S{number}" for number in range(1, 36)),
    *(f"M{number}" for number in range(1, 22)),
    *(f"X{number}" for number in range(1, 14)),
    *(f"B{number}" for number in range(1, 9)),
)


@cache
def functions(file: Path) -> set[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def shown_by() -> dict[str, list[str]]:
    """By row, what shows it."""
    rows: defaultdict[str, list[str]] = defaultdict(list)
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            row, place = line.split()
            assert re.fullmatch(r"[FSXBM]\d+", row), line
            rows[row].append(place)
    return rows


def test_every_row_is_shown() -> None:
    assert set(ROWS) <= shown_by().keys()


def test_what_shows_a_row_exists() -> None:
    missing = []
    for row, places in shown_by().items():
        for place in places:
            path, _, function = place.partition("::")
            file = ROOT / path
            if not file.is_file() or function not in functions(file):
                missing.append(f"{row} {place}")
    assert not missing
