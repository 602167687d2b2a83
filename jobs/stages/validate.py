"""Stage `validate`: checks the equation of rows and the quality gate, and publishes the days that pass.

A day that fails keeps its events as they were, unless days now begin at another moment: then they may belong to the
days beside it. Its refused rows and the gate's verdict are written all the same, and the other days go on.

Cost: one read of the staged days, their sort, and the gate for each day.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace as replace_fields
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException

from jobs import places
from jobs.exits import WrongWorkload
from jobs.lake.conditions import one_of
from jobs.lake.dataset import read_table
from jobs.lake.write import Replacement, replace, replace_all
from jobs.quality.gate import Check, columns_of, judge
from jobs.quality.judged_rows import HeldRows, JudgedRows, RowsInFiles
from jobs.quality.large_days import HELD
from jobs.raw.attempts import failure_of_values, without_traces
from jobs.raw.rows import rows_of
from jobs.raw.source_files import find
from jobs.runs.run import DONE, REFUSED, DayOutcome, Run, StageOutcome
from jobs.stages.ingest import EQUATION
from jobs.stages.loading.file_ledgers import TERMS, RowsLost
from jobs.stages.loading.spark_load import run_days
from jobs.stages.loading.staged_rows import StagedRows, loaded, staged_rows
from jobs.workload.load_definition import load_definition
from jobs.workload.sections.expectations import GateRule

DAYS = "work_loaded_days"

NEVER = {"digest": None, "events": 0, "points": 0, "begins": None, "expired": None}
"""The facts of a day of which no events were ever published."""


def validate(run: Run) -> StageOutcome:
    """Judge and publish the run's staged days. The outcome's `refused` names the days that failed.
    Raises RowsLost before anything is written; WrongWorkload when a gate rule cannot be judged.
    """
    equation = _equation(run)
    staged = staged_rows(run)
    checks = _judged(run, equation, staged)
    refused = {
        day: checks_of_day for day, checks_of_day in checks.items() if any(check.refuses for check in checks_of_day)
    }
    kept = _kept(run, refused)
    replaced = [day for day in run.loads if day not in kept]
    published = [Replacement(staged.quarantine(), run.table("quarantine"), loaded(run, "undated"))]
    if replaced:
        published.append(Replacement(staged.events(replaced, refused), run.table("events"), one_of("day", replaced)))
    replace_all(published)
    rows = _loaded_days(run, staged, checks, refused, kept)
    replace(rows, run.table(DAYS), one_of("day", run.loads))
    return _outcome(run, equation, checks, rows)


def _equation(run: Run) -> dict[date, dict[str, dict[str, int]]]:
    """Day -> source -> terms of the equation of rows. Raises RowsLost if it does not hold."""
    equation: dict[date, dict[str, dict[str, int]]] = {day: {} for day in run.loads}
    for row in _stored(run, "source_rows", ("day", "source", *EQUATION)):
        terms = {name: row[name] for name in EQUATION}
        equation[row["day"]][row["source"]] = terms
        total = sum(terms[name] for name in TERMS if name != "read")
        if terms["read"] != total:
            raise RowsLost(f"{row['day']}, source '{row['source']}': {terms['read']} rows read, {total} accounted for")
    return equation


def _stored(run: Run, work_table: str, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the run's days in a small working table."""
    stored = read_table(run.lake / run.workload.name / "_work" / work_table, columns, run.loads)
    return [] if stored is None else stored.to_pylist()


def _judged(
    run: Run, equation: Mapping[date, Mapping[str, Mapping[str, int]]], staged: StagedRows
) -> dict[date, tuple[Check, ...]]:
    folder = places.scratch(run.lake / run.workload.name / "_work" / "judged")
    shutil.rmtree(folder, ignore_errors=True)  # of a run that died
    try:
        checks = _checks(run, _refusals(run, equation, staged), staged, folder)
        return _without_masked_values(run, checks)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _checks(run: Run, refusals: pa.Table, staged: StagedRows, folder: Path) -> dict[date, tuple[Check, ...]]:
    """The gate's checks. `folder`: for what its queries give, if that is more than is held."""
    rules = run.workload.expectations.gate
    if queries := [rule.over for rule in rules if rule.is_query]:
        run.spark.createDataFrame(refusals).createOrReplaceTempView("refusals")
        staged.frame().createOrReplaceTempView("events")
        run_days(run).createOrReplaceTempView("days")
        _reference_views(run, " ".join(queries))
    datasets: dict[str, JudgedRows] = {}
    for over in dict.fromkeys(rule.over for rule in rules):
        rules_over = [rule for rule in rules if rule.over == over]
        if over == "events":
            datasets[over] = staged.judged(columns_of(rules_over, _without_day(staged.columns())))
        elif over == "refusals":
            columns = columns_of(rules_over, _without_day(refusals.column_names))
            datasets[over] = HeldRows(refusals.select(["day", *columns]))
        else:
            datasets[over] = _asked(run, over, rules_over, folder / str(len(datasets)))
    return (run.judges.judge if run.judges and rules else judge)(rules, datasets, run.loads)


def _without_masked_values(run: Run, checks: Mapping[date, tuple[Check, ...]]) -> dict[date, tuple[Check, ...]]:
    """The checks, without what was observed by rules that name a masked attribute: a minimum is a value."""
    masked = run.workload.schema.masked
    gate = run.workload.expectations.gate
    named = {rule.name: set(re.findall(r"\w+", f"{rule.over} {rule.arguments}")) for rule in gate}
    return {
        day: tuple(
            check if masked.isdisjoint(named[check.rule]) else replace_fields(check, observed="") for check in of_day
        )
        for day, of_day in checks.items()
    }


