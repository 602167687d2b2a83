"""Finding the column of a file that holds an event's type, and reading columns of attributes for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from cep_core.events.exact_columns import exact_column
from cep_core.events.frame_columns import sayable
from cep_core.events.table import RESERVED, attribute_type
from jobs.exits import WrongWorkload
from jobs.log_files.times.stamps import plain

FEW_TYPES = 200
"""A column of more values tells no event types."""
_SHOWN, _SHORT = 4, 20
_DECIMAL = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA, _NO_THOUSANDS = r"^[+-]?[0-9]+(,[0-9]+)?$", r",([0-9]{1,2}|[0-9]{4,})$"


def holds_decimals(column: pa.ChunkedArray) -> bool:
    """Whether a text column holds decimal numbers, as price feeds write them. Whole numbers may be names.

    >>> holds_decimals(pa.chunked_array([["0.5727", None, "-12"]])), holds_decimals(pa.chunked_array([["12", "7"]]))
    (True, False)
    """
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return False
    values = column.cast(pa.string())
    numbers = pc.all(pc.match_substring_regex(values, _DECIMAL)).as_py()
    return bool(numbers and pc.any(pc.match_substring(values, ".")).as_py()) or holds_commas(column)


def holds_commas(column: pa.ChunkedArray) -> bool:
    """Whether a text column holds numbers with a decimal comma. Three digits behind each may be thousands.

    >>> [holds_commas(pa.chunked_array([texts])) for texts in (["1,5", "10"], ["1,500"], ["1.5"])]
    [True, False, False]
    """
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return False
    values = column.cast(pa.string())
    numbers = pc.all(pc.match_substring_regex(values, _COMMA)).as_py()
    return bool(numbers and pc.any(pc.match_substring_regex(values, _NO_THOUSANDS)).as_py())


def holds_whole_numbers(column: pa.ChunkedArray) -> bool:
    """Whether a text column holds nothing but whole numbers.

    >>> holds_whole_numbers(pa.chunked_array([["12", "-7"]])), holds_whole_numbers(pa.chunked_array([["12", "x"]]))
    (True, False)
    """
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return False
    return bool(pc.all(pc.match_substring_regex(column.cast(pa.string()), r"^[+-]?[0-9]+$")).as_py())


def odd_among_numbers(column: pa.ChunkedArray) -> str | None:
    """The first text that is no number where nine of ten are some; else None.

    >>> odd_among_numbers(pa.chunked_array([["1", "2.5", *"3456789", "none"]]))
    'none'
    """
    if not kinds.is_string(plain(column.type)) or column.null_count == len(column):
        return None
    texts = column.cast(pa.string()).drop_null()
    odd = texts.filter(pc.invert(pc.match_substring_regex(texts, _DECIMAL)))
    return str(odd[0].as_py()) if 0 < len(odd) <= len(texts) // 10 else None


def read_decimals(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """The numbers in a text column. Raises WrongWorkload, which names a value that is no number."""
    values = column.cast(pa.string())
    if holds_commas(column):
        values = pc.replace_substring(values, ",", ".")
    odd = values.filter(pc.invert(pc.match_substring_regex(values, _DECIMAL)))
    if len(odd):
        raise WrongWorkload(f"'{name}' holds numbers as text at first, but then '{odd[0].as_py()}', which is none")
    return values.cast(pa.float64())


def type_column(sample: pa.Table, event_types: Collection[str]) -> str | None:
    """The column `event_type`, else the first text column that holds one of the pattern's event types, else None.

    >>> type_column(pa.table({"ts": [1, 2], "side": ["BUY", "SELL"]}), {"SELL"})
    'side'
    """
    if "event_type" in sample.column_names:
        return "event_type"

    def tells(field: pa.Field) -> bool:
        values = sample[field.name]
        if not kinds.is_string(plain(field.type)):
            return False
        return any(v is not None and sayable(v) in event_types for v in values.unique().to_pylist())

    return first_column(sample, tells)


def types_hint(sample: pa.Table) -> str:
    """What a pattern may call events, as the end of a message: the columns with few values, and some of these.

    >>> types_hint(pa.table({"ts": [1, 2, 3], "side": ["BUY", "SELL", "BUY"]}))
    "; event types are values of a column: 'side' holds BUY, SELL; or take all rows alike, as in SEQ(Row a, Row b)"
    """
    names: dict[str, list[str]] = {}
    for name in sample.column_names:
        values = sample[name].unique().drop_null().to_pylist() if kinds.is_string(plain(sample[name].type)) else []
        is_few = 0 < len(values) <= FEW_TYPES and 2 * len(values) <= sample.num_rows + 1
        if is_few and all(0 < len(value) <= _SHORT for value in values):
            names[name] = sorted(sayable(value) for value in values)
    columns_text = [
        f"'{name}' holds {', '.join(values[:_SHOWN])}{', ...' if len(values) > _SHOWN else ''}"
        for name, values in sorted(names.items(), key=lambda item: len(item[1]))
    ]
    columns = (
        f"event types are values of a column: {'; '.join(columns_text[:_SHOWN])}"
        if columns_text
        else "name it with --type"
    )
    return f"; {columns}; or take all rows alike, as in SEQ(Row a, Row b)"


def sayable_types(kind: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Event types by names that patterns can say, where no two become one.

    >>> sayable_types(pa.array(["SET PIECE", None, "PASS"])).to_pylist()
    ['SET_PIECE', None, 'PASS']
    """
    texts = [text for text in kind.unique().to_pylist() if text is not None]
    names = {text: sayable(text) for text in texts}
    odd = [text for text, name in names.items() if name != text]
    if not odd:
        return kind
    taken = Counter(names.values())
    spoken = pa.array([names[text] if taken[names[text]] == 1 else text for text in odd])
    places = pc.index_in(kind, value_set=pa.array(odd))
    return pc.coalesce(spoken.take(places.combine_chunks() if isinstance(places, pa.ChunkedArray) else places), kind)


def attributes(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns that can be attributes, by name. Decimals become floats, or what else keeps them apart."""
    columns = {}
    for field in table.schema:
        if field.name in RESERVED:
            continue
        column, _ = exact_column(table[field.name], field.name)
        if attribute_type(column.type) is not None:
            columns[field.name] = column
    return columns


def first_column(table: pa.Table, fits: Callable[[pa.Field], bool]) -> str | None:
    """The name of the first column that fits, if there is one."""
    return next((field.name for field in table.schema if fits(field)), None)
