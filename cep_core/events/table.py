"""The events of a log as an Arrow table: reads its schema, sorts it and validates it (`docs/semantics.md` 1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints, read_only
from cep_core.events.by_schema import by_schema
from cep_core.events.event_types import names_of
from cep_core.events.extents import extent
from cep_core.events.schema import Attribute, AttributeType, LogSchema, Ties

FARTHEST = 2**62
"""Moments are nearer to 0 than this, so that a moment plus a window fits 64 bits (`spans.window_of` limits windows)."""
FIRST = 1 << 12
"""Events among which every event type usually occurs."""
FEW = 16
"""Event types that are looked for in all events one by one."""
FIRST_FEW = 64
"""Events that are looked at one by one for a first look at the event types."""
RESERVED = frozenset({"event_type", "ts", "seq", "pos", "ts_lo", "ts_hi"})
"""Columns with a fixed meaning; no attribute has one of these names."""


def log_schema_of(table: pa.Table, unit: str = "s", ties: Ties = Ties.CONCURRENT) -> LogSchema:
    """The schema of a bare table: every event type has every column (open world).

    Columns with types other than int, float, string and bool are not attributes.

    >>> table = pa.table({"event_type": ["A"], "ts": [1], "seq": [0], "price": [2.5]})
    >>> log_schema_of(table).attributes_of("A")["price"].type
    <AttributeType.FLOAT: 'float'>
    """
    return bare_schema(*described(table), unit, ties)


Described = tuple[str, AttributeType, bool]
"""An attribute's name and type, and whether it has nulls."""


def described(table: pa.Table) -> tuple[tuple[str, ...], tuple[Described, ...]]:
    """What the schema of a bare table depends on: the event types, and the attributes.

    >>> described(pa.table({"event_type": ["A"], "ts": [1], "price": [None, 2.5][1:]}))
    (('A',), (('price', <AttributeType.FLOAT: 'float'>, False),))
    """
    of_types, stored = _places(table.schema)
    types = [] if of_types is None else _different(table.column(of_types))
    attributes = [(name, kind, table.column(place).null_count > 0) for place, name, kind in stored]
    return tuple(name for name in types if name is not None), tuple(attributes)


@by_schema
def _places(schema: pa.Schema) -> tuple[int | None, list[tuple[int, str, AttributeType]]]:
    """The place of the event types, and those of the attributes, with their names and types."""
    names = schema.names
    kinds = map(attribute_type, schema.types)
    attributes = [
        (place, name, kind)
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
        if name not in RESERVED and kind is not None
    ]
    return names.index("event_type") if "event_type" in names else None, attributes


def bare_schema(types: Sequence[str], attributes: Sequence[Described], unit: str, ties: Ties) -> LogSchema:
    """The schema of a bare table that is so described."""
    columns = {name: Attribute(name, kind, nullable=nullable) for name, kind, nullable in attributes}
    return LogSchema(dict.fromkeys(types, columns), unit, ties, True, columns)


def _different(texts: pa.ChunkedArray) -> list[str | None]:
    """Each text once, in order of first occurrence. If the first ones have all of a dictionary, no more are read."""
    if texts.num_chunks == 1 and pa.types.is_dictionary(texts.type) and not texts.null_count:
        dictionary, codes = texts.chunk(0).dictionary, texts.chunk(0).indices.to_numpy()
        seen = list(dict.fromkeys(codes[:FIRST_FEW].tolist()))
        if len(dictionary) - len(seen) > FEW:
            occurring, firsts = np.unique(codes[:FIRST], return_index=True)
            seen = occurring[firsts.argsort()].tolist()
        others = set(range(len(dictionary))).difference(seen)
        if len(others) <= FEW:
            names = names_of(dictionary)
            return [names[code] for code in [*seen, *_in_order_of_occurrence(codes, others)]]
    return list(pc.unique(texts).to_pylist())


def _in_order_of_occurrence(codes: Ints, few: Collection[int]) -> list[int]:
    """Those of a few codes that occur."""
    places: dict[int, int] = {}
    for code in few if len(codes) else ():
        for looked_at in (codes[:FIRST], codes):
            is_code = looked_at == code
            first = int(is_code.argmax())
            if is_code[first]:
                places[code] = first
                break
    return sorted(places, key=places.__getitem__)


def attribute_type(stored: pa.DataType) -> AttributeType | None:
    """The attribute type of a stored column; None if the column cannot be an attribute."""
    while pa.types.is_dictionary(stored):
        stored = stored.value_type
    return _ATTRIBUTE_TYPES.get(stored.id)


_STORED = {
    AttributeType.BOOL: (pa.bool_(),),
    AttributeType.INT: (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    ),
    AttributeType.FLOAT: (pa.float16(), pa.float32(), pa.float64()),
    AttributeType.STRING: (pa.string(), pa.large_string(), pa.string_view()),
}
_ATTRIBUTE_TYPES = {stored.id: kind for kind, types in _STORED.items() for stored in types}
"""By the number of a stored type: one look where Arrow's own tests take ten."""


def order(table: pa.Table) -> pa.Table:
    """The events in (ts, seq) order with their rank `pos`. Without a column `seq`, the row number is used.

    An existing `pos` is kept. Linear if the table is already in order, else a sort. Raises ValueError if the table
    breaks the contract of a log.

    >>> order(pa.table({"event_type": ["B", "A"], "ts": [2, 1]})).column("pos").to_pylist()
    [0, 1]
    """
    table = in_order(table)
    if "pos" not in table.column_names:
        table = table.append_column("pos", pa.array(np.arange(table.num_rows, dtype=np.int64)))
    return table


