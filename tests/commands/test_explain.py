"""`trendmill explain`: each query of a workload, one of them, or a file; as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.cli import main
from tests.runs.lake.small_workload import QUESTIONS, write_workload


def test_explains_what_was_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = write_workload(tmp_path)
    assert main(["explain", str(home), "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert set(explained) == set(QUESTIONS)
    assert main(["explain", str(home), "silence"]) == 0
    assert "a result is certain 3 hours after its point" in capsys.readouterr().out
    assert main(["explain", str(home), "climbs"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("climbs\n")
    assert "chains" not in told
    query = tmp_path / "heavy.cep"
    query.write_text("PATTERN Start a WHERE a.load >= 85 WITHIN 1 hour\n")
    assert main(["explain", str(home), str(query)]) == 0
    assert capsys.readouterr().out.startswith("heavy\n")


def test_an_unknown_query_is_named_with_the_nearest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(write_workload(tmp_path)), "climb"]) == 2
    assert "did you mean 'climbs'?" in capsys.readouterr().err
