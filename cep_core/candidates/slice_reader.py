"""Reads the events of a slice for queries: types and tests as masks, keys as codes, each at most once.

Queries of one slice ask for the same things: the events of a type, late departures, the codes of a key, delays to
compare with delays. Whoever evaluates several queries on one table says so (`read_together`); then what the first query
reads serves the others, and is kept as long as the table lives. Else it is kept for one query.

A comparison of one attribute with a constant, as most tests are, is one comparison of an array. Cost: of a test, its
type's events, or all events where most are of the type.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import Flags, Ints, read_only
from cep_core.candidates.kept import Kept
from cep_core.candidates.key_codes import KeyCodes, codes_of, hashed
from cep_core.candidates.keys import comparable
from cep_core.candidates.marked_rows import marked_rows
from cep_core.candidates.roles import Roles, clear_outside
from cep_core.candidates.selection import Selection, VariableRole
from cep_core.candidates.separating import LEAST
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.language.patterns.tree import Comparison, Expression, Literal, Reference
from cep_core.language.patterns.values.comparing import COMPARE
from cep_core.language.patterns.values.exact_order import EXACT, LARGEST
from cep_core.language.patterns.values.expressions import holds
from cep_core.language.patterns.walk import references

FEW = 4
"""Keys are read only in the rows of candidates if these are at most one in so many."""
MANY = 32
"""Numbers are compared only in the rows that a test is about if these are at most one in so many: to compare all, side
by side, takes less time than to list some."""


INTEGER_RANGES: Mapping[str, Callable[[int], tuple[int, int]]] = {
    "=": lambda constant: (constant, constant),
    "<": lambda constant: (LEAST, constant - 1),
    "<=": lambda constant: (LEAST, constant),
    ">": lambda constant: (constant + 1, LARGEST),
    ">=": lambda constant: (constant, LARGEST),
}
"""The least and the greatest integer that pass a comparison with a constant."""

Range = tuple[Ints, int, int]
"""[n] numbers, and the least and the greatest that pass."""


class ComparedColumn(NamedTuple):
    """A column for comparisons: [n] numbers, and which are not null; None: all."""

    values: npt.NDArray[Any]
    known: Flags | None


class ConstantTest(NamedTuple):
    """The comparison of an attribute with a constant."""

    compared: str
    attribute: str
    constant: int | float | str | None


class SliceReader:
    """The events of a slice, as its queries read them."""

    def __init__(self, events: pa.Table) -> None:
        self._events = weakref.ref(events)  # a reader that is kept must not keep its table
        self.rows = events.num_rows
        self._columns: dict[str, pa.Array] = {}
        self.is_shared = False
        self._types: EventTypes | None = None
        self._masks: dict[tuple[str, ...], Flags] = {}
        self._numbers: dict[str, ComparedColumn | None] = {}
        self._codes: dict[str, KeyCodes] = {}
        self._order_keys: dict[str, Ints] = {}

    def column(self, name: str) -> pa.Array:
        """A column as it is stored, in one piece. Raises KeyError."""
        if name not in self._columns:
            events = self._events()
            assert events is not None, "a reader is asked while its table lives"
            self._columns[name] = one_array(events.column(name))
        return self._columns[name]

    def table(self, names: set[str], rows: Ints) -> pa.Table:
        """Columns of the events at the given ascending rows; of all events without a copy."""
        wanted = sorted(names) or ["ts"]
        columns = [self.column(name) for name in wanted]
        if len(rows) < self.rows:
            places = pa.array(rows)
            columns = [column.take(places) for column in columns]
        return pa.Table.from_arrays(columns, names=wanted)

    def roles(self, selection: Selection) -> Roles:
        """[n] the roles of the events."""
        columns = []
        for first in range(0, len(selection.roles), 8):
            numbered = list(enumerate(selection.roles[first : first + 8]))
            between = {bit: limits for bit, role in numbered if (limits := self._between(role)) is not None}
            by_type: dict[str, int] = {}
            for bit, role in numbered:
                if role.is_type_alone or bit in between:
                    by_type[role.event_type] = by_type.get(role.event_type, 0) | 1 << bit
            column = self.types.bits(by_type)
            for bit, role in numbered:
                if bit in between:
                    clear_outside(column, bit, *between[bit])
                elif not role.is_type_alone:
                    own = self._mask(role).view(np.uint8)
                    column |= own * np.uint8(1 << bit) if bit else own  # a shift takes ten times as long
            columns.append(column)
        return Roles(columns, selection.bits)

    @property
    def types(self) -> EventTypes:
        """The types of the events."""
        if self._types is None:
            self._types = EventTypes(self.column("event_type"))
        return self._types

    def of_types(self, wanted: Callable[[str], bool]) -> Flags:
        """[n] whether the event is of one of the types that are wanted. Only types of some event are asked about."""
        masks = [mask for name in self.types.names if (mask := self.types.of(name)).any() and wanted(name)]
        return np.logical_or.reduce(masks) if masks else np.zeros(self.rows, np.bool_)

    def key_codes(self, name: str, candidates: int) -> KeyCodes:
        """[n] the codes of a key. `candidates`: how many events a query looks up."""
        if name not in self._codes:
            stored = self.column(name)
            rows = self.rows if self.is_shared else candidates
            self._codes[name] = codes_of(stored, rows) or hashed(stored)
        return self._codes[name]

    def order_keys(self, name: str) -> Ints:
        """[n] the keys by which a column is compared with itself. Nobody may write them."""
        if name not in self._order_keys:
            stored = self.column(name)
            self._order_keys[name], _ = comparable(stored, stored)
        return self._order_keys[name]

    def _between(self, role: VariableRole) -> Range | None:
        """The numbers that a role's only test compares, and the least and greatest that pass, if these are integers and
        many events are of the type. Masks that several queries share are kept, so they are made by `_mask`."""
        if self.is_shared or len(role.tests) != 1 or role.judged:
            return None
        test = _constant_test(role.tests[0])
        if test is None or test.compared not in INTEGER_RANGES or not isinstance(test.constant, int):
            return None
        stored, is_near = self.column(test.attribute), -EXACT < test.constant < EXACT
        if not is_near or stored.type != pa.int64() or stored.null_count:
            return None
        if MANY * self.types.about(role.event_type) < len(stored):
            return None
        return read_only(stored.to_numpy()), *INTEGER_RANGES[test.compared](test.constant)

    def _mask(self, role: VariableRole) -> Flags:
        """[n] whether the event has the role."""
        if role.key in self._masks:
            return self._masks[role.key]
        mask = self.types.of(role.event_type)
        for test in role.tests:
            mask = self._tested(test, mask)
        for attribute in role.judged:
            mask = mask & self.column(attribute).is_valid().to_numpy(zero_copy_only=False)
        self._masks[role.key] = mask
        return mask

    def _tested(self, test: Expression, mask: Flags) -> Flags:
        """The rows of a mask that pass a test."""
        compared = self._comparison(test)
        if compared is not None and MANY * np.count_nonzero(mask) > self.rows:
            numbers, of = compared
            passed = of(numbers.values)
            passed &= mask
            return passed if numbers.known is None else passed & numbers.known
        rows = marked_rows(mask)
        if compared is None:
            rows = rows[holds(test, self.table({part.attribute for part in references(test)}, rows))]
        else:
            numbers, of = compared
            passes = of(numbers.values[rows])
            rows = rows[passes if numbers.known is None else passes & numbers.known[rows]]
        passed = np.zeros(self.rows, dtype=np.bool_)
        passed[rows] = True
        return passed

    def _comparison(self, test: Expression) -> tuple[ComparedColumn, Callable[[npt.NDArray[Any]], Flags]] | None:
        """A test as a comparison of an attribute's numbers with a constant, if it is one."""
        constant_test = _constant_test(test)
        if constant_test is None:
            return None
        compared, attribute, constant = constant_test
        numbers, stored = self._numbers_of(attribute), self.column(attribute)
        if numbers is None:
            return None
        if isinstance(constant, str):
            return self._of_text(stored, numbers, compared, constant)
        is_real = stored.type == pa.float64()
        if constant is None or not (is_real or (isinstance(constant, int) and stored.type == pa.int64())):
            return None
        if not -EXACT < constant < EXACT:  # elsewhere a constant may be no double
            return None
        if is_real and compared in (">", ">="):  # NaN exceeds every number
            below = COMPARE["<=" if compared == ">" else "<"]
            return numbers, lambda values: ~below(values, constant)
        return numbers, lambda values: COMPARE[compared](values, constant)

    def _of_text(
        self, stored: pa.Array, numbers: ComparedColumn, compared: str, text: str
    ) -> tuple[ComparedColumn, Callable[[npt.NDArray[Any]], Flags]] | None:
        """An equality of texts as one of their codes, if each text has one code."""
        if not pa.types.is_dictionary(stored.type) or compared not in ("=", "!="):
            return None
        places = [place for place, value in enumerate(stored.dictionary.to_pylist()) if value == text]
        if len(places) > 1 or stored.dictionary.null_count:
            return None
        code = places[0] if places else -1
        return numbers, lambda values: COMPARE[compared](values, code)

    def _numbers_of(self, name: str) -> ComparedColumn | None:
        """A column's numbers or codes; None if it has neither."""
        if name not in self._numbers:
            stored = self.column(name)
            numbers = stored.indices if pa.types.is_dictionary(stored.type) else stored
            kind = numbers.type
            is_code = numbers is not stored and pa.types.is_signed_integer(kind)
            if not (is_code or kind in (pa.int64(), pa.float64())):
                self._numbers[name] = None
            elif numbers.null_count:
                known = numbers.is_valid().to_numpy(zero_copy_only=False)
                self._numbers[name] = ComparedColumn(_raw(numbers), known)
            else:
                self._numbers[name] = ComparedColumn(numbers.to_numpy(zero_copy_only=False), None)
        return self._numbers[name]


def _constant_test(test: Expression) -> ConstantTest | None:
    """A test as what it compares with a constant, if that is all it does."""
    match test:
        case Comparison(compared, Reference() as side, Literal(value=constant)) if not isinstance(constant, bool):
            return ConstantTest(compared, side.attribute, constant)
    return None


def _raw(numbers: pa.Array) -> npt.NDArray[Any]:
    """The numbers without a look at nulls: whatever stands there."""
    values = numbers.buffers()[1]
    whole: npt.NDArray[Any] = np.frombuffer(values, numbers.type.to_pandas_dtype())
    return whole[numbers.offset : numbers.offset + len(numbers)]


_SHARED: Kept[SliceReader] = Kept()


def read_together(events: pa.Table) -> pa.Table:
    """The table; what one query reads of it serves all others."""
    _SHARED.of(events, SliceReader).is_shared = True
    return events


def shared_reader(events: pa.Table) -> SliceReader | None:
    """The reader that several queries share, if they do."""
    return _SHARED.find(events)


def reader_of(events: pa.Table) -> SliceReader:
    """The reader of a slice's events."""
    return _SHARED.find(events) or SliceReader(events)
