"""What an edited workload makes stale: `status` lists it, `run --stale` and `rebuild` clear it, and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import pytest

from jobs.lake.versions import versions_of
from jobs.questions.changes.comparing import Comparison
from jobs.questions.changes.former_text import former_text
from jobs.questions.coming_run.work import Asked, coming_work
from jobs.questions.lake_days import LakeDays
from jobs.reports.lake_reader import LakeReader, rows
from jobs.runs.ledger import loaded_by
from jobs.runs.run import Silent
from jobs.tasks import application
from jobs.tasks.application import TASKS
from jobs.tasks.maintenance import maintain
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from tests.reports.lake.reading import read
from tests.runs.lake.lakes import CommandLine, SmallLake, Tables
from tests.runs.lake.small_workload import day, write_day

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Match = tuple[int, tuple[int, ...], int]
"""The events of a match."""

pytestmark = pytest.mark.spark

JOINED = """-- Which load was carried twice within two hours?
PATTERN SEQ(Start a, Start b)
WHERE skip_till_next_match { a.load = b.load } WITHIN 2 hours
"""


def edit(lake: SmallLake, question: str, before: str, after: str) -> None:
    [path] = lake.home.glob(f"*/{question}.*")
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def fail(*_: object, **__: object) -> None:
    raise OSError("killed")


def runs_of(lake: SmallLake, query: str) -> set[str]:
    """The runs that evaluated a query's days."""
    rows = lake.rows("result_days")
    assert {row["day"] for row in rows if row["query"] == query} == {day(1), day(2)}
    return {str(row["run_id"]) for row in rows if row["query"] == query}


