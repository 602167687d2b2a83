"""`trendmill check`: parse, bind and explain a workload, and report every problem, without Spark."""

from __future__ import annotations

import argparse
import time
from datetime import date

from cep_core.language.durations import spoken
from cep_core.language.evaluator import Reach
from jobs.analysis.folder import Folder, check_folder
from jobs.analysis.slow_parts import slow_parts
from jobs.analysis.unordered_parts import unordered_parts
from jobs.commands.test import tell
from jobs.exits import OK
from jobs.questions.cases.case_file import read_case_files
from jobs.questions.cases.suite import Suite, judge_all
from jobs.reports.words.quantities import counted
from jobs.workload.compiled import WorkloadQuery
from jobs.workload.declaration import Workload
from jobs.workload.explained import shedding_of, warnings_of
from jobs.workload.files.problems import WorkloadError

_OLDEST = date(1980, 1, 1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument(
        "--deep", action="store_true", help="also let Spark itself analyse the SQL, and the gate's library the rules"
    )
    parser.add_argument("--test", action="store_true", help="also judge the workload's cases, as `trendmill test` does")


def run(options: argparse.Namespace) -> int:
    """Print a summary of the workload. Exit code 1 if a case failed. Raises WorkloadError with every problem."""
    folder = check_folder(options.workload)
    workload, compiled, grids = folder.workload, folder.compiled, folder.grids
    if options.deep:
        _look_deep(workload)
    cases = read_case_files(workload, compiled)
    print(f"{workload.name}: {workload.title} ({workload.owner})")
    print(f"  days from {workload.start}, each begins at {_clock(workload)} UTC")
    for name, source in workload.sources.items():
        days = f"; a row belongs to the day of its {source.time}" if source.time else ""
        print(f"  source {name}: {source.format}, {len(source.columns)} columns, {source.path or 'by options'}{days}")
    slow = slow_parts(workload)
    for part in slow:
        print(f"  {part}")
    if slow:
        print("    so a large load moves all rows between its workers, which takes longer than reading them")
        for name, source in workload.sources.items():
            if source.daily or source.time:
                print(
                    f"    and an event may need rows of {name} at most {source.slack} days away: no night sees others"
                )
    unordered = unordered_parts(workload.events_sql)
    for part in unordered:
        print(f"  {part}")
    if unordered:
        print("    so the same files may give other events, unless the rows that it may take are alike")
    for name, attributes in workload.schema.types.items():
        print(f"  event {name}: {', '.join(attributes) or 'no attributes'}")
    rules = workload.expectations
    print(f"  {len(rules.rows)} row rules, {len(rules.gate)} gate rules")
    if alerts := workload.alerts.alerts:
        print(f"  {counted(len(alerts), 'alert')}, to {', '.join(workload.alerts.places)}")
    warnings = _tell_start(workload) + sum(_tell(workload, query) for query in compiled.values())
    for name, grid in grids.items():
        print(f"  grid {name}: {grid.title}, {counted(len(grid.cells), 'cell')}")
    if cases:
        queries = counted(len({case.query.name for case in cases}), "query", "queries")
        print(f"  {counted(len(cases), 'case')} of {queries}: `trendmill test {workload.name}` judges them")
    print("no problem found" + (f"; {counted(warnings, 'warning')} above" if warnings else ""))
    return OK if not options.test else tell(*_judged(folder))


def _judged(folder: Folder) -> tuple[Suite, float]:
    """The cases, judged, and in how many seconds."""
    begin = time.perf_counter()
    return judge_all(folder.workload, folder.compiled), time.perf_counter() - begin


def _look_deep(workload: Workload) -> None:
    """The checks that only Spark and the gate's library can do. Raises WorkloadError."""
    from jobs.analysis.on_spark import problems_of_gate, problems_on_spark
    from jobs.lake.session import start_session

    spark = start_session(f"trendmill check {workload.name}")
    try:
        problems = [*problems_on_spark(spark, workload), *problems_of_gate(workload)]
    finally:
        spark.stop()
    if problems:
        raise WorkloadError(workload.name, problems)


def _tell_start(workload: Workload) -> int:
    """Warn of a log that begins before most logs: numbers in another unit are days of 1970. Returns how many."""
    if workload.start >= _OLDEST:
        return 0
    unit = workload.time.unit
    print(f"  warning: workload.yaml: start: the log begins on {workload.start}; do its times count {unit} since 1970?")
    return 1


def _tell(workload: Workload, query: WorkloadQuery) -> int:
    """Print a summary of a query, its warnings last. Returns the number of warnings."""
    evaluator = query.evaluator
    variables = sorted({variable for atom in evaluator.atoms for _, variable in atom.variables})
    print(f"  query {query.name}: {query.question}")
    back = _looks_back(workload, evaluator.reach)
    print(f"    looks back {back}; slices by {', '.join(variables) or 'time'}")
    for line in evaluator.describe():
        print(f"    {line}")
    if shed := shedding_of(workload, query.name, query.bound):
        print(f"    shedding: {shed.lines[0]}")
    warnings = warnings_of(workload, query.path)
    for warning in warnings:
        print(f"    warning: {warning}")
    return len(warnings)


def _looks_back(workload: Workload, reach: Reach) -> str:
    if reach.time is None:
        return f"to {workload.start}: each day reads all days before it, and late data makes all later days stale"
    points = f" and {counted(reach.points, 'time-point')}" if reach.points else ""
    return spoken(reach.time, workload.time.unit) + points


def _clock(workload: Workload) -> str:
    minutes = int(workload.operating_days.begin.total_seconds()) // 60
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
