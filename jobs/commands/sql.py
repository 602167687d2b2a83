"""`trendmill sql`: ask the lake in SQL. Nothing can be written.

Every workload's tables are `<workload>.<table>`; the events of a query's matches are `<workload>.<query>_events`.
"""

from __future__ import annotations

import argparse
import csv
import logging
import sys
from typing import TYPE_CHECKING

from jobs.commands.sql_problem import sql_problem
from jobs.commands.text_table import text_table
from jobs.exits import OK, WrongWorkload
from jobs.lake.asking.names import names, with_names
from jobs.lake.asking.question import ask, session_for_questions
from jobs.lake.session import start_session

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Spark's own, which write each error on standard error as JSON, beside the one that is raised."""

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("statement", help='Spark SQL, e.g. "SELECT * FROM nyc_flights.knock_on"')
    parser.add_argument("--limit", type=int, default=50, help="rows to print (default 50)")
    parser.add_argument("--csv", action="store_true", help="print every row as CSV")


def run(options: argparse.Namespace) -> int:
    """Print the answer. Raises WrongWorkload for a statement that is not a question, or that Spark refuses."""
    spark = start_session("trendmill sql")
    from pyspark import errors
    from pyspark.logger import PySparkLogger

    for name in _LOGGERS:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    try:
        session = session_for_questions(spark)
        answer = with_names(session, options.statement, ask)
        if options.csv:
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(answer.columns)
            writer.writerows(answer.toLocalIterator())
            return OK
        rows = [list(row) for row in answer.limit(options.limit + 1).collect()]
    except (
        errors.AnalysisException,
        errors.ParseException,
        errors.ArithmeticException,
        errors.ArrayIndexOutOfBoundsException,
        errors.DateTimeException,
        errors.NumberFormatException,
    ) as error:
        problem = sql_problem(str(error), options.statement, names(), lambda: _functions(session))
        raise WrongWorkload(problem) from error
    finally:
        spark.stop()
    print(text_table(answer.columns, rows[: options.limit]))
    if len(rows) > options.limit:
        print(f"... more than {options.limit} rows; --limit or --csv shows more")
    return OK


def _functions(session: SparkSession) -> list[str]:
    return [row[0] for row in session.sql("SHOW FUNCTIONS").collect()]
