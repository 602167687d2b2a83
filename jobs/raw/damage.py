"""Finds the place where a file is damaged. Used only after reading has failed, to name the file and the byte.

Compressed files (gzip, bzip2) are decompressed up to the damage. Of a Parquet file the footer is read. Files that are
not on this machine are not read. Parquet files that are whole may still hold a column as different types.
Cost: one pass over the files up to the damage, with the memory of one block.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from jobs.exits import UnreadableSource
from jobs.workload.sections.sources import local_path

_BLOCK = 1 << 16
_GZIP = 31
"""zlib's window bits for a gzip stream with its checksum verified."""

Damage = tuple[int, str]
"""The position of a damaged byte, and what is wrong there."""


class Decoder(Protocol):
    """A decompressor of a stream; `unused_data` are the bytes after its end."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


_DECODERS: dict[str, tuple[str, Callable[[], Decoder]]] = {
    ".gz": ("gzip", lambda: zlib.decompressobj(_GZIP)),
    ".bz2": ("bzip2", bz2.BZ2Decompressor),
}


def refuse_damaged(paths: Iterable[str]) -> None:
    """Raise UnreadableSource for the first damaged local file; return if there is none."""
    for place in paths:
        path = local_path(place)
        if path is None:
            continue
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            fault = damage(file)
            if fault:
                raise UnreadableSource(file, fault[1], fault[0])


def refuse_mixed(paths: Iterable[str]) -> None:
    """Raise UnreadableSource for the first local Parquet file in which a column has another type than before."""
    first: dict[str, tuple[str, Path]] = {}
    for place in paths:
        path = local_path(place)
        for file in [] if path is None else sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
            if file.suffix != ".parquet":
                continue
            for column in pq.read_schema(file):
                kind, before = first.setdefault(column.name, (str(column.type), file))
                if kind != str(column.type):
                    raise UnreadableSource(file, f"its column {column.name} is {column.type}, in {before} it is {kind}")


def unreadable_in(error: Exception) -> UnreadableSource | None:
    """What a worker found that it cannot read, if that is in Spark's error.

    >>> print(unreadable_in(ValueError("...UnreadableSource: cannot read a.csv: it is no file; nothing was written")))
    cannot read a.csv: it is no file; nothing was written
    """
    match = re.search(r"UnreadableSource: cannot read (.+?)(?: at byte (\d+))?: (.+); nothing was written", str(error))
    return UnreadableSource(match[1], match[3], int(match[2]) if match[2] else None) if match else None


def damage(path: Path) -> Damage | None:
    """Where and how a file is damaged; None if it is whole, or of a kind that cannot be checked."""
    if not path.is_file():
        return None
    if path.suffix == ".parquet":
        return _parquet_damage(path)
    if path.suffix not in _DECODERS:
        return None
    name, decoder = _DECODERS[path.suffix]
    return _stream_damage(path, name, decoder)


def _stream_damage(path: Path, name: str, start: Callable[[], Decoder]) -> Damage | None:
    """A file of several streams, as `cat a.gz b.gz` makes, is whole."""
    decoder, begun, member, offset = start(), False, 0, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            rest = block
            while rest:
                if decoder.eof:
                    decoder, begun, member = start(), False, offset
                try:
                    decoder.decompress(rest)
                except (zlib.error, OSError) as error:
                    return _bad_byte(path, start(), member, offset), str(error)
                begun = True
                offset += len(rest) - len(decoder.unused_data)
                rest = decoder.unused_data
    if begun and not decoder.eof:
        return offset, f"the {name} stream ends early"
    return None if begun else (0, "the file is empty")


def _bad_byte(path: Path, decoder: Decoder, member: int, block: int) -> int:
    """The byte, from `block` on, at which the decoder of the stream that begins at `member` fails."""
    with path.open("rb") as file:
        file.seek(member)
        while member < block:
            good = file.read(min(_BLOCK, block - member))
            decoder.decompress(good)
            member += len(good)
        while byte := file.read(1):
            try:
                decoder.decompress(byte)
            except (zlib.error, OSError):
                return member
            member += 1
    return member


def _parquet_damage(path: Path) -> Damage | None:
    try:
        pq.read_metadata(path)
    except (pa.ArrowInvalid, OSError) as error:
        return path.stat().st_size, f"no Parquet footer before it: {error}"
    return None
