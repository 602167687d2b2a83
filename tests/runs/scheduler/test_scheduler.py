"""Airflow with PostgreSQL and LocalExecutor (`make airflow-scale`): two workloads at once, and what people do to tasks.

Each test goes on with the lake that the tests before it left.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from time import monotonic

import pytest

from jobs import places
from jobs.lake.leasing.lease import lease_file, read
from tests.runs.scheduler.airflow_server import Airflow, moment, served, wait_for
from tests.runs.scheduler.house import FLIGHTS, LATE, USAGE, House, lay_out, tables
from tests.runs.scheduler.postgres import postgres_server, programs

CLIENT = places.project() / ".cache" / "airflow-postgres" / "packages"

pytestmark = [
    pytest.mark.airflow,
    pytest.mark.spark,
    pytest.mark.processes,
    pytest.mark.skipif(programs() is None, reason="there is no PostgreSQL on this machine (Debian: postgresql)"),
    pytest.mark.skipif(not CLIENT.is_dir(), reason="Airflow's driver for PostgreSQL is not here: make airflow-scale"),
]

WEEK = date(2013, 3, 5), date(2013, 3, 11)
THREE = date(2010, 8, 23), date(2010, 8, 25)
FIRST = date(2013, 3, 12)
"""The first of the days whose tasks are marked and cleared."""
NIGHT = 600.0
"""Seconds after which a night is stuck."""
TASKS = ("load", "slice", "evaluate", "publish")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """PostgreSQL and Airflow with an empty lake; both workloads unpaused, two slots in the pool."""
    folder = tmp_path_factory.mktemp("scheduler")
    lay_out(folder)
    (folder / "airflow").mkdir(mode=0o700)
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    data = {"DATA_USAGE_DATA": str(folder / "usage"), "TRENDMILL_WORKLOADS": str(folder / "workloads")}
    own = {"TRENDMILL_LAKE": str(folder / "lake"), "TRENDMILL_REPORTS": str(folder / "reports")}
    begun = monotonic()
    with postgres_server() as database:
        metadata = {"AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database, "PYTHONPATH": str(CLIENT)}
        with served(folder / "airflow", port, {**metadata, **data, **own}) as airflow:
            print(f"\nPostgreSQL and Airflow start in {monotonic() - begun:.0f} s", flush=True)
            airflow.ask(
                "PATCH",
                "pools/trendmill",
                {"name": "trendmill", "slots": 2, "description": "", "include_deferred": False},
            )
            wait_for(lambda: {FLIGHTS, USAGE} <= known(airflow), 120, "the DAGs to be read")
            yield House(folder, airflow, data)


def known(airflow: Airflow) -> set[str]:
    return {dag["dag_id"] for dag in airflow.ask("GET", "dags")["dags"]}


def interval(day: date, hour: int) -> tuple[datetime, datetime]:
    """The data interval of an operating day that begins at this hour."""
    start = datetime.combine(day, time(hour), UTC)
    return start, start + timedelta(days=1)


def ended(airflow: Airflow, dag: str, run: str) -> bool:
    return airflow.state(dag, run) in ("success", "failed")


def all_ended(airflow: Airflow, dag: str, days: int) -> bool:
    """Whether so many nights of Airflow's own backfill have ended, and those of the scheduler."""
    nights = [run["state"] for kind in ("backfill", "scheduled") for run in airflow.runs(dag, kind)]
    return len(nights) > days and set(nights) <= {"success", "failed"}


