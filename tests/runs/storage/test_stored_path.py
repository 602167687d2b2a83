"""Places in a storage behave as folders of this machine do, as far as a lake needs it. A folder stands for one here."""

from __future__ import annotations

import pickle
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as fs
import pyarrow.parquet as pq
import pytest

from jobs import places, stored_path
from jobs.exits import LeaseHeld, LeaseLost
from jobs.lake.leasing import lease as lease_module
from jobs.lake.leasing import lease_versions
from jobs.lake.leasing.lease import decided, fenced, give_back, read, renew, rest, stored, take
from jobs.lake.table_files import linked, new_path, writer_of, written
from jobs.lake.versions import versions_of
from jobs.quality.judged_rows import RowsInFiles
from jobs.reports import stored_reports
from jobs.reports.stored_reports import reports_here
from jobs.stored_path import StoredPath, copy_file, opened_by_arrow, place, remove_tree


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredPath:
    """A place of a storage that keeps its files below `tmp_path`."""
    below = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(stored_path, "_storage", lambda *_: (below, "bucket"))
    opened = StoredPath.open

    def open_in_folder(self: StoredPath, mode: str = "r", *more: Any, **named: Any) -> Any:
        if "w" in mode:  # a storage needs no folder
            below.create_dir(self.parent.key)
        return opened(self, mode, *more, **named)

    monkeypatch.setattr(StoredPath, "open", open_in_folder)
    (tmp_path / "bucket").mkdir()
    stored = place("s3://bucket/lake")
    assert isinstance(stored, StoredPath)
    return stored


@pytest.fixture
def lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredPath:
    """The place of a lease in a storage; its versions are a table below `tmp_path`."""
    monkeypatch.setattr(lease_versions, "_table_of", lambda _: tmp_path / "versions")
    return StoredPath("s3://bucket/lake/w/_work/lease.json")


def test_a_place_keeps_its_uri(storage: StoredPath) -> None:
    file = storage / "w" / "_work" / "a%20b.json"
    assert (str(file), file.key) == ("s3://bucket/lake/w/_work/a%20b.json", "bucket/lake/w/_work/a%20b.json")
    assert (str(file.parents[1]), file.with_suffix(".lock").name) == ("s3://bucket/lake/w", "a%20b.lock")
    assert file.relative_to(storage).as_posix() == "w/_work/a%20b.json"
    assert pickle.loads(pickle.dumps(file)) == file == place(str(file)) == file.resolve() == file.absolute()
    assert place("lake") == Path("lake").absolute()
    assert place("hdfs://name:9000/lake/w") / "x" == StoredPath("hdfs://name:9000/lake/w/x")


def test_files_are_written_read_found_moved_and_removed(storage: StoredPath) -> None:
    assert not storage.exists()
    assert list(storage.glob("*")) == list(storage.iterdir()) == []
    for name in ("a/_log/0.json", "a/_log/1.json", "_work/b/_log/0.json", "a/part.parquet"):
        file = storage / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    assert sorted(storage.glob("*/_log")) == [storage / "a" / "_log"]
    assert sorted(storage.glob("_work/*/_log")) == [storage / "_work" / "b" / "_log"]
    assert sorted(path.name for path in (storage / "a" / "_log").glob("*.json")) == ["0.json", "1.json"]
    assert sorted(storage.rglob("*.parquet")) == [storage / "a" / "part.parquet"]
    assert [path.name for path in storage.glob("a/none.json")] == []
    first_file = storage / "a" / "_log" / "0.json"
    assert (first_file.read_text(), first_file.is_file(), first_file.parent.is_dir(), first_file.is_dir()) == (
        "a/_log/0.json",
        True,
        True,
        False,
    )
    assert first_file.stat().st_size == len("a/_log/0.json")
    first_file.write_text("zwölf\n", encoding="utf-8")
    with first_file.open(encoding="utf-8") as lines:
        assert list(lines) == ["zwölf\n"]
    first_file.replace(first_file.with_name("2.json"))
    assert not first_file.exists()
    with pytest.raises(FileNotFoundError):
        first_file.read_bytes()
    with pytest.raises(FileNotFoundError):
        first_file.stat()
    with pytest.raises(ValueError, match="read or written whole"):
        first_file.open("a")
    first_file.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        first_file.unlink()
    remove_tree(storage / "a")
    remove_tree(storage / "a")
    assert sorted(path.name for path in storage.iterdir()) == ["_work"]


def test_table_files_are_written_and_copied(storage: StoredPath) -> None:
    rows = pa.table({"n": [1, 2, 3], "text": ["a", "b", None]})
    for folder in (storage / "one" / "day=2024-01-01", storage / "two" / "day=2024-01-01"):
        folder.filesystem.create_dir(folder.key)
    path = new_path(storage / "one", {"day": "2024-01-01"}, "part")
    with writer_of(storage / "one" / path, rows.schema) as file:
        file.write_table(rows)
    made = written(storage / "one", path, {"day": "2024-01-01"}, ["n"])
    copy = linked(made, storage / "one", storage / "two", ["n"])
    assert (copy.size, copy.stats) == (made.size, made.stats)
    assert pq.ParquetFile(opened_by_arrow(storage / "two" / copy.path)).read().equals(rows)


