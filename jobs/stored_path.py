"""Folders and files of a storage that is no folder of this machine, such as `s3://bucket/lake`, used as `Path` is.

Whoever works on a lake gets its place from `jobs/places.py` and need not know which kind it is. What differs:

- A folder is there while something lies below it. Making one does nothing.
- A file appears whole, when it is closed. A rename copies: it is no commit.
- There are no links and no locks. What must happen once, happens as a version of a Delta table.
- Functions of Python's own library that take a path (`shutil`, `os`) find nothing there; `remove_tree` and `copy_file`
  are for both kinds.

Addresses and keys come from the environment, by the names that the clients of each storage read (docs/cluster.md).
"""

from __future__ import annotations

import io
import os
import shutil
import stat as modes
from collections.abc import Generator, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PosixPath
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow.fs as fs

SCHEMES = ("s3", "gs", "abfs", "abfss", "hdfs")
"""Kinds of storage that both pyarrow and delta-rs reach."""


class StoredPath(PosixPath):
    """A place by its URI. Pure paths keep the class of what they are made from (Python 3.11 to 3.13)."""

    @property
    def filesystem(self) -> fs.FileSystem:
        """The storage, as Arrow reaches it."""
        return _storage(*self.parts[:2])[0]

    @property
    def key(self) -> str:
        """The name below the storage."""
        return "/".join([_storage(*self.parts[:2])[1], *self.parts[2:]])

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)

    def __fspath__(self) -> str:
        return str(self)

    def absolute(self) -> StoredPath:
        return self

    def resolve(self, strict: bool = False) -> StoredPath:
        return self

    def exists(self) -> bool:
        return self._info().type != _types().NotFound

    def is_dir(self) -> bool:
        return self._info().type == _types().Directory

    def is_file(self) -> bool:
        return self._info().type == _types().File

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Kind, size and time of change."""
        info = self._info()
        if info.type == _types().NotFound:
            raise FileNotFoundError(2, "No such file or folder", str(self))
        kind = modes.S_IFREG if info.type == _types().File else modes.S_IFDIR
        changed = int(info.mtime.timestamp()) if info.mtime else 0
        return os.stat_result((kind, 0, 0, 1, 0, 0, info.size or 0, changed, changed, changed))

    def iterdir(self) -> Generator[StoredPath, None, None]:
        yield from self._below(recursive=False)

    def glob(self, pattern: str) -> Generator[StoredPath, None, None]:
        """Places below this one; each part of the pattern may have `*`."""
        first, _, rest = pattern.rstrip("/").partition("/")
        matching = self._below(recursive=False) if _has_wildcard(first) else iter([self / first])
        for each in matching:
            if fnmatchcase(each.name, first):
                if rest:
                    yield from each.glob(rest)
                elif _has_wildcard(first) or each.exists():
                    yield each

    def rglob(self, pattern: str) -> Generator[StoredPath, None, None]:
        return (each for each in self._below(recursive=True) if fnmatchcase(each.name, pattern))

    def _below(self, *, recursive: bool) -> Generator[StoredPath, None, None]:
        import pyarrow.fs as fs

        selector = fs.FileSelector(self.key, allow_not_found=True, recursive=recursive)
        for info in self.filesystem.get_file_info(selector):
            yield self / info.path[len(self.key) :].lstrip("/")

    def files(self) -> Iterator[tuple[StoredPath, fs.FileInfo]]:
        """All files below this place, each with what one listing tells of it."""
        import pyarrow.fs as fs

        for info in self.filesystem.get_file_info(fs.FileSelector(self.key, allow_not_found=True, recursive=True)):
            if info.type == fs.FileType.File:
                yield self / info.path[len(self.key) :].lstrip("/"), info

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: a folder is there when something lies in it."""

    def unlink(self, missing_ok: bool = False) -> None:
        if self.is_file():
            self.filesystem.delete_file(self.key)
        elif not missing_ok:
            raise FileNotFoundError(2, "No such file", str(self))

    def rename(self, target: str | os.PathLike[str]) -> Any:
        """Move a file. Not in one step: for a moment both are there."""
        assert isinstance(target, StoredPath), target
        self.filesystem.move(self.key, target.key)
        return target

    replace = rename

    def open(self, mode: str = "r", *_: Any, encoding: str | None = None, **__: Any) -> IO[Any]:  # type: ignore[override]
        """The whole file's content to read, or a file that appears when it is closed."""
        file: Any
        if "w" in mode:
            file = self.filesystem.open_output_stream(self.key)
        elif "r" in mode:
            with self.filesystem.open_input_stream(self.key) as stored:
                file = io.BytesIO(stored.read())
        else:
            raise ValueError(f"a file of a storage is read or written whole, not opened by {mode!r}")
        return file if "b" in mode else io.TextIOWrapper(file, encoding=encoding or "utf-8")

    def _info(self) -> fs.FileInfo:
        return self.filesystem.get_file_info(self.key)


def place(text: str) -> Path:
    """A folder of this machine, absolute, or a place of a storage.

    >>> str(place("s3://bucket/lake") / "flights" / "events"), place("s3://bucket/lake").parent.name
    ('s3://bucket/lake/flights/events', 'bucket')
    """
    return StoredPath(text) if text.partition("://")[0] in SCHEMES else Path(text).absolute()


def opened_by_arrow(path: Path) -> Any:
    """What Arrow's readers take for a file of either kind."""
    return path.filesystem.open_input_file(path.key) if isinstance(path, StoredPath) else path


def remove_tree(folder: Path, *, ignore_errors: bool = False) -> None:
    """Remove all that is below a folder, and the folder. `ignore_errors`: also if it is not there."""
    if not isinstance(folder, StoredPath):
        shutil.rmtree(folder, ignore_errors=ignore_errors)
    elif folder.is_dir():
        folder.filesystem.delete_dir(folder.key)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file between places of either kind."""
    if isinstance(source, StoredPath) or isinstance(target, StoredPath):
        target.write_bytes(source.read_bytes())
    else:
        shutil.copyfile(source, target)


def _has_wildcard(part: str) -> bool:
    return any(sign in part for sign in "*?[")


@cache
def _storage(scheme: str, authority: str) -> tuple[fs.FileSystem, str]:
    """A storage, and how the names of what is in it begin; once a process, since opening one asks for keys."""
    if scheme == "hdfs:":
        from jobs.hdfs import hdfs

        return hdfs(authority), ""
    import pyarrow.fs as fs

    storage, root = fs.FileSystem.from_uri(f"{scheme}//{authority}/")
    return storage, root.rstrip("/")


def _types() -> Any:
    import pyarrow.fs as fs

    return fs.FileType
