"""The version of every table of a workload's lake, from the file names of its Delta log. No file is opened.

Assumes that the lake is a folder. Cost: one listing a table.
"""

from __future__ import annotations

from pathlib import Path

from jobs.lake.register import table_folders


def versions_of(workload: str, lake: Path) -> dict[str, int]:
    """The present version of each table, by its name in Spark SQL; a table whose first commit failed has none."""
    commits = {
        name: [int(file.stem) for file in (folder / "_delta_log").glob("*.json") if file.stem.isdigit()]
        for name, folder in table_folders(workload, lake).items()
    }
    return {name: max(versions) for name, versions in commits.items() if versions}
