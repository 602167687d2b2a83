"""A small workload of each kind of question, to ask cases of."""

from __future__ import annotations

from pathlib import Path

from tests.reports.lake.small_workload import QUERIES, write_workload

POLICIES = {
    "no_arrival.mfotl": "-- Who did not arrive within the hour?\n"
    "Depart(line=x) AND NOT (EVENTUALLY[0,1h] Arrive(line=x))\n",
    "punctual.mtl": "-- for each: line\n-- Is each departure followed by an arrival?\n"
    "Depart IMPLIES EVENTUALLY[0,1h] Arrive\n",
}


def lines(folder: Path, **cases: str) -> Path:
    """The workload `lines` below a folder, with case files; returns its folder."""
    home = folder / "lines"
    write_workload(home, QUERIES, POLICIES)
    (home / "cases").mkdir()
    for name, text in cases.items():
        (home / "cases" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return home