def in_order(table: pa.Table) -> pa.Table:
    """As `order`, without the column `pos`: of a whole log, the rank of an event is its row."""
    schema = table.schema
    for place, name in _narrow(schema):
        table = table.set_column(place, name, table.column(place).cast(pa.int64()))
    if "seq" not in schema.names:
        table = table.append_column("seq", pa.array(np.arange(table.num_rows, dtype=np.int64)))
    if _stamps_rise(table):
        return table
    ts = table.column("ts").to_numpy()
    seq = table.column("seq").to_numpy()
    return table if is_in_order(ts, seq) else table.take(pa.array(np.lexsort((seq, ts))))


@by_schema
def _narrow(schema: pa.Schema) -> list[tuple[int, str]]:
    """The places and names of the columns that hold whole numbers of another type than the log's."""
    columns = enumerate(zip(schema.names, schema.types, strict=True))
    stored = [(place, name, of) for place, (name, of) in columns if name in ("ts", "seq")]
    return [(place, name) for place, name, of in stored if pa.types.is_integer(of) and of != pa.int64()]


def is_in_order(ts: Ints, seq: Ints) -> bool:
    """Whether events ascend by (ts, seq). Cost: one comparison of neighbours where all stamps rise.

    >>> is_in_order(np.array([1, 2, 2]), np.array([9, 3, 4])), is_in_order(np.array([2, 2]), np.array([4, 3]))
    (True, False)
    """
    if (ts[1:] > ts[:-1]).all():
        return True
    return not (np.any(ts[1:] < ts[:-1]) or np.any((ts[1:] == ts[:-1]) & (seq[1:] < seq[:-1])))


def with_type_codes(table: pa.Table) -> pa.Table:
    """The table with its event types as codes of a dictionary: whoever asks for the events of a type compares codes."""
    place = _plain_types(table.schema)
    return table if place is None else table.set_column(place, "event_type", table.column(place).dictionary_encode())


@by_schema
def _plain_types(schema: pa.Schema) -> int | None:
    """The place of the event types; None if they are codes."""
    place = schema.names.index("event_type")
    return None if pa.types.is_dictionary(schema.types[place]) else place


def validate(table: pa.Table, schema: LogSchema | None = None) -> None:
    """Raise ValueError unless the table fulfils the contract of a log; the order of rows is not checked.

    `event_type` is text, `ts` and `seq` are int64 without nulls, `ts` is nearer to 0 than 2^62, `seq` is unique; with a
    declared schema, each attribute has a column of its type.
    """
    _stamps_rise(table)
    if schema is not None:
        check_attributes(table, schema)


def _stamps_rise(table: pa.Table) -> bool:
    """Whether no two stamps are equal and all are in order. Raises ValueError as `validate` does."""
    ts, seq = (table.column(place) for place in _ordering(table.schema))
    for name, column in (("ts", ts), ("seq", seq)):
        if column.null_count:
            raise ValueError(f"'{name}' has nulls")
    least, most, rise = extent(read_only(ts.to_numpy()))
    if not -FARTHEST < least <= most < FARTHEST:
        raise ValueError(f"'ts' holds {least} to {most}: moments lie between -2^62 and 2^62")
    if not _is_unique(seq):
        raise ValueError("'seq' is not unique")
    return bool(rise)


@by_schema
def _ordering(schema: pa.Schema) -> tuple[int, int]:
    """The places of `ts` and `seq`. Raises ValueError if a column of a log is missing or of another type."""
    names = schema.names
    for name in ("event_type", "ts", "seq"):
        if name not in names:
            raise ValueError(f"a log needs the column '{name}'; found {', '.join(names)}")
    types, *numbers = (schema.types[names.index(name)] for name in ("event_type", "ts", "seq"))
    if attribute_type(types) is not AttributeType.STRING:
        raise ValueError(f"'event_type' holds text, not {types}")
    for name, stored in zip(("ts", "seq"), numbers, strict=True):
        if stored != pa.int64():
            hint = "; convert time-stamps to a whole number of the log's unit" if name == "ts" else ""
            raise ValueError(f"'{name}' holds {stored}, not whole numbers{hint}")
    return names.index("ts"), names.index("seq")


def _is_unique(numbers: pa.ChunkedArray) -> bool:
    """Numbers that rise, as most do, need no table of those that were seen."""
    *_, rise = extent(read_only(numbers.to_numpy()))
    return rise or pc.count_distinct(numbers).as_py() == len(numbers)


def check_attributes(table: pa.Table, schema: LogSchema) -> None:
    """Raise ValueError unless each attribute of a declared schema has a column of its type."""
    if schema.open_world:
        return
    for event_type, attributes in schema.types.items():
        for attribute in attributes.values():
            if attribute.name not in table.column_names:
                raise ValueError(f"{event_type} has the attribute '{attribute.name}', but the log has no such column")
            kind = attribute_type(table.schema.field(attribute.name).type)
            fits = kind is attribute.type or (kind is AttributeType.INT and attribute.type is AttributeType.FLOAT)
            if not fits:
                stored = table.schema.field(attribute.name).type
                raise ValueError(f"'{attribute.name}' of {event_type} is {attribute.type}, but the column is {stored}")