def test_rows_are_judged_where_they_lie(storage: StoredPath) -> None:
    on, rows = date(2026, 1, 5), pa.table({"x": [1, 2, 3]})
    storage.filesystem.create_dir(storage.key)
    with writer_of(storage / "part.parquet", rows.schema) as writer:
        writer.write_table(rows)
    judged = RowsInFiles({on: [storage / "part.parquet"]}, rows.schema)
    assert (judged.count(on), [*judged.pieces(on)]) == (3, [rows])


def test_copies_between_a_storage_and_this_machine(storage: StoredPath, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("x")
    copy_file(tmp_path / "here", storage / "there")
    copy_file(storage / "there", tmp_path / "back")
    assert (tmp_path / "back").read_text() == "x"


def test_versions_are_those_of_the_logs(storage: StoredPath) -> None:
    for version in (0, 1, 2):
        file = storage / "w" / "events" / "_delta_log" / f"{version:020}.json"
        file.write_text("{}")
    assert versions_of("w", storage) == {"events": 2}


def test_what_programs_hand_to_each_other_is_beside_a_storage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRENDMILL_SCRATCH", str(tmp_path))
    assert places.scratch(place("s3://bucket/lake/w/_work/loading")) == tmp_path / "bucket/lake/w/_work/loading"
    assert places.scratch(tmp_path / "lake") == tmp_path / "lake"


def test_reports_are_written_here_and_stored(
    storage: StoredPath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each machine has what others published when it begins, and leaves in the storage what it changed."""
    monkeypatch.setenv("TRENDMILL_REPORTS", str(storage))

    def content() -> dict[str, str]:
        return {file.relative_to(storage).as_posix(): file.read_text() for file, _ in storage.files()}

    monkeypatch.setenv("TRENDMILL_CACHE", str(tmp_path / "one"))
    with reports_here() as here:
        for name in ("w/day/index.html", "w/day/loads.svg", "w/index.html"):
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(name)
    assert content() == {name: name for name in ("w/day/index.html", "w/day/loads.svg", "w/index.html")}
    monkeypatch.setenv("TRENDMILL_CACHE", str(tmp_path / "other"))
    with reports_here() as here:
        assert (here / "w/day/loads.svg").read_text() == "w/day/loads.svg"
        (here / "w/day/loads.svg").unlink()
        (here / "w/index.html").write_text("newer")
    assert content() == {"w/day/index.html": "w/day/index.html", "w/index.html": "newer"}
    copied = []
    copy = stored_reports.copy_file
    monkeypatch.setattr(stored_reports, "copy_file", lambda *paths: (copied.append(paths[0]), copy(*paths)))
    monkeypatch.setenv("TRENDMILL_CACHE", str(tmp_path / "one"))
    with reports_here() as here:
        assert {name: (here / name).read_text() for name in content()} == content()
        assert not (here / "w/day/loads.svg").exists()
    assert copied == [storage / "w/index.html"]


def test_one_run_has_the_lease_of_a_storage(lease: StoredPath) -> None:
    assert (read(lease), stored(lease).token) == (None, 0)
    first = take(lease, "first", "a test")
    assert first.contested
    with pytest.raises(LeaseHeld, match="a test"):
        take(lease, "second", "another test")
    again = take(lease, "first", "a test")
    assert again.token == first.token
    fenced(lease, again)
    assert stored(lease).writers.keys() == {first.writer, again.writer}
    rest(lease, first)
    rest(lease, again)
    give_back(lease, "first")
    second = take(lease, "second", "another test")
    assert second.token > first.token
    assert not second.contested
    with pytest.raises(LeaseLost, match="another test"):
        renew(lease, first)
    assert renew(lease, second, term=timedelta(hours=1)).expires > second.expires


def test_a_lease_that_another_took_meanwhile_is_decided_anew(
    lease: StoredPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its look and its write another run comes: of two, one has the lease, and the other learns of it."""
    take(lease, "former", "a test")
    give_back(lease, "former")
    looked, read_version = [], lease_versions.read_version

    def overtaken(path: StoredPath) -> tuple[str | None, int]:
        seen = read_version(path)
        if not looked:
            looked.append(seen)
            take(lease, "quicker", "a quicker run")
        return seen

    monkeypatch.setattr(lease_module, "read_version", overtaken)
    with pytest.raises(LeaseHeld, match="a quicker run"):
        take(lease, "slower", "a test")
    held = read(lease)
    assert held is not None
    assert held.run_id == "quicker"


def test_the_first_version_is_made_once(lease: StoredPath) -> None:
    lease_versions.write_version(lease, "one", -1)
    with pytest.raises(lease_versions.Overtaken):
        lease_versions.write_version(lease, "two", -1)
    assert lease_versions.read_version(lease) == ("one", 1)


def test_whoever_is_always_overtaken_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "PATIENCE", 0.05)

    @decided
    def never() -> None:
        raise lease_versions.Overtaken

    with pytest.raises(LeaseHeld, match="all the time"):
        never()
