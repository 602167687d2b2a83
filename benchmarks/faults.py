"""Runs on a disk that fails: `python benchmarks/faults.py [--writes 20] [--commits 40]`. It stops at the first loss.

A small lake holds two days; then late rows come, and the days run again, on a disk that is full, fails or lies at a
write drawn by chance, or in a program that dies there; and at each commit, before it and behind it. After each of these
runs every table and day must hold what was published before or what belongs there now, the message must say why the
run ended, and a run without a fault must end in the tables of an undisturbed one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.faults.faulty_disk import Fault, FaultyDisk, is_told, unpublished
from tests.runs.lake.lakes import Tables
from tests.runs.lake.small_workload import write_day, write_workload

KINDS = ("full", "error", "late", "kill")
COMMITS = "_delta_log/0"
"""What the paths of commits contain."""
TABLES = ("load", "slice", "evaluate")
SEED = 16


@dataclass(frozen=True)
class Worlds:
    """A lake before rows came late, what it holds, and what it must hold then."""

    folder: Path
    before: Tables
    after: Tables
    writes: int
    commits: int


def worlds(folder: Path) -> Worlds:
    """Makes the lake, and counts what a run of the late rows writes."""
    disk = FaultyDisk(folder / "whole", write_workload(folder / "workloads"))
    (folder / "whole").mkdir()
    write_day(disk.home, 1, early=True)
    _must(disk.run(None, *TABLES).code == 0, "the first run failed")
    before = disk.lake.tables()
    shutil.copytree(disk.lake.folder, folder / "before")
    write_day(disk.home, 1)
    writes = disk.run(Fault("full", 0), *TABLES).writes
    after = disk.lake.tables()
    again = FaultyDisk(_fresh(folder, "counted"), disk.home)
    commits = again.run(Fault("full", 0, COMMITS), *TABLES).writes
    _must(again.lake.tables() == after != before, "two runs without a fault left different tables")
    return Worlds(folder, before, after, writes, commits)


def _fresh(folder: Path, name: str) -> Path:
    shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(folder / "before", folder / name / "lake")
    return folder / name


def survive(world: Worlds, fault: Fault) -> str:
    """One run with the fault and one without; says how the first one ended."""
    disk = FaultyDisk(_fresh(world.folder, "faulty"), world.folder / "workloads" / "machines")
    ended = disk.run(fault, *TABLES)
    _must(is_told(fault, ended), f"{fault}: exit code {ended.code}, {ended.told[-500:]}")
    odd = unpublished(disk.lake.tables(), world.before, world.after)
    _must(not odd, f"{fault}: neither as before nor as after: {odd}")
    ended_well = disk.run(None, *TABLES)
    _must(ended_well.code == 0, f"{fault}, then a run without: {ended_well.told[-500:]}")
    _must(disk.lake.tables() == world.after, f"{fault}: other tables than those of an undisturbed run")
    if ended.writes < fault.at:
        return "did not come to it"
    return "did not need it" if ended.code == 0 else "died" if ended.code < 0 else "said why"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(otherwise)


def report(world: Worlds, name: str, faults: Sequence[Fault]) -> None:
    """Goes through some faults, and prints how many runs ended in which way, by kind."""
    counts = Counter((fault.kind, survive(world, fault)) for fault in faults)
    for (kind, how), number in sorted(counts.items()):
        print(f"  {name}, {kind}: {number} {how}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writes", type=int, default=20, help="how many writes to draw (default 20)")
    parser.add_argument("--commits", type=int, default=40, help="at how many commits at most (default 40)")
    options = parser.parse_args()
    drawn = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        world = worlds(Path(folder))
        print(f"{world.writes} writes, {world.commits} of them to commits", flush=True)
        kinds = itertools.cycle(KINDS)
        report(world, "writes", [Fault(next(kinds), drawn.randrange(1, world.writes)) for _ in range(options.writes)])
        places = sorted(drawn.sample(range(1, world.commits + 1), min(options.commits, world.commits)))
        kinds = itertools.cycle(("error", "late", "kill", "after"))
        report(world, "commits", [Fault(next(kinds), place, COMMITS) for place in places])


if __name__ == "__main__":
    main()
