"""`trendmill doctor`: look at what runs need of this machine, the lake and every executor; say what is wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from jobs import places
from jobs.causes import cause
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
            yield from _of_spark(folder, opened)


def _of_spark(folder: Path, opened: ExitStack) -> Iterator[Finding]:
    """What was seen of Spark, its commits and its executors. `folder`: a scratch folder of the lake."""
    from jobs.doctor.executors import executor_findings
    from jobs.doctor.spark_commits import commit_findings
    from jobs.lake.cluster import profile
    from jobs.lake.session import start_session

    try:
        spark = start_session("doctor", profile())
    except Exception as error:  # noqa: BLE001  # whatever keeps Spark from starting is what was looked for
        yield Finding(
            "Spark", WRONG, cause(error), "no run can work before it starts: docs/cluster.md says what it needs"
        )
        return
    opened.callback(spark.stop)
    for what, look, mend in (
        ("lake, Spark's commits", commit_findings, "Spark does not reach the lake's storage: `make s3` for one in S3"),
        ("executors", executor_findings, "one image, the driver's folders, or `make worker-env`: docs/cluster.md"),
    ):
        try:
            yield from look(spark, folder)
        except Exception as error:  # noqa: BLE001  # tasks fail in as many ways as executors may be wrong
            yield Finding(what, WRONG, cause(error), mend)
