"""`trendmill rebuild`: build a query's table again after its columns changed, and evaluate its days again."""

from __future__ import annotations

import argparse
import os
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds

from cep_core.compile import tables_beside
from jobs import places
from jobs.exits import OK, WrongWorkload
from jobs.lake.arrow_write import schema_of
from jobs.lake.conditions import equal
from jobs.lake.dataset import read_table
from jobs.lake.definition import identifier
from jobs.lake.leasing.fence import fence_of
from jobs.lake.register import register
from jobs.lake.write import replace
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.scope import evaluate_anew
from jobs.tasks.application import TASKS, Application
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from jobs.workload.files.problems import nearest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


OUTDATED = ""
"""A definition hash that no query has."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("query", help="the query whose table is rebuilt")


def run(options: argparse.Namespace) -> int:
    """Mark the results as outdated, drop the table, evaluate its days again with the present columns.

    The order matters: if the program is killed in between, the days are stale, not wrongly current, and are still
    listed.
    """
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    if options.query not in compiled:
        hint = nearest(options.query, compiled)
        raise WrongWorkload(f"workload '{workload.name}' has no query '{options.query}'; {hint}")
    before = read_ledger(places.lake(), workload.name)
    questions = questions_of(compiled, workload.limits)
    scope = evaluate_anew(options.query, questions, before, bounds_of(workload))
    Application(
        workload.name,
        options.workload,
        TASKS[1:],
        prepare=lambda spark: _discard(spark, workload.name, options.query),
        scope=lambda _: scope,
    ).run()
    return OK


def _mark_outdated(workload: str, query: str) -> None:
    folder = places.lake() / workload / "result_days"
    names = schema_of(folder).names if (folder / "_delta_log").is_dir() else []
    rows = read_table(folder, names, where=ds.field("query") == query)
    if rows is not None:
        outdated = pa.array([OUTDATED] * rows.num_rows, pa.string())
        rows = rows.set_column(names.index("definition"), "definition", outdated)
        replace(rows, identifier(workload, "result_days"), equal("query", query))


def _discard(spark: SparkSession, workload: str, query: str) -> None:
    register(spark, workload, places.lake())
    _mark_outdated(workload, query)
    for name in (query, *(query + suffix for suffix in tables_beside())):
        folder = places.lake() / workload / name
        if (folder / "_delta_log").is_dir():
            spark.sql(f"DROP TABLE IF EXISTS {identifier(workload, name)}")
            discarded = places.lake() / workload / "_work" / f"discarded-{name}-{os.getpid()}"
            with fence_of(workload).alone():
                folder.rename(discarded)
            shutil.rmtree(discarded)
