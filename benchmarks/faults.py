"""Runs on a disk that fails: `python benchmarks/faults.py [--writes 20] [--commits 40]`. It stops at the first loss.

A fault takes about a minute, so all of them take an hour. `--folder F --minutes M` keeps what was found in F and ends
after M minutes; the same command goes on from there.

A small lake holds two days; then late rows come, and the days run again, on a disk that is full, fails or lies at a
write drawn by chance, or in a program that dies there; and at each commit, before it and behind it. After each of these
runs every table and day must hold what was published before or what belongs there now, the message must say why the
run ended, and a run without a fault must end in the tables of an undisturbed one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pickle
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.faults.faulty_disk import Fault, FaultyDisk, names_fault, unpublished
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
    _must(names_fault(fault, ended), f"{fault}: exit code {ended.code}, {ended.output[-500:]}")
    odd = unpublished(disk.lake.tables(), world.before, world.after)
    _must(not odd, f"{fault}: neither as before nor as after: {odd}")
    ended_well = disk.run(None, *TABLES)
    _must(ended_well.code == 0, f"{fault}, then a run without: {ended_well.output[-500:]}")
    _must(disk.lake.tables() == world.after, f"{fault}: other tables than those of an undisturbed run")
    if ended.writes < fault.at:
        return "did not come to it"
    return "did not need it" if ended.code == 0 else "died" if ended.code < 0 else "said why"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(otherwise)


def drawn_faults(world: Worlds, writes: int, commits: int) -> Iterator[tuple[str, Fault]]:
    """The faults to go through, each with what it is drawn from; always the same ones."""
    drawn = random.Random(SEED)
    kinds = itertools.cycle(KINDS)
    for _ in range(writes):
        yield "writes", Fault(next(kinds), drawn.randrange(1, world.writes))
    kinds = itertools.cycle(("error", "late", "kill", "after"))
    for place in sorted(drawn.sample(range(1, world.commits + 1), min(commits, world.commits))):
        yield "commits", Fault(next(kinds), place, COMMITS)


def known_world(folder: Path) -> Worlds:
    """The lake of this folder, made if there is none yet."""
    kept = folder / "world.pickle"
    if not kept.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        kept.write_bytes(pickle.dumps(worlds(folder)))
    world: Worlds = pickle.loads(kept.read_bytes())
    return world


def go_on(folder: Path, writes: int, commits: int, minutes: float) -> None:
    """Go through faults that are not known yet until the minutes are over; print how all known ones ended."""
    end = time.monotonic() + 60 * minutes
    world, outcomes = known_world(folder), folder / "outcomes.json"
    print(f"{world.writes} writes, {world.commits} of them to commits", flush=True)
    results: dict[str, str] = json.loads(outcomes.read_text()) if outcomes.exists() else {}
    faults = list(drawn_faults(world, writes, commits))
    for name, fault in faults:
        key = f"{name} {json.dumps(asdict(fault))}"
        if key not in results and time.monotonic() < end:
            results[key] = survive(world, fault)
            outcomes.write_text(json.dumps(results, indent=1))
    keys = [(name, fault.kind, f"{name} {json.dumps(asdict(fault))}") for name, fault in faults]
    counts = Counter((name, kind, results.get(key, "not tried yet")) for name, kind, key in keys)
    for (name, kind, how), number in sorted(counts.items()):
        print(f"  {name}, {kind}: {number} {how}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writes", type=int, default=20, help="how many writes to draw (default 20)")
    parser.add_argument("--commits", type=int, default=40, help="at how many commits at most (default 40)")
    parser.add_argument("--folder", type=Path, help="where the lake and what was found stay (default: nowhere)")
    parser.add_argument("--minutes", type=float, default=600, help="end after the fault that is then at work")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        go_on(options.folder or Path(folder) / "faults", options.writes, options.commits, options.minutes)


if __name__ == "__main__":
    main()
