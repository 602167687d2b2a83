"""Days loaded by another events.sql or schedule are told, loaded again by `run --stale`, and never mixed silently."""

from __future__ import annotations

import csv
from collections.abc import Collection
from datetime import date, timedelta

import pytest

from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import day

pytestmark = pytest.mark.spark

Event = tuple[object, ...]
EPOCH = date(1970, 1, 1)
LOADED = [day(0), day(1), day(2)]


def edit(lake: SmallLake, file: str, before: str, after: str) -> None:
    path = lake.home / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def expected(lake: SmallLake, days: Collection[date], *, times: int, begin: int = 0) -> list[Event]:
    """The events of days that begin so many hours after midnight, from the rows of all files."""
    events = []
    for file in sorted((lake.home / "data").glob("*.csv")):
        for row in csv.DictReader(file.read_text().splitlines()):
            moment, load = int(row["moment"]), int(row["load"])
            on = EPOCH + timedelta(seconds=moment - begin * 3_600) // timedelta(days=1) * timedelta(days=1)
            if on in days and load >= 0:
                events.append((on, moment, row["kind"], row["machine"], times * load))
    return sorted(events)


def held(lake: SmallLake) -> list[Event]:
    events = lake.table("events").select(["day", "ts", "event_type", "machine", "load"]).to_pylist()
    return sorted(tuple(event.values()) for event in events)


def test_days_of_another_definition_are_told_and_loaded_again(copied: SmallLake, trendmill: CommandLine) -> None:
    """An edited events.sql, an edited schedule, then a file that is gone."""
    assert held(copied) == expected(copied, LOADED, times=1)
    assert "another definition" not in trendmill("status")[1]

    edit(copied, "events.sql", "machine, load,", "machine, 10 * load AS load,")
    told = trendmill("status")[1]
    assert "loaded by another definition: 2013-01-01..2013-01-03" in told
    assert "to load them again and evaluate what is stale: trendmill run machines --stale" in told
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=10)
    told = trendmill("status")[1]
    assert "another definition" not in told
    assert "stale" not in told

    edit(copied, "workload.yaml", '"0 0 * * *"', '"0 6 * * *"')
    edit(copied, "workload.yaml", "order: [row]", "order: [row]\n    slack: 1")
    for arguments in (("--from", str(day(2))), ("--stale", "--stage", "slice"), ("--stale", "--stage", "evaluate")):
        code, told = trendmill("run", *arguments)
        assert code == 2
        assert "days now begin at another moment" in told
        assert "trendmill run machines --stale" in told
    assert held(copied) == expected(copied, LOADED, times=10)
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=10, begin=6)
    assert "stale" not in trendmill("status")[1]

    edit(copied, "events.sql", "10 * load", "load")
    (copied.home / "data" / f"{day(0)}.csv").unlink()
    told = trendmill("status")[1]
    assert "loaded by another definition: 2013-01-02..2013-01-03" in told
    assert "not to be loaded again, as their files are gone: 2013-01-01" in told
    before = [event for event in held(copied) if event[0] == day(0)]
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == sorted(before + expected(copied, LOADED[1:], times=1, begin=6))
    told = trendmill("status")[1]
    assert "files are gone: 2013-01-01" in told
    assert "stale" not in told

    edit(copied, "workload.yaml", '"0 6 * * *"', '"0 7 * * *"')
    code, told = trendmill("run", "--stale")
    assert code == 2
    assert "the files of 2013-01-01 are gone" in told
