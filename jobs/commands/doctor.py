"""`trendmill doctor`: look at what runs need of this machine, the lake and every executor; say what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack

from jobs import places
from jobs.doctor.findings import WRONG, Finding, summary
from jobs.exits import FAILED, OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-spark", action="store_true", help="leave out executors, for which Spark must start")


def run(options: argparse.Namespace) -> int:
    """Print what was looked at, and how to mend it. Exit code 1 if something is wrong.

    On a cluster (TRENDMILL_PROFILE=cluster) the executors are the cluster's.
    """
    findings = []
    for finding in _findings(with_spark=not options.no_spark):
        findings.append(finding)
        print(*finding.lines(), sep="\n", flush=True)
    print(summary(findings))
    return FAILED if any(finding.state == WRONG for finding in findings) else OK


def _findings(*, with_spark: bool) -> Iterator[Finding]:
    from jobs.doctor.lake import lake_findings, scratch_of, unwritable
    from jobs.doctor.machine import machine

    yield from machine()
    with ExitStack() as opened:
        try:
            folder = opened.enter_context(scratch_of(places.lake()))
            of_lake = list(lake_findings(folder))
        except OSError as error:
            yield unwritable(places.lake(), error)
            return
        yield from of_lake
        if with_spark:
            from jobs.doctor.executors import executor_findings
            from jobs.doctor.spark_commits import commit_findings
            from jobs.lake.cluster import profile
            from jobs.lake.session import start_session

            spark = start_session("doctor", profile())
            opened.callback(spark.stop)
            yield from commit_findings(spark, folder)
            yield from executor_findings(spark, folder)