def test_a_changed_workload_ends_as_if_it_had_always_been_so(
    spark: SparkSession,
    copied: SmallLake,
    trendmill: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Queries and a policy are edited, one joins, a policy gets other columns: each is evaluated again, no other is.

    A rebuild that dies once the table is gone can be done again. Upkeep takes no file from whoever reads tables as they
    were before.
    """
    reader = LakeReader(copied.folder / "machines")
    reader.pin()
    climbs = copied.rows("climbs")
    code, printed = trendmill("status")
    assert code == 0
    assert "stale" not in printed

    edit(copied, "climbs", "WITHIN 20 hours", "WITHIN 10 hours")
    edit(copied, "chains", "SLIDE 6 hours", "SLIDE 12 hours")
    edit(copied, "silence", "x > 80", "x > 79")
    (copied.home / "queries" / "joined.cep").write_text(JOINED)
    _, printed = trendmill("status")
    assert "stale: climbs: 2013-01-02..2013-01-03" in printed
    assert "stale: joined: 2013-01-02..2013-01-03" in printed
    assert "stale: silence: 2013-01-02..2013-01-03" in printed
    assert "stale: unstopped" not in printed
    code, printed = trendmill("run", "--stale")
    assert code == 0, printed
    assert runs_of(copied, "unstopped") == {"run-1"}
    assert runs_of(copied, "climbs") == runs_of(copied, "joined") == runs_of(copied, "silence")
    assert runs_of(copied, "climbs").isdisjoint({"run-1"})
    assert {path.parent.name for path in (tmp_path / "reports").glob("machines/*/index.html")} == {
        "2013-01-02",
        "2013-01-03",
    }
    slicing = read(tmp_path / "reports" / "machines" / "2013-01-03" / "slicing.html")
    assert {"chains", "climbs", "joined"} <= set(re.findall(r"\w+", " ".join(slicing.text("h2"))))
    assert len(slicing.all("figure")) >= 2
    assert "nothing to evaluate" in trendmill("run", "--stale")[1]

    edit(copied, "unstopped", "Start(m, x) AND x > 70", "Start(m, load) AND load > 70")
    before = copied.rows("unstopped")
    for options in ((), ("--dry-run",), ("--dry-run", "--select", "climbs")):
        code, printed = trendmill("run", "--stale", *options)
        assert code == 2
        assert "the columns of machines.unstopped have changed" in printed
        assert "trendmill rebuild machines unstopped" in printed
    assert "to rebuild the table: trendmill rebuild machines unstopped" in trendmill("status")[1]
    assert copied.rows("unstopped") == before
    with monkeypatch.context() as patch:
        patch.setattr("jobs.tasks.nightly.begin", fail)
        assert trendmill("rebuild", "unstopped")[0] == 1
    assert "stale: unstopped: 2013-01-02..2013-01-03" in trendmill("status")[1]
    code, printed = trendmill("rebuild", "unstopped")
    assert code == 0, printed
    assert runs_of(copied, "unstopped").isdisjoint({"run-1"} | runs_of(copied, "climbs"))
    assert "stale" not in trendmill("status")[1]

    left = [copied.folder / "machines" / "events" / f"part-{when}.parquet" for when in ("long-ago", "just-now")]
    for file in left:
        file.write_bytes(b"of a write that died")
    os.utime(left[0], (time() - 8 * 86_400,) * 2)
    events = copied.rows("events")
    with copied.leased("upkeep"):
        maintain("machines", copied.folder, Silent())
    assert [file.exists() for file in left] == [False, True]
    assert copied.rows("events") == events
    times = ("first_at", "last_at")  # TIMESTAMP columns, which reports do not read
    listed = [{name: value for name, value in row.items() if name not in times} for row in climbs]
    assert rows(reader.read("climbs"), "match_id") == sorted(listed, key=lambda row: str(row["match_id"]))
    assert copied.rows("climbs") != climbs
    in_use = {row["run_id"] for row in copied.rows("result_days")}
    assert "run-1" not in in_use
    for name in ("slicing_plans", "experiments"):
        assert {row["run_id"] for row in copied.rows(name)} == in_use

    fresh = SmallLake(tmp_path / "fresh", spark, copied.home)
    fresh.forget()
    fresh.run(1, 2)
    assert copied.tables("joined") == fresh.tables("joined")


def test_what_a_run_did_while_a_rebuild_waited_is_rebuilt(
    copied: SmallLake, trendmill: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run loads one more day before the rebuild of a query, and of all events, gets the lake."""
    before = application.wait_for
    expected: list[Tables] = []

    def wait_for(*arguments: Any, **options: Any) -> object:
        number = 3 + len(expected)
        write_day(copied.home, number)
        copied.run(number, number)
        expected.append(copied.tables())
        return before(*arguments, **options)

    for what in ("chains", "--events"):
        with monkeypatch.context() as patch:
            patch.setattr(application, "wait_for", wait_for)
            code, printed = trendmill("rebuild", what)
        assert code == 0, printed
        assert copied.tables() == expected[-1]
        printed = trendmill("status")[1]
        assert "stale" not in printed
        assert "another definition" not in printed
    assert {row["day"] for row in copied.rows("chains")} == {day(number) for number in range(1, 5)}


EDITED = "WHERE skip_till_next_match { [machine] AND b[1].load > a.load AND b[i].load > b[i-1].load } WITHIN 20 hours"


@dataclass(frozen=True)
class Told:
    """The matches of a day that an edit lets go, and those that it adds."""

    gone: list[Match]
    added: list[Match]


def comparison(lake: SmallLake) -> dict[date, Told]:
    """What `trendmill diff` says of the edited query, by day."""
    workload = load_workload(lake.home)
    query = compile_workload(workload)["climbs"]
    days = [day(1), day(2)]
    former = former_text(workload, query, None, days, lake.folder)
    assert former is not None
    compared = Comparison(LakeDays(workload, lake.folder), query, former).of_days(days)
    return {each.day: Told([*map(match, each.changes.gone)], [*map(match, each.changes.added)]) for each in compared}


def match(row: Mapping[str, Any]) -> Match:
    return row["a"], tuple(row["b"]), row["c"]


def rows_of(lake: SmallLake) -> set[tuple[date, Match]]:
    """The matches in the lake, by day."""
    return {(row["day"], match(row)) for row in lake.table("climbs").to_pylist()}


def coming(lake: SmallLake, asked: Asked, *names: str) -> tuple[list[date], set[tuple[str, date]]]:
    """The days that a run would load, and the results that it would find."""
    workload = load_workload(lake.home)
    compiled = {name: query for name, query in compile_workload(workload).items() if not names or name in names}
    work = coming_work(workload, asked, compiled, lake.folder)
    assert {(each.query, each.day) for each in work.scope.evaluations} == work.reasons.keys()
    return [*work.loads], {*work.reasons}


def done(lake: SmallLake, query: str, number: int = 2) -> tuple[list[date], set[tuple[str, date]]]:
    """What the run loaded and found that was the last to evaluate a query's day."""
    results = lake.rows("result_days")
    [run] = [str(row["run_id"]) for row in results if (row["query"], row["day"]) == (query, day(number))]
    loaded = loaded_by(lake.folder, "machines", run)
    return [*loaded], {(str(row["query"]), row["day"]) for row in results if row["run_id"] == run}


def test_selected_queries_alone_are_evaluated(copied: SmallLake, trendmill: CommandLine) -> None:
    """Of two edits one is evaluated: the other keeps its rows, and `status` still lists it. So does a night."""
    edit(copied, "climbs", "WITHIN 20 hours", "WITHIN 10 hours")
    edit(copied, "silence", "x > 80", "x > 79")
    kept = {name: copied.rows(name) for name in ("chains", "silence", "silence_episodes", "unstopped")}
    versions, foretold = versions_of("machines", copied.folder), coming(copied, Asked(TASKS), "climbs")
    code, printed = trendmill("run", "--stale", "--select", "climbs", "--dry-run")
    assert (code, "  evaluate  2013-01-02..2013-01-03: climbs: edited since" in printed) == (0, True), printed
    assert versions_of("machines", copied.folder) == versions
    was, compared = rows_of(copied), comparison(copied)
    code, printed = trendmill("diff", "climbs", "--from", day(1).isoformat(), "--to", day(2).isoformat())
    assert (code, printed.splitlines()[:3]) == (
        0,
        [
            "climbs: now, against what the lake's results of 2013-01-03 were found with",
            f"  - {EDITED}",
            f"  + {EDITED.replace('20', '10')}",
        ],
    ), printed
    assert "now: fails  within 10 hours: " in printed
    code, printed = trendmill("run", "--stale", "--select", "climb")
    assert (code, "has no query 'climb'; did you mean 'climbs'?" in printed) == (2, True)
    code, printed = trendmill("run", "--stale", "--select", "climbs")
    assert code == 0, printed
    assert "silence was not selected and is stale on 2013-01-02..2013-01-03" in printed
    assert {name: copied.rows(name) for name in kept} == kept
    now = rows_of(copied)
    assert was - now
    assert {on: (set(each.gone), set(each.added)) for on, each in compared.items()} == {
        on: ({row for at, row in was - now if at == on}, {row for at, row in now - was if at == on})
        for on in (day(1), day(2))
    }
    assert done(copied, "climbs") == foretold == ([], {("climbs", day(1)), ("climbs", day(2))})
    assert runs_of(copied, "climbs").isdisjoint({"run-1"})
    printed = trendmill("status")[1]
    assert "stale: climbs" not in printed
    assert "stale: silence: 2013-01-02..2013-01-03" in printed
    write_day(copied.home, 3)
    write_day(copied.home, 2, early=True)
    asked, some = Asked(TASKS, day(3), day(3)), ("climbs", "chains")
    foretold = coming(copied, asked, *some)
    code, printed = trendmill("run", "--from", day(3).isoformat(), "--select", *some, "--dry-run")
    assert (code, printed.splitlines()[1:3]) == (
        0,
        ["  load      2013-01-04: new", "  evaluate  2013-01-04: chains and climbs: no result yet"],
    )
    code, printed = trendmill("run", "--from", day(3).isoformat(), "--select", *some)
    assert code == 0, printed
    assert done(copied, "climbs", 3) == foretold
    recorded = {(row["query"], row["day"]) for row in copied.rows("result_days")}
    assert {query for query, on in recorded if on == day(3)} == {"climbs", "chains"}
    assert "stale: unstopped: 2013-01-04" in trendmill("status")[1]
    foretold = coming(copied, Asked(TASKS))
    assert "load      2013-01-03: other bytes in 2013-01-03.csv" in trendmill("run", "--stale", "--dry-run")[1]
    assert trendmill("run", "--stale")[0] == 0
    assert done(copied, "silence", 3) == foretold
    assert "stale" not in trendmill("status")[1]
    code, printed = trendmill("run", "--stale", "--stage", "publish", "--select", "climbs")
    assert (code, "--select chooses what is evaluated" in printed) == (2, True)
