"""`trendmill new` writes a folder that `trendmill check` accepts as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from jobs.workload.declaration import load_workload

TICKS = "time,kind,price,volume\n2024-01-02T10:00:00Z,BUY,1.5,10\n2024-01-02T10:00:01Z,SELL,1.6,20\n"


def test_a_first_workload_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time, event types and attributes are guessed from the file; a second call touches nothing."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "ticks.csv").write_text(TICKS)
    assert main(["new", "ticks", "--from", str(tmp_path / "ticks.csv")]) == 0
    assert main(["check", "ticks"]) == 0
    workload = load_workload("ticks")
    assert list(workload.schema.types) == ["BUY", "SELL"]
    assert {name: kind.value for name, kind in workload.attributes.items()} == {"price": "float", "volume": "int"}
    assert main(["new", "ticks", "--from", str(tmp_path / "ticks.csv")]) == 2