def test_a_week_of_nights_beside_another_workload_and_the_scheduler(house: House) -> None:
    """Both backfills succeed while the scheduler runs its own nights; the week has the tables of one application."""
    airflow, begun = house.airflow, monotonic()
    for dag, (first, last) in ((FLIGHTS, WEEK), (USAGE, THREE)):
        airflow.unpause(dag)
        airflow.backfill(dag, first, last)
    for dag, days in ((USAGE, 3), (FLIGHTS, 7)):
        wait_for(partial(all_ended, airflow, dag, days), NIGHT * days, f"{days} runs of {dag}")
        print(f"{days} nights of {dag} after {monotonic() - begun:.0f} s", flush=True)
    spans = {}
    for dag in (FLIGHTS, USAGE):
        runs = airflow.runs(dag, "backfill")
        assert [run["state"] for run in runs] == ["success"] * len(runs)
        for run in [*runs, *airflow.runs(dag, "scheduled")]:
            tries = {task["try_number"] for task in airflow.tasks(dag, run["dag_run_id"])}
            assert max(tries) == 1, "waiting for the lake uses up no retry"
        spans[dag] = [
            (moment(task["start_date"]), moment(task["end_date"]))
            for run in runs
            for task in airflow.tasks(dag, run["dag_run_id"])
        ]
    assert any(a[0] < b[1] and b[0] < a[1] for a in spans[FLIGHTS] for b in spans[USAGE]), "they ran side by side"
    alone = house.folder / "alone"
    house.trendmill(alone, "run", "nyc_flights", "--from", str(WEEK[0]), "--to", str(WEEK[1]))
    night_tables, expected = (tables(lake, "nyc_flights", *WEEK) for lake in (house.folder / "lake", alone))
    assert night_tables.keys() == expected.keys()
    assert [name for name in expected if night_tables[name] != expected[name]] == []


def test_a_late_file_is_retried_and_need_not_wait_when_cleared(house: House) -> None:
    """The first try fails with the reason in its log; cleared, the task begins at once; each try keeps its log."""
    airflow, late = house.airflow, f"usage-{LATE}.csv.gz"
    run = airflow.trigger(USAGE, *interval(LATE, 0))
    airflow.unpause(USAGE)
    wait_for(lambda: airflow.task(USAGE, run, "load")["state"] == "up_for_retry", NIGHT, "load to fail")
    [first] = airflow.logs(USAGE, run, "load")
    assert "source missing: 'usage'" in first.read_text()
    assert airflow.state(USAGE, run) == "running"
    shutil.copy(house.folder / "late.csv.gz", house.folder / "usage" / late)
    begun = monotonic()
    airflow.clear(USAGE, run, "load")
    wait_for(lambda: ended(airflow, USAGE, run), NIGHT, "the run to end")
    print(f"cleared while it waited for its retry, the night took {monotonic() - begun:.0f} s", flush=True)
    assert airflow.state(USAGE, run) == "success"
    assert [log.name for log in airflow.logs(USAGE, run, "load")] == ["attempt=1.log", "attempt=2.log"]
    assert airflow.task(USAGE, run, "load")["try_number"] == 2


def test_a_night_that_is_cleared_leaves_the_same_tables(house: House) -> None:
    """All four tasks run again, with a second log each; tables are as before."""
    airflow, lake = house.airflow, house.folder / "lake"
    run = night(house, FIRST)
    before = tables(lake, "nyc_flights", FIRST, FIRST)
    airflow.clear(FLIGHTS, run, "load")
    wait_for(lambda: airflow.state(FLIGHTS, run) == "running", NIGHT, "the run to begin again")
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, "the run to end")
    assert airflow.state(FLIGHTS, run) == "success"
    assert {task["try_number"] for task in airflow.tasks(FLIGHTS, run)} == {2}
    for task, line in zip(TASKS, ("ingest ", "slice_events ", "evaluate ", "index.html"), strict=True):
        first, second = airflow.logs(FLIGHTS, run, task)
        assert line in first.read_text(), "what the program printed is in the log of each try"
        assert second.stat().st_size > 0
    assert tables(lake, "nyc_flights", FIRST, FIRST) == before


def test_a_running_task_that_is_marked_failed_ends_and_gives_the_lease_back(house: House) -> None:
    """Nothing of the day is visible, nothing holds the lake; cleared, the night is whole."""
    airflow, lake = house.airflow, house.folder / "lake"
    day = FIRST + timedelta(days=1)
    run = at_work(house, day, "load")
    begun = monotonic()
    airflow.mark(FLIGHTS, run, "load", "failed")
    wait_for(lambda: not programs_of(run), NIGHT, "its program to end")
    print(f"marked as failed, its program ended after {monotonic() - begun:.0f} s", flush=True)
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, "the run to end")
    states = {task["task_id"]: task["state"] for task in airflow.tasks(FLIGHTS, run)}
    assert states == dict.fromkeys(TASKS, "upstream_failed") | {"load": "failed"}
    assert read(lease_file(lake, "nyc_flights")) is None
    assert "nothing wrong" in house.trendmill(lake, "verify", "nyc_flights")
    clear_and_compare(house, run, day)


