"""Days of a large log, from files to results: `python benchmarks/scale.py [ROWS ...] [options]`.

ROWS of each day: 1000000 and 10000000 if none is given. Formats: `parquet`, `csv` (gzip, one file a day), `csv24`
(gzip, 24 files a day), `json` (lines). A log has three event types, Zipf keys and integer values; the workload has an
aggregation and a matching query by key, and with `--questions all` a first-order and a propositional policy, too. Each
run stands beside Spark merely moving the same rows (read, repartition by key, sort, write) in one session with the
settings of large inputs; of several moves the median counts.

Printed: wall seconds of the run, of its stages, of the moving, their ratio; the peak memory of all processes, with
pages that they share counted for each and once, of each stage and of each kind of process; the most disk. From two
sizes on, also the exponents with which stages grow from each size to the next.

    scale.py 1000000 10000000 100000000 --questions all --heavy --slices 64 --memory 4 --moves 1 --easier --folder F

A log of a hundred million rows is 1.3 GB and takes a minute to write; `--folder` keeps it, and `--log-only` ends there.
Its run needs 12 GB of disk.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from runs import Usage, places, run_watched, stages
from scaling.disk import disk_used, environment
from scaling.easier import easier
from scaling.logs import DAY, FORMS, Log
from scaling.moving import moving
from scaling.workload import QUESTIONS, write_workload

REST = "the rest"
"""What is in no stage: the start of Python, planning the run, pages."""


def measure(home: Path, log: Log, form: str, options: argparse.Namespace) -> dict[str, float]:
    """Run the workload on an empty lake. Returns wall seconds by stage, of all, and of the moving."""
    folder = write_workload(home, log, form, options.questions, options.slices)
    if options.log_only:
        return {}
    lake = home / "lake"
    shutil.rmtree(lake, ignore_errors=True)
    seconds = moving(folder, form, options.moves) if options.moves else []
    shutil.rmtree(home / "moved", ignore_errors=True)
    command = [sys.executable, "-m", "jobs.cli", "run", str(folder), "--from", str(DAY), "--to", str(log.last)]
    memory = {"TRENDMILL_MEMORY": f"{options.memory}GB"} if options.memory else {}
    with disk_used(home, lake) as disk:
        code, usage = run_watched(command, places(lake) | environment(home) | memory, output=home / "run.log")
    if code:
        last = (home / "run.log").read_text().splitlines()[-5:]
        raise SystemExit("\n".join([*last, f"trendmill run of {log} from {form} ended with exit code {code}"]))
    rows = stages(lake, "scale")
    of_stages = {row["stage"]: row["seconds"] for row in rows}
    of_stages[REST] = usage.wall - sum(of_stages.values())
    print(f"  {log} {form:<8} {usage}{_times(usage.wall, seconds)}")
    spans = {row["stage"]: (row["started_at"].timestamp(), row["seconds"]) for row in rows}
    print(
        "    " + ", ".join(f"{name} {value:.1f}{_memory(usage, spans.get(name))}" for name, value in of_stages.items())
    )
    print(f"    {_kinds(usage)}\n    {disk}", flush=True)
    if options.easier:
        _print_easier(folder, options.memory or 4.0, of_stages["evaluate"])
    if not options.keep:
        shutil.rmtree(lake)
    return {**of_stages, "all": usage.wall, **({"moving": statistics.median(seconds)} if seconds else {})}


def _times(wall: float, seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    middle = statistics.median(seconds)
    return f", moving {middle:.1f} s (of {len(seconds)}): {wall / middle:.1f} times"


def _memory(usage: Usage, span: tuple[float, float] | None) -> str:
    """The peak memory of a stage, if it was looked at."""
    looks = [sum(kinds.values()) for at, kinds in usage.memory if span and span[0] <= at <= sum(span)]
    return f" ({max(looks) / 1e9:.1f} GB)" if looks else ""


def _kinds(usage: Usage) -> str:
    """The most that each kind of process had at any moment, shared pages once."""
    kinds = sorted({kind for _, looked in usage.memory for kind in looked})
    most = {kind: max(looked.get(kind, 0) for _, looked in usage.memory) for kind in kinds}
    return "memory at most: " + ", ".join(f"{kind} {size / 1e9:.1f} GB" for kind, size in most.items())


def _print_easier(folder: Path, memory: float, evaluate: float) -> None:
    """Print what DuckDB and Polars take for easier questions about the same files."""
    for system, answers in easier(folder, memory).items():
        amounts = [
            f"{name} {answer[0]:.1f} s ({answer[1]:.1f} GB, {answer[2]:,} rows)" if answer else f"{name} not answered"
            for name, answer in answers.items()
        ]
        together = sum(answer[0] for answer in answers.values() if answer)
        times = f"; evaluate took {evaluate / together:.1f} times as long" if together else ""
        print(f"    {system}: {', '.join(amounts)}{times}", flush=True)


def print_growth(sizes: Sequence[int], measured: Sequence[Mapping[str, float]]) -> None:
    """Exponents of the growth from each size to the next: 1 is proportional."""
    for (small, large), (before, after) in zip(pairwise(sizes), pairwise(measured), strict=True):
        factor = math.log(large / small)
        growth = {name: math.log(after[name] / before[name]) / factor for name in before if before[name] > 0}
        words = ", ".join(f"{name} {value:.2f}" for name, value in growth.items())
        print(f"    exponents from {small:,} to {large:,}: {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int)
    parser.add_argument("--format", action="append", choices=FORMS)
    parser.add_argument("--moves", type=int, default=5, help="how often Spark moves the rows; 0: not at all")
    parser.add_argument("--questions", choices=QUESTIONS, default="patterns")
    parser.add_argument("--heavy", action="store_true", help="a third of the rows have one key")
    parser.add_argument("--slices", type=int, default=4)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--memory", type=float, help="gigabytes that the run may count on")
    parser.add_argument("--easier", action="store_true", help="also ask DuckDB and Polars; needs Parquet")
    parser.add_argument("--folder", type=Path, help="where logs are kept, and the lake is made")
    parser.add_argument("--log-only", action="store_true", help="write the logs and run nothing")
    parser.add_argument("--keep", action="store_true", help="leave the lake in the folder")
    options = parser.parse_args()
    sizes = sorted(options.rows or [1_000_000, 10_000_000])
    for form in options.format or ["parquet"]:
        measured = []
        for rows in sizes:
            log = Log(rows, options.days, options.heavy)
            with tempfile.TemporaryDirectory(prefix="trendmill-scale-") as place:
                name = f"{form}-{rows}x{options.days}{'-heavy' if options.heavy else ''}"
                measured.append(measure((options.folder or Path(place)) / name, log, form, options))
        if not options.log_only:
            print_growth(sizes, measured)


if __name__ == "__main__":
    main()
