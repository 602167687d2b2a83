"""What the list of days says of shedding, and that nothing else is read for it."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

from jobs.reports.comparisons.shedding_rows import missed_by_day
from jobs.reports.lake_reader import LakeReader
from jobs.stages.measuring.experiment_rows import SCHEMA

DAYS = [date(2013, 3, number) for number in (6, 7, 8)]


def rows(day: date, experiment: str, **lost: float) -> list[dict[str, object]]:
    """A day's `lost` of some strategies at 120, 140 and 160 %, one percentage point apart."""
    return [
        {
            "day": day,
            "run_id": "night",
            "experiment": experiment,
            "strategy": strategy,
            "parameters": json.dumps({"load": load}),
            "seed": 0,
            "metric": "lost",
            "value": value + place / 100,
            "unit": "share",
        }
        for strategy, value in lost.items()
        for place, load in enumerate((1.2, 1.4, 1.6))
    ]


def test_a_day_without_matches_misses_no_share_of_them(tmp_path: Path) -> None:
    for day, matches in zip(DAYS, (0.0, 4.0, None), strict=True):
        own = rows(day, "shedding", pSPICE=0.1)
        own += [] if matches is None else [{**row, "metric": "matches", "value": matches} for row in own]
        table = pa.Table.from_pylist(own, SCHEMA)
        write_deltalake(tmp_path / "experiments", table, mode="append", partition_by=["day"])
    assert [*missed_by_day(LakeReader(tmp_path), DAYS[0], DAYS[-1])] == DAYS[1:]


def test_only_the_listed_days_are_read(tmp_path: Path) -> None:
    """The day that is not listed has lost its files; grids and other strategies of the listed ones do not count."""
    for number, day in enumerate(DAYS):
        own = rows(day, "shedding", pSPICE=0.1 * number, E_BL=0.9)
        for part in (own, rows(day, "grid:q1_rate:1", pSPICE=0.8)):
            write_deltalake(
                tmp_path / "experiments", pa.Table.from_pylist(part, SCHEMA), mode="append", partition_by=["day"]
            )
    whole = missed_by_day(LakeReader(tmp_path), DAYS[0], DAYS[-1])
    assert {day: round(value, 3) for day, value in whole.items()} == {DAYS[0]: 0.01, DAYS[1]: 0.11, DAYS[2]: 0.21}
    shutil.rmtree(tmp_path / "experiments" / f"day={DAYS[0]}")
    assert missed_by_day(LakeReader(tmp_path), DAYS[1], DAYS[2]) == {day: whole[day] for day in DAYS[1:]}
    for file in (tmp_path / "experiments").glob("day=*/*.parquet"):
        if "grid" in file.read_bytes().decode("latin-1"):
            file.unlink()
    assert missed_by_day(LakeReader(tmp_path), DAYS[1], DAYS[2]) == {day: whole[day] for day in DAYS[1:]}
