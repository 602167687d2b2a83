"""`trendmill doctor`: each thing that a run needs is looked at, and what is wrong is told with how to mend it."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from jobs import cli, places
from jobs.doctor import machine as machine_of
from jobs.doctor.executors import Seen, ask, compared, looked
from jobs.doctor.findings import OK, SLOW, WRONG, Finding
from jobs.doctor.lake import lake_findings, scratch_of
from jobs.doctor.machine import machine, versions
from jobs.lake.cluster import CONNECTION, submit_arguments
from jobs.program import code_digest
from tests.runs.commands.test_messages import JavaError, trace


def states(scratch: Path, *seen: Seen, asked: str = "asked", driver: tuple[float, float] = (9.0, 20.0)) -> list[str]:
    """What is not as it should be, and how."""
    findings = list(compared(seen, asked, scratch, driver))
    assert all(finding.mend for finding in findings if finding.state != OK)
    return [f"{finding.state} {finding.what}: {finding.seen}" for finding in findings if finding.state != OK]


@pytest.fixture
def executor(tmp_path: Path) -> Seen:
    """An executor that is as the driver is, and wrote its answer."""
    ask(tmp_path, "asked")
    return replace(Seen(**looked(str(tmp_path))), begun=10.0, ended=11.0, kernel=0.5)


def test_an_executor_like_the_driver_is_well(executor: Seen, tmp_path: Path) -> None:
    assert (executor.python, executor.code) == (platform.python_version(), code_digest())
    assert states(tmp_path, executor) == []


def test_what_an_executor_lacks_is_told(executor: Seen, tmp_path: Path) -> None:
    name = executor.executor
    older = {**versions(), "pyarrow": "1.0", "numba": ""}
    [problem] = states(tmp_path, replace(executor, versions=older, code="0" * 64))
    assert f"wrong project of {name}: numba is missing (the driver has {versions()['numba']})" in problem
    assert "pyarrow 1.0 (the driver has" in problem
    assert "the project's code 00000000" in problem
    [problem] = states(tmp_path, executor, asked="something else")
    assert problem == f"wrong lake of {name}: it does not see what was written in {tmp_path.parent}"
    [problem] = states(tmp_path, replace(executor, begun=5.0))
    assert problem == f"wrong clock of {name}: 4.0 s off"
    [problem] = states(tmp_path, replace(executor, ended=23.5))
    assert problem == f"wrong clock of {name}: 3.5 s off"
    assert states(tmp_path, replace(executor, kernel=60.0)) == [
        f"slow kernels of {name}: the first call of a query takes 60.0 s"
    ]
    assert states(tmp_path, replace(executor, compiled_for="x86-64-v4", lacks=("avx512f",), kernel=0.0)) == [
        f"wrong kernels of {name}: its processor lacks avx512f, compiled ahead for x86-64-v4"
    ]


def test_an_executor_whose_files_are_not_seen_here(executor: Seen, tmp_path: Path) -> None:
    elsewhere = replace(executor, executor="process 1 on another machine")
    assert states(tmp_path, elsewhere) == ["wrong lake of process 1 on another machine: what it wrote is not seen here"]


def test_this_machine_is_well() -> None:
    assert {finding.what: finding.state for finding in machine() if finding.state == WRONG} == {}


def test_packages_and_jars_of_another_version_are_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine_of, "versions", lambda: {**versions(), "numba": "0.1"})
    monkeypatch.setenv("LAKE_JARS", str(tmp_path))
    (tmp_path / "delta-storage-4.4.0.jar").write_bytes(b"")
    seen = {finding.what: finding.seen for finding in machine() if finding.state == WRONG}
    assert seen.keys() == {"packages", "jars"}
    assert seen["packages"].startswith("numba 0.1 (")
    assert seen["jars"] == "delta-spark_4.2_2.13-4.4.0.jar is missing, delta-storage-4.4.0.jar is another file"


def wrong_findings() -> dict[str, Finding]:
    """What of this machine is not as it should be, each with how to mend it."""
    findings = {finding.what: finding for finding in machine() if finding.state != OK}
    assert all(finding.mend for finding in findings.values())
    return findings


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 'openjdk version \"1.8.0_402\"' >&2", "1.8.0_402: "),
        ("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2", "; Spark needs 17 or newer"),
        ("echo 'openjdk version \"26\" 2026-03-17' >&2", "; the newest that Spark runs on is 25"),
        ("echo 'no memory' >&2; exit 1", "ended with exit code 1"),
    ],
)
def test_a_java_that_is_too_old_or_too_new_or_does_not_start(
    script: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    java = wrong_findings()["Java"]
    assert (java.state, reason in java.seen) == (WRONG, True), java.seen


def test_a_machine_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("jobs.analysis.spark_parser.places.cache", lambda: tmp_path)
    assert wrong_findings()["Java"].seen.startswith("there is no Java: run `make` once")


def test_little_memory_a_full_disk_and_kernels_that_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRENDMILL_MEMORY", "2GB")
    monkeypatch.setattr(machine_of, "kernel_seconds", lambda: 61.2)
    full = shutil.disk_usage("/")._replace(free=1_900_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    findings = wrong_findings()
    assert {what: finding.state for what, finding in findings.items()} == {
        "memory": SLOW,
        "kernels": SLOW,
        "disk of the lake": WRONG,
        "disk of the cache": WRONG,
    }
    assert findings["kernels"].seen == "the first call of a query takes 61.2 s"
    assert findings["disk of the lake"].seen.startswith("1.9 GB free")


def test_a_lake_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    with scratch_of(tmp_path / "lake") as folder:
        assert [finding.state for finding in lake_findings(folder)] == [OK, OK, OK]
    assert list((tmp_path / "lake").iterdir()) == []


def test_a_file_system_without_links_or_locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("jobs.lake.leasing.lease.stored", lambda _: LeaseLike())
    with scratch_of(tmp_path) as folder:
        links, lease, tables = lake_findings(folder)
    assert (links.state, links.seen) == (SLOW, "none here (Operation not supported)")
    assert (lease.state, lease.seen) == (WRONG, "two runs got it")
    assert tables.state == OK


class LeaseLike:
    """What a file system tells that does not show what was just written."""

    token, lease, writers, version = 0, None, dict[str, int](), -1


def test_the_command_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("TRENDMILL_LAKE", str(file / "lake"))
    assert cli.main(["doctor", "--no-spark"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        f"wrong  lake: {places.lake()}: Not a directory",
        "       let TRENDMILL_LAKE name a folder that this user may write",
        f"{len([line for line in lines if line[:1].strip()]) - 1} things looked at: 1 wrong",
    ]
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    assert cli.main(["doctor", "--no-spark"]) == 0


def test_spark_or_executors_that_fail_are_told_as_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Not a traceback: what failed, why, how to mend it; and what else was looked at."""

    def without_master(*_: object) -> None:
        raise JavaError(
            trace([("java.lang.IllegalStateException", ["Cannot call methods on a stopped SparkContext."])])
        )

    def without_python(*_: object) -> Iterator[Finding]:
        yield Finding("executors", OK, "2")
        no_program = 'Cannot run program "/opt/.venv/bin/python": error=2, No such file or directory'
        raise JavaError(trace([("java.io.IOException", [no_program])]))

    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    monkeypatch.setattr("jobs.lake.session.start_session", without_master)
    assert cli.main(["doctor"]) == 1
    printed = capsys.readouterr().out
    assert "wrong  Spark: IllegalStateException: Cannot call methods on a stopped SparkContext" in printed
    assert "no Spark master answers" in printed
    monkeypatch.setattr("jobs.lake.session.start_session", lambda *_: SimpleNamespace(stop=lambda: None))
    monkeypatch.setattr("jobs.doctor.executors.executor_findings", without_python)
    assert cli.main(["doctor"]) == 1
    printed = capsys.readouterr().out
    assert "ok     executors: 2" in printed
    assert "executors need the driver's Python, packages and code" in printed
    assert "docs/cluster.md" in printed.splitlines()[-2]
    assert list((tmp_path / "lake").iterdir()) == []


@pytest.mark.spark
def test_executors_of_a_local_session(tmp_path: Path, spark: object) -> None:
    from pyspark.sql import SparkSession

    from jobs.doctor.executors import executor_findings

    assert isinstance(spark, SparkSession)
    with scratch_of(tmp_path) as folder:
        findings = list(executor_findings(spark, folder))
    assert findings[0].what == "executors"
    assert [finding.state for finding in findings if finding.state == WRONG] == []
    assert len(findings) == 1 + 4 * int(findings[0].seen.partition(":")[0])


def test_a_cluster_without_a_master_is_told() -> None:
    with pytest.raises(ValueError, match=f"{CONNECTION} names no master"):
        submit_arguments({"TRENDMILL_PROFILE": "cluster"})
