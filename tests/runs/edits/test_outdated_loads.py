"""Days loaded by another events.sql or schedule are told, loaded again by `run --stale`, and never mixed silently."""

from __future__ import annotations

import csv
from collections.abc import Collection
from datetime import date, timedelta

import pytest

from tests.runs.lake.lakes import CommandLine, SmallLake
from tests.runs.lake.small_workload import day, write_day

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
    events: list[Event] = []
    for file in sorted((lake.home / "data").glob("*.csv")):
        for row in csv.DictReader(file.read_text().splitlines()):
            moment, load = int(row["moment"]), int(row["load"])
            on = EPOCH + timedelta(days=(moment - begin * 3_600) // 86_400)
            if on in days and load >= 0:
                events.append((on, moment, row["kind"], row["machine"], times * load))
    return sorted(events)


def held(lake: SmallLake) -> list[Event]:
    events = lake.table("events").select(["day", "ts", "event_type", "machine", "load"]).to_pylist()
    return sorted(tuple(event.values()) for event in events)


def values(lake: SmallLake, name: str) -> dict[date, set[object]]:
    """The values of an attribute, by day."""
    rows = lake.table("events").select(["day", name]).to_pylist()
    return {on: {row[name] for row in rows if row["day"] == on} for on in LOADED}


def test_an_edited_workload_ends_as_if_it_had_always_been_so(copied: SmallLake, trendmill: CommandLine) -> None:
    """An edited events.sql with one more attribute; a file corrected in its place; an attribute of another type and
    days that begin elsewhere; an attribute that left, and a file that is gone."""
    assert held(copied) == expected(copied, LOADED, times=1)
    assert "another definition" not in trendmill("status")[1]

    edit(copied, "events.sql", "machine, load,", "machine, 10 * load AS load, row % 7 AS rest,")
    edit(
        copied, "workload.yaml", "Stop: {machine: string, load: int", "Stop: {machine: string, load: int, rest: 'int?'"
    )
    printed = trendmill("status")[1]
    assert "loaded by another definition: 2013-01-01..2013-01-03" in printed
    assert "to load them again and evaluate what is stale: trendmill run machines --stale" in printed
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=10)
    assert values(copied, "rest")[day(2)] == {None, *range(7)}
    printed = trendmill("status")[1]
    assert "another definition" not in printed
    assert "stale" not in printed

    edit(copied, f"data/{day(1)}.csv", ",m1,-1", ",m1,11")
    printed = trendmill("status")[1]
    assert "loaded from files that have changed since: 2013-01-02\n    2013-01-02.csv\n" in printed
    assert "to load them again and evaluate what is stale: trendmill run machines --stale" in printed
    assert held(copied) != expected(copied, LOADED, times=10)
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=10)
    printed = trendmill("status")[1]
    assert "changed since" not in printed
    assert "stale" not in printed

    edit(copied, "workload.yaml", '"0 0 * * *"', '"0 6 * * *"')
    edit(copied, "workload.yaml", "order: [row]", "order: [row]\n    slack: 1")
    for arguments in (("--from", str(day(2))), ("--stale", "--stage", "slice"), ("--stale", "--stage", "evaluate")):
        code, printed = trendmill("run", *arguments)
        assert code == 2
        assert "days now begin at another moment" in printed
        assert "trendmill run machines --stale" in printed
    edit(copied, "events.sql", "row % 7 AS rest", "concat('r', row % 7) AS rest")
    edit(copied, "workload.yaml", "rest: 'int?'", "rest: 'string?'")
    code, printed = trendmill("run", "--stale")
    assert code == 2
    for told in (printed, trendmill("status")[1]):
        assert "rest: BIGINT in the lake, STRING as defined" in told
        assert "trendmill rebuild machines --events" in told
    assert held(copied) == expected(copied, LOADED, times=10)
    assert trendmill("rebuild", "--events")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=10, begin=6)
    assert values(copied, "rest")[day(2)] == {None, *(f"r{rest}" for rest in range(7))}
    assert "stale" not in trendmill("status")[1]

    edit(copied, "events.sql", "10 * load AS load, concat('r', row % 7) AS rest", "load")
    edit(copied, "workload.yaml", ", rest: 'string?'", "")
    (copied.home / "data" / f"{day(0)}.csv").unlink()
    printed = trendmill("status")[1]
    assert "loaded by another definition: 2013-01-02..2013-01-03" in printed
    assert "not to be loaded again, as their files are gone: 2013-01-01" in printed
    before = [event for event in held(copied) if event[0] == day(0)]
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == sorted(before + expected(copied, LOADED[1:], times=1, begin=6))
    assert values(copied, "rest")[day(2)] == {None}
    assert "r3" in values(copied, "rest")[day(0)]
    printed = trendmill("status")[1]
    assert "files are gone: 2013-01-01" in printed
    assert "stale" not in printed

    code, printed = trendmill("rebuild", "--events")
    assert code == 2
    assert "the files of 2013-01-01 are gone, so their events would be lost" in printed
    edit(copied, "workload.yaml", '"0 6 * * *"', '"0 7 * * *"')
    code, printed = trendmill("run", "--stale")
    assert code == 2
    assert "the files of 2013-01-01 are gone" in printed


