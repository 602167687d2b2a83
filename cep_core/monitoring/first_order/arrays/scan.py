"""Events as relations: each event that an atom matches is a row that holds at its point.

Constants and variables that stand in an atom twice are tested here, on columns, so that no relation holds what they
exclude. Nulls match no variable and no constant; attributes that the atom does not name are not looked at. Costs
O(events of the type) for each attribute that the atom names, and one Python step for each distinct text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags
from cep_core.events.chunks import one_array
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.terms import Constant, Term, Variable
from cep_core.monitoring.first_order.arrays.relation import Column, Relation, bits_of, nothing, plain_floats
from cep_core.monitoring.first_order.arrays.texts import ABSENT, Texts


def scan(
    atom: Predicate,
    log: PointLog,
    texts: Texts,
    types: Mapping[str, AttributeType],
    constants: Mapping[str, Constant] | None = None,
    hidden: Collection[str] = (),
) -> Relation:
    """The events that match an atom, a row each, by point; the same row may stand there twice.

    `constants` are values that some of the atom's variables must have. `types` tell the columns of a type without
    events. `hidden`: variables of which only a value is asked, any that is not null; they have no column.

    >>> events = TypedEvents(np.array([0, 0, 2]), {"a": pa.array([1, 2, None]), "b": pa.array([1, 3, 4])})
    >>> log = PointLog(np.array([5, 6, 7]), {"P": events})
    >>> twice = scan(Predicate("P", (Variable("x"), Variable("x")), ("a", "b")), log, Texts(), {})
    >>> twice.columns[0].tolist(), twice.begin.tolist(), twice.end.tolist()
    ([1], [0], [1])
    """
    written = [term.name for term in atom.arguments if isinstance(term, Variable)]
    variables = tuple(name for name in dict.fromkeys(written) if name not in hidden)
    events = log.events.get(atom.event_type)
    if events is None or not len(events.point):
        return nothing(variables, [empty_column(types.get(name)) for name in variables])
    columns: dict[str, Column] = {}
    tests: list[Flags] = []
    for name, term in zip(attributes_of(atom, events), atom.arguments, strict=True):
        if isinstance(term, Variable) and term.name in hidden and written.count(term.name) == 1:
            if (valid := _present(events.columns[name])) is not None:
                tests.append(valid)
            continue
        column, present = column_values(events.columns[name], texts)
        if present is not None:
            tests.append(present)
        if isinstance(term, Variable) and term.name not in columns:
            columns[term.name] = column
            if constants and term.name in constants:
                tests.append(equals(column, constants[term.name], texts))
        elif isinstance(term, Variable):
            tests.append(bits_of(columns[term.name]) == bits_of(column))
        else:
            tests.append(equals(column, term, texts))
    point = events.point
    if tests:
        rows = np.flatnonzero(reduce(np.logical_and, tests))
        point = point[rows]
        columns = {name: column[rows] for name, column in columns.items()}
    return Relation(variables, tuple(columns[name] for name in variables), point, point + 1)


def empty_column(kind: AttributeType | None) -> Column:
    """The column of a variable in a relation without rows."""
    return np.zeros(0, np.float64) if kind is AttributeType.FLOAT else np.zeros(0, np.int64)


def column_values(column: pa.Array | pa.ChunkedArray, texts: Texts) -> tuple[Column, Flags | None]:
    """The numbers or the codes of texts of a column, and which are not null (None: all).

    >>> column_values(pa.array([True, None]), Texts())
    (array([1, 0]), array([ True, False]))
    """
    whole = one_array(column)
    if pa.types.is_string(whole.type) or pa.types.is_large_string(whole.type) or pa.types.is_dictionary(whole.type):
        codes = texts.codes_of(whole)
        present = codes != ABSENT
        return codes, None if present.all() else present
    flags = _present(whole)
    if flags is not None:
        whole = whole.fill_null(False if pa.types.is_boolean(whole.type) else 0)
    values = whole.to_numpy(zero_copy_only=False)
    if pa.types.is_floating(whole.type):
        return plain_floats(values), flags
    return values.astype(np.int64, copy=False), flags


def _present(column: pa.Array) -> Flags | None:
    """Which values are not null; None: all."""
    return column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else None


def attributes_of(atom: Predicate, events: TypedEvents) -> Sequence[str]:
    """The attributes at which the arguments of an atom stand."""
    return atom.names if atom.names is not None else list(events.columns)[: len(atom.arguments)]


def equals(column: Column, term: Term, texts: Texts) -> Flags:
    """Which values of a column equal a constant; NaN equals itself."""
    if not isinstance(term, Constant):
        raise TypeError(f"the argument {term} of an atom is neither a variable nor a constant")
    value = texts.code(term.value) if isinstance(term.value, str) else term.value
    return np.isnan(column) if value != value else column == value
