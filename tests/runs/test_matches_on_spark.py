"""Listings of matches in the lake: matches have names, their events are a view, a cut listing leaves a compact one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import cep_core as cep
from cep_core.matching.result.identity import match_ids
from jobs.lake.register import register
from jobs.lake.tables.match_events import register_match_events
from tests.runs.lake.lakes import SmallLake, StoredLake
from tests.runs.lake.small_workload import day, write_workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

RISES = """-- How did load rise at a machine before it stopped?
PATTERN SEQ(Start a, Start* b[], Stop c)
WHERE [machine] AND b[1].load > a.load AND b[i].load > b[i-1].load WITHIN 4 hours
"""
SUMS = """-- Whose starts added up to more than the first?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE [machine] AND sum(b[].load) > a.load WITHIN 4 hours
"""


def workload(folder: Path) -> Path:
    """The small workload with two listings more."""
    home = write_workload(folder)
    (home / "queries" / "rises.cep").write_text(RISES)
    (home / "queries" / "sums.cep").write_text(SUMS)
    return home


@pytest.fixture(scope="module")
def listed(spark: SparkSession, undisturbed_lake: StoredLake, tmp_path_factory: pytest.TempPathFactory) -> SmallLake:
    """The undisturbed lake of days 1 and 2, with the listings of both; nobody writes there."""
    folder = tmp_path_factory.mktemp("listed")
    made = SmallLake(
        shutil.copytree(undisturbed_lake.folder, folder / "lake"), spark, workload(folder / "workload"), runs=1
    )
    made.forget()
    made.evaluate_stale(1, 2)
    return made


@pytest.fixture
def lake(listed: SmallLake, tmp_path: Path) -> Iterator[SmallLake]:
    """A copy of it, and of its workload."""
    made = replace(listed.copy(tmp_path / "lake"), home=workload(tmp_path / "workload"))
    yield made
    made.forget()


def allow(home: Path, matches: int) -> None:
    """Cut the listings of `rises` and `sums` at so many matches a day."""
    declared = yaml.safe_load((home / "workload.yaml").read_text())
    declared["queries"] = {name: {"max_matches": matches} for name in ("rises", "sums")}
    (home / "workload.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))


def test_the_events_of_matches(lake: SmallLake, spark: SparkSession) -> None:
    """`match_id` is the hash of the binding, in the lake as in a notebook; the table has every event of every match.

    A lake of an older program lacks it: a view tells the same, until the next run makes the table.
    """
    listed = lake.table("rises")
    everywhere = cep.match(RISES, lake.table("events").drop_columns(["day"]))
    assert set(match_ids(everywhere, ["a", "b", "c"]).to_pylist()) >= set(listed["match_id"].to_pylist())
    assert listed.num_rows
    assert listed["match_id"].to_pylist() == match_ids(listed, ["a", "b", "c"]).to_pylist()
    assert len(set(listed["match_id"].to_pylist())) == listed.num_rows
    made = lake.table("rises_events")
    register(spark, "machines", lake.folder)
    assert register_match_events(spark, "machines", lake.folder) == []
    assert spark.sql("SELECT * FROM machines.rises_events").count() == made.num_rows
    lake.forget()
    shutil.rmtree(lake.folder / "machines" / "rises_events")
    register(spark, "machines", lake.folder)
    assert register_match_events(spark, "machines", lake.folder) == ["rises_events"]
    viewed = spark.sql("SELECT * FROM machines.rises_events").toArrow().to_pylist()
    rows = made.drop_columns(["at"]).to_pylist()
    events = {event["seq"]: event for event in lake.table("events").to_pylist()}
    expected = []
    for match in listed.to_pylist():
        bound = [
            ("a", 1, match["a"]),
            *(("b", k + 1, seq) for k, seq in enumerate(match["b"] or [])),
            ("c", 1, match["c"]),
        ]
        for variable, position, seq in bound:
            own = {name: value for name, value in events[seq].items() if name != "day"}
            named = {"match_id": match["match_id"], "variable": variable, "position": position}
            expected.append({"day": match["day"], **named, **own})

    def place(row: dict[str, object]) -> tuple[object, ...]:
        return row["day"], row["match_id"], row["variable"], row["position"]

    assert sorted(viewed, key=place) == sorted(rows, key=place) == sorted(expected, key=place)
    assert [stamp.timestamp() for stamp in made["at"].to_pylist()] == made["ts"].to_pylist()
    polars = pytest.importorskip("polars")
    lake.forget()
    lake.evaluate_stale(1, 2)
    again = polars.scan_delta(str(lake.folder / "machines" / "rises_events")).collect()
    assert sorted(again.select(made.column_names).to_dicts(), key=place) == sorted(made.to_pylist(), key=place)


def test_a_cut_listing_leaves_a_compact_one(lake: SmallLake) -> None:
    """Days beyond `max_matches` have a row for each last event; without a cut they lose them again."""
    assert not (lake.folder / "machines" / "rises_compact").exists()
    listed = lake.table("rises").to_pylist()
    summed = lake.table("sums").to_pylist()
    allow(lake.home, 2)
    lake.evaluate_stale(1, 2)
    compact = lake.table("rises_compact").to_pylist()
    totals = {row["day"]: row for row in lake.table("result_days").to_pylist() if row["query"] == "rises"}
    for number in (1, 2):
        own = [row for row in listed if row["day"] == day(number)]
        assert len(own) > 2
        assert totals[day(number)]["truncated"]
        assert totals[day(number)]["matches_total"] == str(len(own))
        assert sum(row["day"] == day(number) for row in lake.table("rises").to_pylist()) == 2
        rows = {row["last_seq"]: row for row in compact if row["day"] == day(number)}
        assert rows.keys() == {row["c"] for row in own}
        for last, row in rows.items():
            ending = [match for match in own if match["c"] == last]
            assert row["match_count"] == len(ending)
            assert row["match_count_exact"] == str(len(ending))
            assert set(row["a"]) == {match["a"] for match in ending}
            assert set(row["b"] or ()) == {seq for match in ending for seq in match["b"] or ()}
    check_supersets(lake.table("sums_compact").to_pylist(), summed)
    allow(lake.home, 10_000)
    lake.evaluate_stale(1, 2)
    assert lake.table("sums_compact").num_rows == 0
    assert lake.table("rises_compact").num_rows == 0
    assert sorted(row["match_id"] for row in lake.table("rises").to_pylist()) == sorted(r["match_id"] for r in listed)


def check_supersets(compact: Sequence[Mapping[str, Any]], listed: Sequence[Mapping[str, Any]]) -> None:
    """Matches that only a listing counts: a row for each last event of any, of unknown count, with all their events."""
    assert listed
    rows = {(row["day"], row["last_seq"]): row for row in compact}
    assert {row["match_count_exact"] for row in compact} == {None}
    for match in listed:
        row = rows[match["day"], match["c"]]
        assert match["a"] in row["a"]
        assert set(match["b"]) <= set(row["b"])
