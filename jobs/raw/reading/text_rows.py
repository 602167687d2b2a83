"""The rows of a range of a CSV or JSON lines file, block by block: columns of the good ones, and the refused ones.

Cost: linear; a million rows of six columns take half a second to a second of a core. Memory: a block and its columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pyarrow as pa

from jobs.exits import WrongHeader
from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.header import check_header, difference
from jobs.raw.reading.kernels.row_places import part_of
from jobs.raw.reading.refused_rows import refused_batch
from jobs.raw.reading.row_judgement import RowJudgement, schema_of
from jobs.raw.reading.scanning import TextScan
from jobs.raw.reading.text_blocks import BLOCK, FileRange, blocks_of


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a file, in its order. `rows`: declared columns, then ORDINAL, OFFSET, HASH, RAW. `refused`: REFUSED.

    `ledger`: of a range's last block, which holds no rows, the counts of the range; of all others, zeros.
    """

    rows: pa.RecordBatch
    refused: pa.RecordBatch
    ledger: RowLedger = field(default_factory=RowLedger)


def read_text(part: FileRange, form: TextForm, block: int = BLOCK) -> Iterator[RowBlock]:
    """The rows of a range. `block`: bytes that are read at once. Raises WrongHeader, UnreadableSource."""
    scan = TextScan(form, len(form.columns))
    has_header = form.has_header and part.begin == 0
    awaits_header, ordinal, refused = has_header, part.ordinal, 0
    for scanned in scan.rows(blocks_of(part, block), part.begin):
        if awaits_header and scanned.count:
            check_header(part.path, form, scanned)
            scanned = replace(scanned, places=part_of(scanned.places, slice(1, None)))
            awaits_header = False
        if scanned.count:
            rows, refusals = RowJudgement(scanned, form, ordinal).judged()
            ordinal += scanned.count
            refused += len(refusals)
            yield RowBlock(rows, refused_batch(refusals))
    if awaits_header:
        raise WrongHeader(difference(part.path, form.columns, []))
    ledger = replace(scan.ledger, header=int(has_header), rows=ordinal - part.ordinal, refused=refused)
    yield RowBlock(empty_batch(schema_of(form.columns)), refused_batch([]), ledger)


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    return pa.record_batch([pa.array([], field.type) for field in schema], schema=schema)
