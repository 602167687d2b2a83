"""How often each value of an attribute occurs in the relations of a workload (`cep_core.slicing.statistics`).

Whole numbers that lie close to each other are counted in a table of counters (`cep_core.numbers.close_numbers`), all
relations that are whole event types at once. All other values are counted as rows of counts (`spilled_sums.py`), and so
are numbers once they need too large a table.
Cost: a few nanoseconds an event in a table, for the event types and for each other relation; else an encoding of the
values of each relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints, lent
from cep_core.events.chunks import one_array
from cep_core.language.evaluator import Atom
from cep_core.numbers.close_numbers import CloseNumbers, Room
from cep_core.slicing import Frequencies
from cep_core.slicing.atom_rows import AtomRows, named_alike
from cep_core.slicing.statistics import value_counts
from jobs.stages.slicing.counting.spilled_sums import Sums, side_by_side

NO_NUMBERS = Frequencies(pa.array([], pa.int64()), np.zeros(0, np.int64))


class RelationValues:
    """Counts of one attribute's values in some relations; nulls are not counted. `sums`: by relation, of the column
    `value`."""

    def __init__(self, attribute: str, sums: Mapping[Atom, Sums], room: Room) -> None:
        self.attribute = attribute
        self._sums = sums
        self._relations = [named_alike(relation) for relation in sums]
        self._kinds = np.arange(len(sums))
        self._close: CloseNumbers | None = CloseNumbers(room)

    def add(self, matches: AtomRows) -> None:
        """Count a piece."""
        column = matches.events[self.attribute]
        if self._close is not None:
            if pa.types.is_int64(column.type) and self._close.add(
                *self._numbers(matches, one_array(column)), self._kinds
            ):
                return
            self._move()
        for relation, own in zip(self._relations, self._sums.values(), strict=True):
            counted = value_counts(column, matches.rows(relation))
            own.add_counts(pa.table({"value": counted.values, "events": counted.counts}))

    def frequencies(self) -> Iterator[tuple[Atom, Iterable[Frequencies]]]:
        """Each relation and the frequencies of its values, of all or, one after the other, of some of them."""
        if self._close is None:
            yield from ((relation, map(_frequencies, own.tables())) for relation, own in self._sums.items())
            return
        counted = {
            kind: Frequencies(pa.array(numbers), events) for kind, numbers, events in self._close.of_kinds(self._kinds)
        }
        yield from ((relation, [counted.get(kind, NO_NUMBERS)]) for kind, relation in enumerate(self._sums))

    def _numbers(self, matches: AtomRows, column: pa.Array) -> tuple[Ints, Ints]:
        """The numbers of all relations, and of each the number of its relation. An event of several has several."""
        whole: dict[str | None, int] = {
            relation.event_type: kind for kind, relation in enumerate(self._relations) if matches.is_whole(relation)
        }
        kinds = np.array([whole.get(name, -1) for name in matches.types.written])[matches.types.codes]
        valid = np.asarray(column.is_valid()) if column.null_count else None
        values = lent(column if valid is None else column.fill_null(0))
        counts = kinds >= 0 if valid is None else (kinds >= 0) & valid
        if not counts.all():
            rows = np.flatnonzero(counts)
            of_types = values[rows], kinds[rows]
        else:
            of_types = values, kinds
        parts = [of_types]
        for kind, relation in enumerate(self._relations):
            if whole.get(relation.event_type) != kind:
                rows = matches.rows(relation)
                rows = rows if valid is None else rows[valid[rows]]
                parts.append((values[rows], np.full(len(rows), kind)))
        if len(parts) == 1:
            return of_types
        return np.concatenate([own for own, _ in parts]), np.concatenate([own for _, own in parts])

    def _move(self) -> None:
        """Count on in rows of counts what was counted in a table."""
        assert self._close is not None
        sums = list(self._sums.values())
        for kind, numbers, events in self._close.moved(self._kinds):
            sums[kind].add_counts(pa.table({"value": numbers, "events": events}))
        self._close = None


def relation_values(places: Sequence[tuple[Atom, str]]) -> list[RelationValues]:
    """No counts yet, of the (relation, attribute) pairs. Together they hold as much as those of one pair alone."""
    sums, room = side_by_side(dict.fromkeys(places, ("value",))), Room()
    by_attribute: dict[str, dict[Atom, Sums]] = {}
    for relation, attribute in places:
        by_attribute.setdefault(attribute, {})[relation] = sums[relation, attribute]
    return [RelationValues(attribute, own, room) for attribute, own in by_attribute.items()]


def _frequencies(counts: pa.Table) -> Frequencies:
    values, events = counts["value"].combine_chunks(), counts["events"].to_numpy().astype(np.int64)
    return Frequencies(values, events)
