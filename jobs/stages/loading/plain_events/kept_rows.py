"""The rows of a source that Spark is to judge: those that workers kept, or all that Spark's own readers give.

Of files that workers read, they may judge rows at once (`plain_rows.py`); what they keep, and what they told of the
others, is here. Assumes a folder that is shared with the workers. Cost: the source's bytes are read once, and what
Spark's readers give is computed once, so that its numbers stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.lake.computed_rows import computed
from jobs.raw.raw_frame import LEDGER
from jobs.raw.rows import raw_frame, refusal, seen, seen_by_days
from jobs.raw.source_files import SourceFiles
from jobs.runs.run import Run
from jobs.stages.loading.file_ledgers import ReadRows, ledgers_of
from jobs.stages.loading.plain_events.plain_rows import PlainRows
from jobs.workload.sections.sources import Source


class KeptRows(NamedTuple):
    """The rows of a source that Spark is to judge, how many were read, and what workers told of the others."""

    rows: DataFrame
    counted: ReadRows
    has_rows: bool = True
    judged: Sequence[bytes] = ()


def kept_rows(run: Run, source: Source, files: SourceFiles, folder: Path, judge: PlainRows | None) -> KeptRows:
    """The source's rows, and how many of which file. What Spark's readers number is computed once, so that its numbers
    stay. `judge`: takes the rows of which nothing needs to be asked; it sees those of strictly read files."""
    if files.surveys:
        from jobs.raw.spilled_rows import spill  # compiled kernels: only if there is something to read

        spilled = spill(run.spark, source, files, folder, judge=judge)
        counted = ReadRows(spilled.read, ledgers_of(spilled.ledgers), spilled.seen)
        return KeptRows(spilled.rows, counted, spilled.kept > 0, spilled.judged)
    rows = computed(raw_frame(run.spark, source, files).drop(LEDGER), folder)
    by_day = {-1: seen_by_days(rows, files.row_days)} if files.row_days else {}
    return KeptRows(seen(rows, files), ReadRows({-1: rows.count()}, seen=by_day))


def raw_rows(run: Run, rows: DataFrame, source: Source, rank: int) -> DataFrame:
    """Each row's name and file, and the rule that refuses it."""
    rule, reason = refusal(run.workload.expectations.of_source(source.name))
    slack = sf.lit(source.slack if source.time else None).cast("int")
    return rows.select(
        sf.lit(rank).alias("rank"),
        sf.col("_id").alias("id"),
        sf.lit(source.name).alias("source"),
        sf.col("_number").alias("number"),
        sf.col("_file").alias("file"),
        sf.col("_day").alias("day"),
        sf.lit(0 if source.time else source.slack).alias("keeps"),
        slack.alias("slack"),
        sf.coalesce("_rule", rule).alias("rule"),
        sf.coalesce("_reason", reason).alias("reason"),
    )
