"""Airflow in a home folder of its own, made before the first import of Airflow from the migrated template, if any."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / ".cache" / "airflow.db"

SETTINGS = {
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
    "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING",
    "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
    "AIRFLOW_CONN_SPARK_DEFAULT": '{"conn_type":"spark","host":"local[2]"}',
}

BROKEN = "title: [never closed"

SMALL = """
title: A small log
owner: flight-ops
schedule: "0 8 * * *"
start: 2013-01-01
"""


@pytest.fixture(scope="session")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a migrated database; the environment is restored afterwards, so that other tests see none of it."""
    home = tmp_path_factory.mktemp("airflow")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**SETTINGS, "AIRFLOW_HOME": str(home)}.items():
            patch.setenv(name, value)
        if TEMPLATE.exists():
            shutil.copy(TEMPLATE, home / "airflow.db")
        else:
            migrate = [sys.executable, "-m", "airflow", "db", "migrate"]
            subprocess.run(migrate, check=True, capture_output=True, env=dict(os.environ))
        yield home


@pytest.fixture(scope="session")
def workloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Workload folders: the project's own, a small one, and one that nobody can schedule."""
    folder = tmp_path_factory.mktemp("workloads")
    for own in ROOT.glob("workloads/*/workload.yaml"):
        (folder / own.parent.name).symlink_to(own.parent, target_is_directory=True)
    for name, text in {"small": SMALL, "broken": BROKEN}.items():
        (folder / name / "queries").mkdir(parents=True)
        (folder / name / "workload.yaml").write_text(text)
    (folder / "small" / "queries" / "late.cep").write_text("PATTERN A+ WITHIN 1 hour\n")
    (folder / "small" / "experiments").mkdir()
    (folder / "small" / "experiments" / "rates.yaml").write_text("title: rates\n")
    return folder


@pytest.fixture(scope="session")
def _parsed(airflow_home: Path, workloads: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRENDMILL_WORKLOADS", str(workloads))
        from airflow.dag_processing.dagbag import BundleDagBag

        return BundleDagBag(dag_folder=ROOT / "dags", bundle_path=ROOT / "dags", bundle_name="dags-folder")


@pytest.fixture
def bag(_parsed: Any, workloads: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """All DAGs, as Airflow's DAG processor would parse them; a test that runs one parses them again."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(workloads))
    return _parsed
