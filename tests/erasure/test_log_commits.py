"""Commits that tell values of files that are gone leave a table's log 30 days after a checkpoint, and no version of the
last 30 days is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from jobs.erasure.log_commits import KEPT, checkpoint, drop_old_commits

SECRET = "passenger 4711"


def tells_secret(folder: Path) -> bool:
    """Whether a commit or a checkpoint tells the secret: checkpoints are packed, so their rows are read."""
    log = folder / "_delta_log"
    texts = [commit.read_text() for commit in log.glob("*.json")]
    texts += [str(pq.read_table(packed).to_pylist()) for packed in log.glob("*.parquet")]
    return any(SECRET in text for text in texts)


def pass_time(folder: Path, days: float) -> None:
    """Let all files be so many days older."""
    for file in folder.rglob("*"):
        moment = file.stat().st_mtime - days * 86_400
        os.utime(file, (moment, moment))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table that held the secret, which a checkpoint tells too, and holds it no more."""
    for mode, text in (("append", "a"), ("append", SECRET), ("overwrite", "b")):
        if mode == "overwrite":
            DeltaTable(tmp_path).create_checkpoint()
        write_deltalake(tmp_path, pa.table({"text": [text]}), mode=mode)  # type: ignore[call-overload]
    assert tells_secret(tmp_path)
    return tmp_path


def test_a_checkpoint_of_the_erasure_lets_the_log_go_in_time(table: Path) -> None:
    """Not before: the version of 29 days ago can still be read."""
    checkpoint(table)
    version = DeltaTable(table).version()
    pass_time(table, KEPT.days - 1)
    write_deltalake(table, pa.table({"text": ["c"]}), mode="append")
    drop_old_commits(table)
    assert DeltaTable(table, version).to_pyarrow_table().to_pylist() == [{"text": "b"}]
    assert tells_secret(table)
    pass_time(table, 1.01)
    drop_old_commits(table)
    assert not tells_secret(table)
    assert sorted(row["text"] for row in DeltaTable(table).to_pyarrow_table().to_pylist()) == ["b", "c"]


def test_weekly_upkeep_of_a_quiet_table_ends(table: Path) -> None:
    """Without that checkpoint one is made once, not anew each week, which would keep what is before it for ever."""
    weeks = 0
    while tells_secret(table):
        drop_old_commits(table)
        pass_time(table, 7)
        weeks += 1
        assert weeks < 12
    assert weeks > 4
    assert DeltaTable(table).to_pyarrow_table().to_pylist() == [{"text": "b"}]
