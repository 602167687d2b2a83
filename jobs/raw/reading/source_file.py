"""The files at a place, each known by its name: what is read, what is passed over, what stops a load by its name.

- A folder's files are read, not those of folders inside it: such a folder stops the load, unless a pattern names it.
- Files of no bytes that programs leave as marks (`_SUCCESS`), and hidden files (`.x.crc`), are passed over and listed.
  Any other name that begins with `_` stops the load.
- A compressed file without bytes, and a file whose first bytes, also unpacked, are of another kind than its name says,
  stop the load.
"""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from jobs.exits import UnreadableSource

COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd"}
"""Suffixes of compressed files, and Arrow's names of their codecs."""

UNREAD = (".snappy", ".lz4", ".deflate", ".zip", ".xz", ".7z", ".tar", ".tgz", ".br", ".Z")
"""Suffixes of files that this reader cannot unpack."""

_MARKS = re.compile(r"_SUCCESS|_(started|committed)_\w+|_(common_)?metadata|\..*")
_SIGNATURES = (
    (re.compile(rb"\x1f\x8b"), "gzip", (".gz",)),
    (re.compile(rb"BZh[1-9]1AY&SY"), "bzip2", (".bz2",)),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "Zstandard", (".zst", ".zstd")),
    (re.compile(rb"PAR1"), "Parquet", (".parquet", ".pq")),
    (re.compile(rb"PK\x03\x04"), "zip", ()),
    (re.compile(rb"\xfd7zXZ\x00"), "xz", ()),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text", ()),
)


@dataclass(frozen=True)
class FoundFiles:
    """`read`: files to read, in the order of their names. `passed`: files that hold no rows by their names."""

    read: tuple[Path, ...]
    passed: tuple[Path, ...] = ()


def files_at(place: str) -> FoundFiles:
    """The files at a path, in a folder, or that a pattern names; none if it is absent. Raises UnreadableSource."""
    path = Path(place)
    paths = [path] if path.exists() else [Path(name) for name in sorted(glob.glob(place))]
    read: list[Path] = []
    passed: list[Path] = []
    for entry in paths:
        for file in sorted(entry.iterdir()) if entry.is_dir() else [entry]:
            if entry.is_dir() and _MARKS.fullmatch(file.name):
                passed.append(file)
                continue
            _refuse_name(file, is_listed=entry.is_dir())
            read.append(file)
    for file in read:
        _refuse_content(file)
    return FoundFiles(tuple(read), tuple(passed))


def codec_of(path: Path) -> str | None:
    """Arrow's name of the codec that a file is compressed with; None: it is not compressed."""
    return COMPRESSED.get(path.suffix)


def _refuse_name(file: Path, is_listed: bool) -> None:
    if file.is_dir():
        raise UnreadableSource(file, f"it is a folder inside a folder; a pattern such as {file.parent}/*/* reads it")
    if not file.is_file():
        raise UnreadableSource(file, "it is no file")
    if is_listed and file.name.startswith("_"):
        raise UnreadableSource(file, "its name begins with _, as names of files without rows do; rename or remove it")
    if file.suffix in UNREAD:
        raise UnreadableSource(file, f"files of the kind {file.suffix} are not read; pack it as .gz, .bz2 or .zst")


def _refuse_content(file: Path) -> None:
    with file.open("rb") as stream:
        start = stream.read(16)
    if not start and codec_of(file) is not None:
        raise UnreadableSource(file, "the file is empty", 0)
    for signature, kind, suffixes in _SIGNATURES:
        if signature.match(start) and file.suffix not in suffixes:
            rename = f"; its name should end in {suffixes[0]}" if suffixes else ""
            raise UnreadableSource(file, f"its first bytes are those of {kind}{rename}", 0)
    if codec := codec_of(file):
        unpacked = _unpacked_start(file, codec)
        for signature, kind, _ in _SIGNATURES:
            if signature.match(unpacked):
                raise UnreadableSource(file, f"unpacked, its first bytes are those of {kind}")


def _unpacked_start(file: Path, codec: str) -> bytes:
    """The first bytes of what a file packs; none if it is damaged, which its reader tells with the byte."""
    try:
        with pa.input_stream(str(file), compression=codec) as stream:
            return bytes(stream.read(16))
    except OSError:
        return b""