def _asked(run: Run, query: str, rules: Sequence[GateRule], folder: Path) -> JudgedRows:
    """What a gate query gives, as far as its rules look at it: held, or, if it is more than a judge holds of a day, in
    files below a folder. Raises WrongWorkload with Spark's error."""
    try:
        frame = run.spark.sql(query)
        asked = frame.select("day", *columns_of(rules, _without_day(frame.columns)))
        with without_traces(run.spark):
            held = asked.limit(HELD + 1).toArrow()
    except AnalysisException as error:
        raise WrongWorkload(f"expectations.yaml: gate rule '{rules[0].name}': {error}") from error
    except Exception as error:
        if (failure := failure_of_values(error)) is None:
            raise
        raise WrongWorkload(f"expectations.yaml: gate rule '{rules[0].name}': {failure}") from error
    if held.num_rows <= HELD:
        return HeldRows(held)
    asked.write.partitionBy("day").parquet(str(folder))
    files = {day: sorted(folder.glob(f"day={day}/*.parquet")) for day in run.loads}
    return RowsInFiles(files, held.schema.remove(held.schema.get_field_index("day")))


def _without_day(columns: Sequence[str]) -> list[str]:
    return [name for name in columns if name != "day"]


def _refusals(run: Run, equation: Mapping[date, Mapping[str, Mapping[str, int]]], staged: StagedRows) -> pa.Table:
    """One row for each day and row rule: rows refused, rows of the day, and the share."""
    refused = staged.refused()
    declared = {(rule.source, rule.name) for rule in run.workload.expectations.rows}
    rows = []
    for day in run.loads:
        for source, rule in sorted(declared | {(source, rule) for row_day, source, rule in refused if row_day == day}):
            terms = equation[day].get(source, {})
            of_day = terms.get("gave_event", 0) + terms.get("refused", 0)
            count = refused.get((day, source, rule), 0)
            rows.append((day, source, rule, count, of_day, count / of_day if of_day else 0.0))
    names = ("day", "source", "rule", "refused", "read", "share")
    types = (pa.date32(), pa.string(), pa.string(), pa.int64(), pa.int64(), pa.float64())
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return pa.table({name: pa.array(c, t) for name, c, t in zip(names, columns, types, strict=True)})


def _reference_views(run: Run, queries: str) -> None:
    """Views of the sources that gate queries name."""
    for rank, source in enumerate(run.workload.sources.values()):
        if re.search(rf"\b{source.name}\b", queries):
            files = find(run.spark, source, run.loads, run.workload)
            rows_of(run.spark, source, rank, files).createOrReplaceTempView(source.name)


def _kept(run: Run, refused: Collection[date]) -> dict[date, dict[str, Any]]:
    """The facts of refused days that keep their events, which were cut from the log where days begin now."""
    if not refused:
        return {}
    held = {row["day"]: NEVER | row for row in _stored(run, "loaded_days", ("day", *NEVER))}
    begin = run.workload.operating_days.interval
    facts = {day: held.get(day, NEVER) for day in refused}
    return {day: of_day for day, of_day in facts.items() if of_day["begins"] in (None, begin(day)[0])}


def _loaded_days(
    run: Run,
    staged: StagedRows,
    checks: Mapping[date, tuple[Check, ...]],
    refused: Collection[date],
    kept: Mapping[date, Mapping[str, Any]],
) -> pa.Table:
    """The facts of days on which results depend. A refused day has the digest of the events that it keeps."""
    counted = staged.facts(run.workload.time.point_column)
    definition, begin = load_definition(run.workload), run.workload.operating_days.interval
    rows = []
    for day in run.loads:
        published = NEVER | {"digest": "0", "begins": begin(day)[0]} | counted.get(day, {})
        facts = kept.get(day, NEVER) if day in refused else published
        failed = [str(check) for check in checks[day] if check.refuses]
        rows.append(
            {
                "day": day,
                "run_id": run.run_id,
                **{name: facts[name] for name in NEVER},
                "refused": day in refused,
                "reason": failed[0] if failed else None,
                "checks": json.dumps([check.to_dict() for check in checks[day]]),
                "definition": definition,
            }
        )
    whole = dict.fromkeys(("events", "points", "begins"), pa.int64())
    types = {"day": pa.date32(), "refused": pa.bool_(), "expired": pa.bool_(), **whole}
    return pa.table({name: pa.array([r[name] for r in rows], types.get(name, pa.string())) for name in rows[0]})


def _outcome(
    run: Run, equation: Mapping[date, Any], checks: Mapping[date, tuple[Check, ...]], rows: pa.Table
) -> StageOutcome:
    days = {}
    for row in rows.to_pylist():
        day, refused = row["day"], row["refused"]
        warnings = [str(check) for check in checks[day] if not check.passed and not check.refuses]
        refusals = sum(terms["refused"] for terms in equation[day].values())
        days[day] = DayOutcome(
            rows_in=sum(terms["gave_event"] + terms["refused"] for terms in equation[day].values()),
            rows_out=0 if refused else row["events"],
            status=REFUSED if refused else DONE,
            message=row["reason"] or "; ".join([f"{refusals} rows in quarantine", *warnings]),
            details={"sources": equation[day], "warnings": len(warnings)},
        )
    failed = [day for day, outcome in days.items() if outcome.status == REFUSED]
    message = f"{sum(d.details['warnings'] for d in days.values())} warnings of the gate"
    if failed:
        message = f"gate refused {', '.join(map(str, failed))}; {message}"
    return StageOutcome(
        rows_in=sum(day.rows_in for day in days.values()),
        rows_out=sum(day.rows_out for day in days.values()),
        message=message,
        days=days,
    )
