"""The tables that `evaluate` writes: results, `slice_runs`, and `result_days` with the inputs of each result.

Each write replaces exactly the days and queries that were evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow as pa

from cep_core.language.budget import WorkExhausted
from cep_core.language.day_results import DayResult
from cep_core.matching.result.identity import MATCH_ID, match_ids
from cep_core.numbers.count_columns import all_digits, from_digits
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import equal, one_of
from jobs.lake.table_files import TableFile, TableFiles
from jobs.lake.write import Replacement
from jobs.runs.run import DayOutcome, Run
from jobs.runs.scope import Evaluation
from jobs.stages.evaluating.reading import Moments
from jobs.stages.evaluating.slices.slice_partial import SlicePartial
from jobs.stages.own_rows import own_rows


@dataclass(frozen=True)
class Result:
    """A query's result of the evaluated days: rows as their table has them, and the totals of each day."""

    query: str
    into: str
    """The name of its table."""
    evaluations: tuple[Evaluation, ...]
    content: pa.Table | Sequence[TableFile]
    """The rows, or the files of the table that have them."""
    rows: Mapping[date, int]
    """The number of rows of each day that has rows."""
    totals: dict[date, dict[str, Any]]
    exhausted: Mapping[date, WorkExhausted] = field(default_factory=dict)
    """The days without a result, because their budget of work was too small."""
    counted_in: str = ""
    """As in `ResultTable`."""
    first: Mapping[int, pa.Table] = field(default_factory=dict)
    """Of a result of which rows are explained: these, with `certain`, by block of days."""

    @property
    def num_rows(self) -> int:
        """The number of rows of all days."""
        return sum(self.rows.values())

    def truncated(self, day: date) -> bool:
        """Whether the listing of an evaluated day was cut."""
        return self.of(day, 0, 0).is_cut

    def of(self, day: date, begin: int, end: int) -> DayResult:
        """The rows and totals of an evaluated day, [begin, end) in log time."""
        return DayResult(begin, end, self.rows.get(day, 0), self.totals.get(day, {}))


def replacement_of(run: Run, result: Result) -> Replacement:
    """A query's rows, for its table or one beside it."""
    days = [evaluation.day for evaluation in result.evaluations]
    content = result.content if isinstance(result.content, pa.Table) else TableFiles(result.content, days)
    return Replacement(content, run.table(result.into), one_of("day", days))


def with_origin(rows: pa.Table, run: Run, query: str, into: str) -> pa.Table:
    """Rows as their table has them: with the run that made them; matches get their names here."""
    rows = rows.append_column("run_id", pa.repeat(run.run_id, rows.num_rows))
    variables = run.compiled[query].variables
    if variables and into == query:
        rows = rows.append_column(MATCH_ID, match_ids(rows, variables))
    return rows


def slice_runs_of(run: Run, partials: Sequence[SlicePartial]) -> Replacement:
    """The time and memory of each query's evaluation of each slice."""
    grouped: dict[tuple[str, str, int], list[SlicePartial]] = {}
    for partial in partials:
        grouped.setdefault((partial.query, partial.plan_id, partial.slice), []).append(partial)
    rows = [
        {
            "day": run.last,
            "run_id": run.run_id,
            "query": query,
            "plan_id": plan_id,
            "slice": number,
            "events": sum(sum(p.events) for p in slice_partials),
            "rows": sum(p.rows for p in slice_partials),
            "seconds": sum(p.seconds for p in slice_partials),
            "peak_memory": max(p.peak_memory for p in slice_partials),
            "together": max(p.together for p in slice_partials),
            "copies": _copies(slice_partials),
        }
        for (query, plan_id, number), slice_partials in sorted(grouped.items())
    ]
    assert run.scope is not None
    evaluated = {evaluation.query for evaluation in run.scope.evaluations}
    return _of_rows(run, "slice_runs", rows, own_rows(run, "slice_runs", "query", evaluated))


