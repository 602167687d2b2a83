"""The bytes of a file or of a range of it, decompressed, in blocks. Memory: one block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from jobs.exits import UnreadableSource
from jobs.raw.damage import refuse_damaged
from jobs.raw.reading.source_file import codec_of

BLOCK = 1 << 22
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class FileRange:
    """Rows of a file that one task reads: bytes `begin` to `end` of a text file; of Parquet, these row groups.

    A compressed text file is one range; `end` is then its size as stored. `ordinal`: the number of the first row in the
    file. `size`: the file's size as stored.
    """

    path: Path
    begin: int
    end: int
    size: int
    ordinal: int = 0


def blocks_of(part: FileRange, size: int = BLOCK) -> Iterator[tuple[bytes, bool]]:
    """Blocks of text, and whether each is the last. At least one; only the last one may be empty.

    Raises UnreadableSource, with the byte where a compressed file is damaged.
    """
    if part.path.stat().st_size != part.size:
        raise UnreadableSource(part.path, f"it had {part.size:,} bytes when the load began, now it has another size")
    codec = codec_of(part.path)
    try:
        yield from _plain(part, size) if codec is None else _unpacked(part, codec, size)
    except (OSError, pa.ArrowException) as error:
        refuse_damaged([str(part.path)])
        raise UnreadableSource(part.path, str(error)) from error


def _plain(part: FileRange, size: int) -> Iterator[tuple[bytes, bool]]:
    with part.path.open("rb") as file:
        file.seek(part.begin)
        rest = part.end - part.begin
        while True:
            block = file.read(min(size, rest))
            rest -= len(block)
            if rest and not block:
                raise UnreadableSource(part.path, "it became shorter while it was read", part.end - rest)
            yield block, rest == 0
            if rest == 0:
                return


def _unpacked(part: FileRange, codec: str, size: int) -> Iterator[tuple[bytes, bool]]:
    with pa.OSFile(str(part.path)) as file, pa.CompressedInputStream(file, codec) as stream:
        block = stream.read(size)
        while following := stream.read(size):
            yield block, False
            block = following
        yield block, True
