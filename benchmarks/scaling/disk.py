"""How much disk a run needs at most, beside its lake, and how much of it Spark spilled for want of memory.

What a run keeps while it lasts is in the lake's `_work` and in temporary folders, which are named to it. Sizes are
those of a walk over these folders twice a second, so what lives less long is not seen. A file with two names counts
once. Spilled bytes are those of Spark's log of events.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SETTINGS = """spark.eventLog.enabled true
spark.eventLog.compress false
spark.eventLog.rolling.enabled false
spark.eventLog.dir file://{folder}
"""


@dataclass
class DiskUsed:
    """Bytes at most: of temporary files, of the lake's `_work` alone and of the lake; those that Spark spilled."""

    temporary: int = 0
    work: int = 0
    lake: int = 0
    spilled: int = 0

    def __str__(self) -> str:
        return (
            f"disk at most: lake {self.lake / 1e9:.1f} GB, of which work alone {self.work / 1e9:.1f}; "
            f"temporary files {self.temporary / 1e9:.1f}; Spark spilled {self.spilled / 1e9:.1f}"
        )


def environment(home: Path) -> dict[str, str]:
    """The environment variables by which a command has its temporary files and Spark's log of events in `home`."""
    folders = {name: home / name for name in ("temporary", "spark_log", "spark_settings")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    (folders["spark_settings"] / "spark-defaults.conf").write_text(SETTINGS.format(folder=folders["spark_log"]))
    temporary = str(folders["temporary"])
    return {"TMPDIR": temporary, "SPARK_LOCAL_DIRS": temporary, "SPARK_CONF_DIR": str(folders["spark_settings"])}


@contextmanager
def disk_used(home: Path, lake: Path) -> Iterator[DiskUsed]:
    """What a run with `environment(home)` used; complete at the end of the `with` statement."""
    used, done = DiskUsed(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(home / "temporary", lake, used, done))
    watcher.start()
    try:
        yield used
    finally:
        done.set()
        watcher.join()
        used.spilled = sum(map(_spilled, (home / "spark_log").iterdir()))


def _watch(temporary: Path, lake: Path, used: DiskUsed, done: threading.Event) -> None:
    while not done.wait(0.5):
        seen = set[int]()
        tables = sum(_size(str(table), seen) for table in lake.glob("*/*") if table.name != "_work")
        work = sum(_size(str(folder), seen) for folder in lake.glob("*/_work"))
        used.temporary = max(used.temporary, _size(str(temporary), set()))
        used.work, used.lake = max(used.work, work), max(used.lake, tables + work)


def _size(folder: str, seen: set[int]) -> int:
    """Bytes of the files below a folder, some of which may go meanwhile; those `seen` before count nothing."""
    size = 0
    with suppress(FileNotFoundError, NotADirectoryError):
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                size += _size(entry.path, seen)
            elif entry.inode() not in seen:
                seen.add(entry.inode())
                size += entry.stat().st_size
    return size


def _spilled(log: Path) -> int:
    """Bytes that the tasks of a log of events wrote to disk for want of memory."""
    ends = (line for line in log.read_text().splitlines() if '"SparkListenerTaskEnd"' in line)
    return sum(json.loads(line).get("Task Metrics", {}).get("Disk Bytes Spilled", 0) for line in ends)
