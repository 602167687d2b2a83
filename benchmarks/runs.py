"""Runs of the sample workload, measured: `python benchmarks/runs.py [day] [night] ...`, all ways if none is named.

- `day`: the demo day from an empty lake, then the day after it.
- `night`: the demo day through the nightly DAG.
- `week`: 5 to 11 March as one backfill, as seven nights, as shuffled nights, and as Airflow's own backfill of the
  nightly DAG. All must leave equal tables.
- `kills`: a run of two days, killed with all its processes at 50 random moments and retried each time. It must leave
  the same tables as an undisturbed run.
- `year`: 2013 as one backfill without reports, from the folder that NYC_FLIGHTS_DATA names.

Wall time, CPU-seconds and peak memory are those of the whole process tree, sampled from /proc. The seconds of stages
come from the lake's own journal.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from airflow_backfill import backfill
from deltalake import DeltaTable

WORKLOAD = "nyc_flights"
DEMO = date(2013, 3, 8)
WEEK = [date(2013, 3, 5) + timedelta(days=n) for n in range(7)]
YEAR = (date(2013, 1, 1), date(2013, 12, 31))
KILLS = 50
SEED = 5
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Usage:
    """What a process tree used."""

    wall: float = 0.0
    cpu: float = 0.0
    peak_bytes: int = 0
    """The most that all processes had together, pages that they share counted for each (RSS)."""
    peak_own_bytes: int = 0
    """The same with each shared page counted once (PSS), looked at once a second."""
    course: list[tuple[float, float]] = field(default_factory=list)
    """Pairs: a moment, and the CPU-seconds used until then."""
    memory: list[tuple[float, dict[str, int]]] = field(default_factory=list)
    """Pairs: a moment, and the bytes that the program, the JVM and all other processes had, shared pages once."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.wall + other.wall,
            self.cpu + other.cpu,
            max(self.peak_bytes, other.peak_bytes),
            max(self.peak_own_bytes, other.peak_own_bytes),
        )

    def cpu_between(self, first: float, last: float) -> float:
        """CPU-seconds used between two moments."""
        moments, used = zip(*self.course, strict=True)
        return float(np.diff(np.interp([first, last], moments, used))[0])

    def __str__(self) -> str:
        shared = f"{self.peak_bytes / 1e9:5.2f} GB peak ({self.peak_own_bytes / 1e9:.2f} with shared pages once)"
        return f"{self.wall:7.1f} s wall {self.cpu:7.1f} CPU-s {shared}"


def trendmill(lake: Path, *arguments: str, kill_after: float | None = None) -> tuple[int, Usage]:
    """Runs the command; returns its exit code and usage. `kill_after`: seconds until all its processes are killed."""
    return run_watched([sys.executable, "-m", "jobs.cli", *arguments], places(lake), kill_after)


def places(lake: Path) -> dict[str, str]:
    """The environment that says where a command finds its lake and writes its reports."""
    return {"TRENDMILL_LAKE": str(lake), "TRENDMILL_REPORTS": str(lake / "reports")}