def test_a_running_task_that_is_marked_done_and_those_behind_it(house: House) -> None:
    """Its program is ended; what follows finds no day and has nothing to do: all is green, and the lake lacks the day.
    Cleared, it is whole."""
    airflow, lake = house.airflow, house.folder / "lake"
    day = FIRST + timedelta(days=2)
    run = at_work(house, day, "load")
    begun = monotonic()
    airflow.mark(FLIGHTS, run, "load", "success")
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, "the run to end")
    print(f"marked as done, the run ended after {monotonic() - begun:.0f} s", flush=True)
    assert airflow.state(FLIGHTS, run) == "success"
    status = house.trendmill(lake, "status", "nyc_flights")
    assert [line for line in status.splitlines() if str(day) in line and "missing: " not in line] == []
    assert "nothing wrong" in house.trendmill(lake, "verify", "nyc_flights")
    assert read(lease_file(lake, "nyc_flights")) is None
    clear_and_compare(house, run, day)


def test_a_task_that_is_marked_done_before_it_began(house: House) -> None:
    """Without `evaluate` the day has no results, and the command's status can be asked. Cleared, it is whole."""
    airflow, lake = house.airflow, house.folder / "lake"
    day = FIRST + timedelta(days=3)
    run = at_work(house, day, "load")
    airflow.mark(FLIGHTS, run, "evaluate", "success")
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, "the run to end")
    assert airflow.state(FLIGHTS, run) == "success"
    print(house.trendmill(lake, "status", "nyc_flights"), flush=True)
    assert "result_days" not in tables(lake, "nyc_flights", day, day)
    clear_and_compare(house, run, day, "evaluate")


def night(house: House, day: date) -> str:
    """A night of flights by hand, to its end; returns its run."""
    airflow = house.airflow
    airflow.unpause(FLIGHTS)
    run = airflow.trigger(FLIGHTS, *interval(day, 8))
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, f"the night of {day}")
    assert airflow.state(FLIGHTS, run) == "success"
    return run


def at_work(house: House, day: date, task: str) -> str:
    """A night of flights whose task has the lease and works; returns its run."""
    airflow = house.airflow
    airflow.unpause(FLIGHTS)
    run = airflow.trigger(FLIGHTS, *interval(day, 8))

    def works() -> bool:
        lease = read(lease_file(house.folder / "lake", "nyc_flights"))
        return lease is not None and lease.run_id == f"{FLIGHTS}/{run}" and f"task {task}" in lease.holder

    wait_for(works, NIGHT, f"{task} of {day} to begin")
    return run


def programs_of(run: str) -> list[int]:
    """The processes that have this run's id in their command line."""
    processes = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if f"/{run}".encode() in (entry / "cmdline").read_bytes():
                    processes.append(int(entry.name))
    return processes


def clear_and_compare(house: House, run: str, day: date, task: str = "load") -> None:
    """Clear a task with those behind it; the day then has the tables of a run from an empty lake."""
    airflow = house.airflow
    airflow.clear(FLIGHTS, run, task)
    wait_for(lambda: airflow.state(FLIGHTS, run) == "running", NIGHT, "the run to begin again")
    wait_for(lambda: ended(airflow, FLIGHTS, run), NIGHT, "the run to end")
    assert airflow.state(FLIGHTS, run) == "success"
    alone = house.folder / f"alone-{day}"
    house.trendmill(alone, "run", "nyc_flights", "--from", str(day), "--to", str(day))
    assert tables(house.folder / "lake", "nyc_flights", day, day) == tables(alone, "nyc_flights", day, day)
