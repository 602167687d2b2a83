"""`trendmill sql`: ask the lake in SQL. Nothing can be written.

Every workload's tables are `<workload>.<table>`; the events of a query's matches are `<workload>.<query>_events`.
"""

from __future__ import annotations

import argparse
import csv
import logging
import sys
from typing import TYPE_CHECKING

from jobs import places
from jobs.commands.sql_problem import sql_problem
from jobs.commands.text_table import text_table
from jobs.exits import OK, WrongWorkload
from jobs.lake.asking import ask, session_for_questions
from jobs.lake.register import register
from jobs.lake.session import start_session
from jobs.lake.tables.episodes_over_days import register_episodes_over_days
from jobs.lake.tables.match_events import register_match_events

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
        for folder in sorted(path for path in places.lake().glob("*") if path.is_dir()):
            register(session, folder.name)
            register_match_events(session, folder.name)
            register_episodes_over_days(session, folder.name)
        answer = ask(session, options.statement)
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
        problem = sql_problem(str(error), options.statement, _names(session), lambda: _functions(session))
        raise WrongWorkload(problem) from error
    finally:
        spark.stop()
    print(text_table(answer.columns, rows[: options.limit]))
    if len(rows) > options.limit:
        print(f"... more than {options.limit} rows; --limit or --csv shows more")
    return OK


def _names(session: SparkSession) -> list[str]:
    """The tables that can be asked, as a statement names them."""
    databases = [row[0] for row in session.sql("SHOW DATABASES").collect()]
    return [f"{name}.{row[1]}" for name in databases for row in session.sql(f"SHOW TABLES IN `{name}`").collect()]


def _functions(session: SparkSession) -> list[str]:
    return [row[0] for row in session.sql("SHOW FUNCTIONS").collect()]