def run_watched(
    command: Sequence[str], more: Mapping[str, str], kill_after: float | None = None, output: Path | None = None
) -> tuple[int, Usage]:
    """Runs a program in its own session, with `more` environment variables. `told`: the file of what it prints."""
    begin = time.perf_counter()
    with Path(output or os.devnull).open("wb") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **more}, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    usage, done = Usage(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, usage, done))
    watcher.start()
    try:
        code = process.wait(kill_after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    done.set()
    watcher.join()
    usage.wall = time.perf_counter() - begin
    return code, usage


def _watch(session: int, usage: Usage, done: threading.Event) -> None:
    """Sums CPU time and resident memory of all processes of a session, ten times a second."""
    cpu: dict[int, float] = {}
    for turn in count():
        if done.wait(0.1):
            return
        resident = 0
        own: dict[str, int] = {}
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                name, _, numbers = Path(entry.path, "stat").read_text().rpartition(")")
            except (FileNotFoundError, ProcessLookupError):
                continue
            fields = numbers.split()
            if int(fields[3]) == session:
                cpu[int(entry.name)] = (int(fields[11]) + int(fields[12])) / TICKS
                resident += int(fields[21]) * PAGE
                if turn % 10 == 0:
                    kind = "driver" if entry.name == str(session) else "JVM" if name.endswith("(java") else "workers"
                    own[kind] = own.get(kind, 0) + _own_memory(Path(entry.path))
        usage.cpu, usage.peak_bytes = sum(cpu.values()), max(usage.peak_bytes, resident)
        if own:
            usage.peak_own_bytes = max(usage.peak_own_bytes, sum(own.values()))
            usage.memory.append((time.time(), own))
        usage.course.append((time.time(), usage.cpu))


def _own_memory(process: Path) -> int:
    """Bytes of a process, of a page that n processes share the n-th part; a walk of 10 ms for each gigabyte."""
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def run_days(lake: Path, first: date, last: date, *more: str) -> Usage:
    """Runs `trendmill run`, which must succeed."""
    code, usage = trendmill(lake, "run", WORKLOAD, "--from", str(first), "--to", str(last), *more)
    if code:
        raise SystemExit(f"trendmill run of {first}..{last} ended with exit code {code}")
    return usage


def tables(lake: Path) -> dict[str, list[str]]:
    """The tables to compare, up to the end of the week: events, quarantine, statistics and results, without run ids."""
    rows_of = {}
    for log in sorted((lake / WORKLOAD).glob("*/_delta_log")):
        name = log.parent.name
        if name not in ("runs", "slice_runs", "experiments", "slicing_plans"):
            rows = DeltaTable(log.parent).to_pyarrow_table().drop_columns(["run_id"])
            rows = rows.filter(pc.less_equal(rows["day"], pa.scalar(WEEK[-1], pa.date32())))
            rows_of[name] = sorted(repr(row) for row in rows.select(sorted(rows.column_names)).to_pylist())
    return rows_of


def stages(lake: Path, workload: str = WORKLOAD) -> list[dict[str, Any]]:
    """Each stage of each run, once and in order."""
    journal = DeltaTable(lake / workload / "runs").to_pyarrow_table(columns=["started_at", "stage", "seconds"])
    once = {(row["started_at"], row["stage"]): row for row in journal.to_pylist()}
    return [once[key] for key in sorted(once)]


def print_stages(lake: Path, usage: Usage) -> None:
    """Prints the time of each stage, of the rest, and of the kernels alone, over all their tasks."""
    wall = cpu = 0.0
    for row in stages(lake):
        start = row["started_at"].timestamp()
        used = usage.cpu_between(start, start + row["seconds"])
        print(f"    {row['stage']:<14} {row['seconds']:6.1f} s wall {used:7.1f} CPU-s")
        wall, cpu = wall + row["seconds"], cpu + used
    print(f"    {'all the rest':<14} {usage.wall - wall:6.1f} s wall {usage.cpu - cpu:7.1f} CPU-s")
    kernels = DeltaTable(lake / WORKLOAD / "slice_runs").to_pyarrow_table(columns=["seconds"])["seconds"].to_pylist()
    print(f"    in the engines {sum(kernels):6.1f} s, over {len(kernels)} evaluations of a query on a slice")


def day(home: Path) -> None:
    lake = home / "day"
    usage = run_days(lake, DEMO, DEMO)
    print(f"  first, from an empty lake {usage}")
    print_stages(lake, usage)
    print(f"  the day after it          {run_days(lake, DEMO + timedelta(days=1), DEMO + timedelta(days=1))}")


def night(home: Path) -> None:
    lake = home / "night"
    command = [sys.executable, "scripts/run_dag.py", f"nightly_{WORKLOAD}", "--day", str(DEMO)]
    code, usage = run_watched(command, {**places(lake), "AIRFLOW_HOME": str(home / "airflow_home")})
    if code:
        raise SystemExit(f"the nightly DAG ended with exit code {code}")
    print(f"  the DAG, from an empty lake {usage}")
    print_stages(lake, usage)


def week(home: Path) -> None:
    shuffled = random.Random(SEED).sample(WEEK, len(WEEK))
    ways: dict[str, Sequence[tuple[date, date]]] = {
        "one backfill": [(WEEK[0], WEEK[-1])],
        "seven nights": [(night, night) for night in WEEK],
        "shuffled nights": [(night, night) for night in shuffled],
    }
    tables_of = {}
    for name, runs in ways.items():
        lake = home / name.replace(" ", "_")
        usage = sum((run_days(lake, first, last) for first, last in runs), Usage())
        tables_of[name] = tables(lake)
        print(f"  {name:<16} {usage}", flush=True)
    lake, begin = home / "airflow", time.perf_counter()
    backfill(f"nightly_{WORKLOAD}", WEEK[0], WEEK[-1], home / "airflow_home", places(lake))
    tables_of["Airflow's backfill"] = tables(lake)
    print(f"  Airflow's backfill {time.perf_counter() - begin:5.1f} s wall, its start included", flush=True)
    _compare(tables_of)


def kills(home: Path) -> None:
    first, last = DEMO, DEMO + timedelta(days=1)
    undisturbed = home / "undisturbed"
    whole = run_days(undisturbed, first, last, "--stage", "load", "--stage", "slice", "--stage", "evaluate")
    chance, lake = random.Random(SEED), home / "killed"
    for number in range(1, KILLS + 1):
        command = ["run", WORKLOAD, "--from", str(first), "--to", str(last), "--run-id", "killed"]
        trendmill(lake, *command, kill_after=chance.uniform(0.0, whole.wall))
        if number % 10 == 0:
            print(f"  killed {number} times", flush=True)
    usage = run_days(lake, first, last, "--run-id", "killed")
    print(f"  after {KILLS} kills, the run that lived {usage}")
    _compare({"undisturbed": tables(undisturbed), "killed": tables(lake)})


def year(home: Path) -> None:
    if "NYC_FLIGHTS_DATA" not in os.environ:
        print("  skipped: NYC_FLIGHTS_DATA names no folder (scripts/make_nyc_flights_bundle.py --year makes one)")
        return
    lake = home / "year"
    usage = run_days(lake, *YEAR, "--stage", "load", "--stage", "slice", "--stage", "evaluate")
    print(f"  one backfill {usage}")
    print_stages(lake, usage)


def _compare(left: dict[str, dict[str, list[str]]]) -> None:
    (reference, expected), *others = left.items()
    for name, other_tables in others:
        different = [
            table for table in expected.keys() | other_tables.keys() if expected.get(table) != other_tables.get(table)
        ]
        if different:
            raise SystemExit(f"{name} left other tables than {reference}: {', '.join(sorted(different))}")
    print(f"  equal tables: {', '.join(left)}")


WAYS = {"day": day, "night": night, "week": week, "kills": kills, "year": year}


def main(chosen: Sequence[str]) -> None:
    for name in chosen or WAYS:
        print(f"{name}:", flush=True)
        with tempfile.TemporaryDirectory(prefix="trendmill-bench-") as home:
            WAYS[name](Path(home))


if __name__ == "__main__":
    main(sys.argv[1:])
