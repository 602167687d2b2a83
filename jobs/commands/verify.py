"""`trendmill verify`: check that a workload's lake is whole (logs, files, counts), and list files of no table."""

from __future__ import annotations

import argparse

from jobs import places
from jobs.exits import FAILED, OK, WrongWorkload
from jobs.lake.register import table_folders
from jobs.runs.progress import to_person
from jobs.workload.declaration import folder_of

LISTED = 20
"""How many orphaned files are listed by name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")
    parser.add_argument("--deep", action="store_true", help="read every row of every file, not only the footers")


def run(options: argparse.Namespace) -> int:
    """Print one line for each fault. Exit code 1 if there is any. Needs no JVM and no readable workload."""
    from jobs.tasks.verification import verify

    name, lake = folder_of(options.workload).name, places.lake()
    if not table_folders(name, lake):
        raise WrongWorkload(f"no lake of '{name}' in {lake}: load days with `trendmill run {name}`")
    progress = to_person()
    progress.start("verify")
    check = verify(name, lake, progress, deep=options.deep)
    size = f"{check.size / 1e6:,.1f} MB"
    verdict = f"{len(check.faults)} fault(s)" if check.faults else "nothing wrong"
    message = f"{check.tables} tables, {check.files:,} files, {size}: {verdict}"
    progress.note(f"{check.files:,} files looked at")
    for fault in check.faults:
        print(fault)
    if check.holder:
        print(f"{check.holder} is at work: what it has half done may look wrong, verify again when it has ended")
    if check.orphans:
        sizes = sum(path.stat().st_size for path in check.orphans if path.exists())
        print(
            f"{len(check.orphans):,} files ({sizes / 1e6:,.1f} MB) that no table version names: killed writes left "
            "them, or a run is writing them now; maintenance removes them when they are 7 days old"
        )
        for path in check.orphans[:LISTED]:
            print(f"  {path.relative_to(lake)}")
        if len(check.orphans) > LISTED:
            print(f"  ... and {len(check.orphans) - LISTED:,} more")
    print(f"{name}: {message}")
    return FAILED if check.faults else OK