def _copies(of_slice: Sequence[SlicePartial]) -> float:
    """Copies of an event among the slices evaluated together with a slice, over all blocks of days.

    >>> blocks = [SlicePartial("q", "q", "p", 0, 0, (), (events,), 0, 1.0, 1, 2, copies) for events, copies in
    ...           [(30, 1.5), (10, 1.0)]]
    >>> round(_copies(blocks), 3)
    1.333
    """
    events = [sum(partial.events) for partial in of_slice]
    once = sum(count / partial.copies for count, partial in zip(events, of_slice, strict=True))
    return sum(events) / once if once else 1.0


def result_days(run: Run, results: Sequence[Result], beside: Sequence[Result] = ()) -> Replacement:
    """What each evaluated day holds, from which inputs and by which definition. It is written last.

    `beside`: the further tables, some of which are counted here.
    """
    rows, mine = [], []
    for result in results:
        counted = [table for table in beside if table.query == result.query and table.counted_in]
        days = one_of("day", (evaluation.day for evaluation in result.evaluations))
        mine.append(f"({equal('query', result.query)} AND {days})")
        for evaluation in result.evaluations:
            totals = result.totals.get(evaluation.day, {})
            rows.append(
                {
                    "day": evaluation.day,
                    "run_id": run.run_id,
                    "query": result.query,
                    "definition": run.compiled[result.query].definition,
                    "inputs": json.dumps({day.isoformat(): v for day, v in sorted(evaluation.inputs.items())}),
                    "rows": result.rows.get(evaluation.day, 0),
                    "matches_total": totals.get("matches_total"),
                    "matches_at_least": totals.get("matches_at_least"),
                    **{table.counted_in: _number(table, evaluation.day) for table in counted},
                    "truncated": result.truncated(evaluation.day),
                    "complete": evaluation.complete and evaluation.day not in result.exhausted,
                    "exhausted": _exhausted_text(result.exhausted.get(evaluation.day)),
                }
            )
    return _of_rows(run, "result_days", rows, " OR ".join(mine))


def _number(result: Result, day: date) -> int | None:
    total = result.totals.get(day, {}).get("matches_total")
    return None if total is None else from_digits(total)


def _exhausted_text(exhausted: WorkExhausted | None) -> str | None:
    """What `result_days` says about a day whose budget of work was too small."""
    if exhausted is None:
        return None
    candidates = None if exhausted.candidates is None else all_digits(exhausted.candidates)
    return json.dumps({"work": exhausted.limit, "candidates": candidates, "reason": exhausted.reason})


def _of_rows(run: Run, table: str, rows: list[dict[str, Any]], condition: str) -> Replacement:
    """Rows of plain values, typed as the table is."""
    schema = schema_of(run.lake / run.workload.name / table)
    return Replacement(pa.Table.from_pylist(rows, schema), run.table(table), condition)


def events_read(run: Run, blocks: Mapping[str, Sequence[Moments]], partials: Sequence[SlicePartial]) -> dict[date, int]:
    """How many events workers read for each day, over all queries and slices."""
    calendar = run.workload.operating_days
    read: dict[date, int] = {}
    for partial in partials:
        days = blocks[partial.query][partial.block][:-1]
        for moment, events in zip(days, partial.events, strict=True):
            day = calendar.day_of(moment)
            read[day] = read.get(day, 0) + events
    return read


def day_outcomes(results: Sequence[Result], read: Mapping[date, int]) -> dict[date, DayOutcome]:
    """How many events were read for each evaluated day and how many rows it has, over all queries."""
    rows_by_day: dict[date, dict[str, int]] = {}
    for result in results:
        for evaluation in result.evaluations:
            rows_by_day.setdefault(evaluation.day, {})[result.query] = result.rows.get(evaluation.day, 0)
    return {
        day: DayOutcome(
            read.get(day, 0),
            sum(counts.values()),
            message=", ".join(f"{q} {n:,}" for q, n in sorted(counts.items())),
            details=counts,
        )
        for day, counts in sorted(rows_by_day.items())
    }
