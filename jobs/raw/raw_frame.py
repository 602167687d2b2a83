"""What every reader of a source gives: the declared columns with their types, and what belongs to the row itself.

| column | is |
|---|---|
| `_id` | the row's number, unique in the source |
| `_number` | the number of its file; -1: Spark read it |
| `_file` | the name of its file |
| `_day` | the day that its time tells, if its source declares one; else the file's day, if its path names one |
| `_raw` | its text, undecodable bytes as backslash escapes; null: the row as JSON |
| `_rule`, `_reason` | why the reader refused it; null: it did not |
| `_hash` | 64 bits of its text |
| `_moment` | what its time says as a whole number, refused or not, if its source declares one and the row has it |
| `_ledger` | null; else this is no row but the ledger of a range of a file, as JSON |
"""

from __future__ import annotations

LEDGER = "_ledger"
MOMENT = "_moment"

ROWS_BITS = 40
"""Of a row of a strictly read file, `_id` has the number of the file above these bits, and its own in them."""

AS_TEXT = 5
"""Bytes of text for each byte of a compressed or columnar file: 4 to 5 on flights and on generated logs."""

OWN_COLUMNS = {
    "_id": "BIGINT",
    "_number": "INT",
    "_file": "STRING",
    "_day": "DATE",
    "_raw": "STRING",
    "_rule": "STRING",
    "_reason": "STRING",
    "_hash": "BIGINT",
    MOMENT: "BIGINT",
    LEDGER: "STRING",
}
"""The columns beside the declared ones, with their SQL types."""


def ddl_of(columns: dict[str, str]) -> str:
    """The schema of a source's raw frame.

    >>> ddl_of({"x": "BIGINT"}).split(", ")[:2]
    ['`x` BIGINT', '`_id` BIGINT']
    """
    return ", ".join(f"`{name}` {kind}" for name, kind in (columns | OWN_COLUMNS).items())
