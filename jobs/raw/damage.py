"""Where a gzip file is damaged: asked only after reading it has failed, to name the file and the byte.

Cost: one pass over the compressed files, no memory beyond a block.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

from jobs.exits import UnreadableSource

_BLOCK = 1 << 16
_GZIP = 31
"""zlib's window bits for a gzip stream with its checksum verified."""


def refuse_damaged(paths: Iterable[str]) -> None:
    """Raise UnreadableSource for the first damaged gzip file among local paths; return when there is none."""
    for place in paths:
        path = Path(place)
        files = sorted(path.rglob("*.gz")) if path.is_dir() else [path] if path.suffix == ".gz" else []
        for file in files:
            found = gzip_damage(file)
            if found:
                raise UnreadableSource(file, found[1], found[0])


def gzip_damage(path: Path) -> tuple[int, str] | None:
    """The byte of the compressed file where decompression fails and why; None when the file is whole.

    A file of several gzip members, as `cat a.gz b.gz` makes, is whole.
    """
    decoder, offset, begun = zlib.decompressobj(_GZIP), 0, False
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            rest = block
            while rest:
                if decoder.eof:
                    decoder, begun = zlib.decompressobj(_GZIP), False
                try:
                    decoder.copy().decompress(rest)
                except zlib.error as error:
                    return offset + _bad_byte(decoder, rest), str(error)
                decoder.decompress(rest)
                begun = True
                offset += len(rest) - len(decoder.unused_data)
                rest = decoder.unused_data
    if begun and not decoder.eof:
        return offset, "the gzip stream ends early"
    return None if begun else (0, "the file is empty")


def _bad_byte(decoder: zlib._Decompress, block: bytes) -> int:
    """Which byte of a block makes the decoder fail."""
    for position in range(len(block)):
        try:
            decoder.decompress(block[position : position + 1])
        except zlib.error:
            return position
    return len(block)