@pytest.mark.parametrize("first", [day(0), day(2)], ids=["a loaded day", "the last one"])
def test_a_corrected_file_is_not_forgotten_if_its_load_does_not_end(
    copied: SmallLake, trendmill: CommandLine, monkeypatch: pytest.MonkeyPatch, first: date
) -> None:
    """What a load reads is noted before its events are published. A run that dies in between leaves the day listed, and
    the next one, of the same id or another, publishes what the file says."""
    edit(copied, f"data/{first}.csv", ",m1,", ",m2,")
    for attempt in ("a run", "a run", "another run"):
        with monkeypatch.context() as patch:
            patch.setattr("jobs.tasks.nightly.validate", fail)
            assert trendmill("run", "--stale", "--run-id", attempt)[0] == 1
        assert held(copied) != expected(copied, LOADED, times=1)
        assert f"a load of them did not end: {first}\n" in trendmill("status")[1]
        assert f"load      {first}: its last load did not end" in trendmill("run", "--stale", "--dry-run")[1]
    assert trendmill("run", "--stale")[0] == 0
    assert held(copied) == expected(copied, LOADED, times=1)
    assert "did not end" not in trendmill("status")[1]
    assert "nothing to evaluate: every result is up to date\n" in trendmill("run", "--stale")[1]


def test_days_without_results_are_told_with_the_command_that_evaluates_them(
    copied: SmallLake, trendmill: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run whose evaluation fails leaves its day loaded; nothing says that every result is up to date."""
    write_day(copied.home, 3)
    with monkeypatch.context() as patch:
        patch.setattr("jobs.tasks.nightly.evaluate_slices", fail)
        assert trendmill("run", "--from", str(day(3)))[0] == 1
    printed = trendmill("status")[1]
    assert (
        f"loaded, with no result yet: {day(3)}\n    to evaluate them: trendmill run machines --from {day(3)}\n"
        in printed
    )
    for options in (("--stale",), ("--stale", "--dry-run")):
        assert f"up to date, but {day(3)} has no result: see `trendmill status`" in trendmill("run", *options)[1]
    assert trendmill("run", "--from", str(day(3)))[0] == 0
    assert "no result" not in trendmill("status")[1]

    edit(copied, "expectations.yaml", "max_value: 1000", "max_value: 1")
    assert trendmill("run", "--from", str(day(3)))[0] == 3
    printed = trendmill("status")[1]
    assert f"refused by the gate: {day(3)}\n    to evaluate them, once the rule or the files are right: " in printed
    assert f"up to date, but the gate refused {day(3)}" in trendmill("run", "--stale")[1]


def fail(*_: object, **__: object) -> None:
    raise OSError("killed")
