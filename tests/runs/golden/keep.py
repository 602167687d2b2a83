"""Keeps a lake of this version for later ones: `scripts/run.sh python -m tests.runs.golden.keep NAME`.

Three days of the small workload, with a query whose listing is cut, a propositional policy, refused rows, plans and
measurements; of the second day some rows are still missing. A file `NAME.tar.gz` beside this one holds the lake and the
workload's folder, with the files of a fourth day. Tests open every such file, so what was kept once is not made again.
"""

from __future__ import annotations

import os
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.runs.lake.small_workload import day, write_day, write_workload

HERE = Path(__file__).parent
STEADY = """-- for each: machine
-- After which start did a machine not stop within two hours?
Start IMPLIES EVENTUALLY[0,2h] Stop
"""
JOINED = ("climbs_compact", "steady", "steady_episodes", "steady_judged", "steady_truths", "steady_why")
"""Its results beside those of the small workload."""


def write_golden_workload(folder: Path) -> Path:
    """The workload's folder below `folder`, with files of four days."""
    home = write_workload(folder)
    text = (home / "workload.yaml").read_text()
    (home / "workload.yaml").write_text(text.replace("climbs: {shedding:", "climbs: {max_matches: 5, shedding:"))
    (home / "policies" / "steady.mtl").write_text(STEADY)
    write_day(home, 1, early=True)
    return home


def keep(name: str) -> Path:
    """Runs the first three days and packs what is there."""
    from jobs import cli

    with tempfile.TemporaryDirectory() as kept:
        home = write_golden_workload(Path(kept) / "workloads")
        os.environ |= {"TRENDMILL_LAKE": f"{kept}/lake", "TRENDMILL_REPORTS": f"{kept}/reports"}
        if code := cli.main(["run", str(home), "--from", str(day(0)), "--to", str(day(2))]):
            sys.exit(code)
        packed = HERE / f"{name}.tar.gz"
        with tarfile.open(packed, "w:gz") as tar:
            tar.add(Path(kept) / "lake", "lake", filter=_of_nobody)
            tar.add(home, "workloads/machines", filter=_of_nobody)
    return packed


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Without the names of this machine, and without the checksums that Spark keeps beside files."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if member.name.endswith(".crc") else member


if __name__ == "__main__":
    [given] = sys.argv[1:]
    packed = keep(given)
    print(f"{packed}: {packed.stat().st_size:,} bytes")
