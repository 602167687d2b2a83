"""The keys whose partitions may contain a match: a natural join over the keys of the mandatory variables' events.

A partition has one value for each key class. An event is in every partition that agrees with the event's values. So an
event without some part of the key is in many partitions (GRETA's Q3: an accident is in the partition of every vehicle
of its segment). Only partitions in which every mandatory variable has an event can contain a match. Tuples of codes
are numbered and counted: the cost is linear in the events and in the pairs of the join.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from cep_core.arrays import Flags, Ints, read_only
from cep_core.candidates.grouping import combined, first_chosen, first_codes, offsets_of, stable_order
from cep_core.language.patterns.tree import Alternative, AnyOf, Conjunction, Kleene, Not, Pattern, Unit
from cep_core.language.patterns.tree import Sequence as Seq


@dataclass(frozen=True)
class KeyTuples:
    """Tuples of codes, one column of equal length for each key class that is bound."""

    columns: Mapping[int, Ints]
    length: int


@dataclass(frozen=True)
class Tupled:
    """The key tuples of n rows, each different tuple once: what is said of a tuple holds for all of its rows."""

    code: Ints
    """[n] the number of each row's tuple, in order of first occurrence."""
    tuples: KeyTuples
    """The different tuples by number."""

    def of(self, chosen: Flags) -> KeyTuples:
        """The tuples of the chosen rows, in order of first occurrence."""
        numbers = first_chosen(self.code, chosen, self.tuples.length)
        return KeyTuples({k: codes[numbers] for k, codes in self.tuples.columns.items()}, len(numbers))

    def matched(self, right: KeyTuples, sizes: Sequence[int]) -> tuple[Ints, Ints]:
        """Pairs (row, number of a right tuple) that agree on all classes bound in both, in the order of the rows."""
        at, partner = matching_pairs(self.tuples, right, sizes)
        counts = np.bincount(at, minlength=self.tuples.length)
        if counts.max(initial=0) <= 1:
            partner_of = np.full(self.tuples.length, -1, dtype=np.int64)
            partner_of[at] = partner
            partners = partner_of[self.code]
            rows = np.flatnonzero(partners >= 0)
            return rows, partners if len(rows) == len(partners) else partners[rows]
        firsts, lengths = (np.cumsum(counts) - counts)[self.code], counts[self.code]
        return _spread(lengths, firsts, partner)


def tupled(relation: KeyTuples, sizes: Sequence[int]) -> Tupled:
    """The different tuples of a relation. `sizes`: the number of codes of each class."""
    if not relation.columns:
        return Tupled(np.zeros(relation.length, dtype=np.int64), KeyTuples({}, min(relation.length, 1)))
    code, size = combined(list(relation.columns.values()), [sizes[k] for k in relation.columns])
    code, rows = first_codes(read_only(code), 0, size)
    return Tupled(code, KeyTuples({k: codes[rows] for k, codes in relation.columns.items()}, len(rows)))


def matching_pairs(left: KeyTuples, right: KeyTuples, sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """Row numbers (of left, of right) that agree on all classes bound in both, in the order of left's rows.

    `sizes`: the number of codes of each class.
    """
    shared = [k for k in left.columns if k in right.columns]
    if not shared:
        rows = np.repeat(np.arange(left.length, dtype=np.int64), right.length)
        return rows, np.tile(np.arange(right.length, dtype=np.int64), left.length)
    keys = [np.concatenate([left.columns[k], right.columns[k]]) for k in shared]
    codes, size = combined(keys, [sizes[k] for k in shared])
    left_codes, right_codes = codes[: left.length], codes[left.length :]
    order, offsets = stable_order(right_codes, size), offsets_of(right_codes, size)
    rows, places = _spread((offsets[1:] - offsets[:-1])[left_codes], offsets[left_codes], order)
    return rows, places


def _spread(counts: Ints, firsts: Ints, values: Ints) -> tuple[Ints, Ints]:
    """For each k, counts[k] times k, beside values[firsts[k]], values[firsts[k] + 1] and so on."""
    rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    within = np.arange(len(rows), dtype=np.int64) - np.repeat(np.cumsum(counts) - counts, counts)
    return rows, values[firsts[rows] + within]


def join(left: KeyTuples, right: KeyTuples, sizes: Sequence[int]) -> KeyTuples:
    """The natural join."""
    left_rows, right_rows = matching_pairs(left, right, sizes)
    columns = {k: codes[left_rows] for k, codes in left.columns.items()}
    columns |= {k: codes[right_rows] for k, codes in right.columns.items() if k not in columns}
    return KeyTuples(columns, len(left_rows))


def distinct(relation: KeyTuples, sizes: Sequence[int], classes: Iterable[int] | None = None) -> KeyTuples:
    """The relation on some of its classes, each tuple once, in order of first occurrence."""
    kept = sorted(relation.columns if classes is None else set(classes) & relation.columns.keys())
    if not kept:
        return KeyTuples({}, min(relation.length, 1))
    codes, size = combined([relation.columns[k] for k in kept], [sizes[k] for k in kept])
    first = np.full(size, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(relation.length - 1, -1, -1, dtype=np.int64)
    rows = np.sort(first[first >= 0])
    return KeyTuples({k: relation.columns[k][rows] for k in kept}, len(rows))


def partitions(pattern: Pattern, carried: Mapping[str, KeyTuples], classes: int, sizes: Sequence[int]) -> KeyTuples:
    """Every key that a match may have. `carried`: for each positive variable, the distinct keys of its events."""
    keyed = _bound(pattern, carried, sizes)
    for k in range(classes):
        if k not in keyed.columns:
            values = np.unique(np.concatenate([r.columns[k] for r in carried.values() if k in r.columns]))
            keyed = join(keyed, KeyTuples({k: values}, len(values)), sizes)
    return keyed


_ANYTHING = KeyTuples({}, 1)


def _bound(pattern: Pattern, carried: Mapping[str, KeyTuples], sizes: Sequence[int]) -> KeyTuples:
    """The keys that a match of this part of the pattern may have, on the classes that every such match binds."""
    match pattern:
        case Unit():
            return carried[pattern.variable]
        case Seq():
            parts = [_bound(element, carried, sizes) for element in pattern.elements]
            # relations on few classes first: they reduce the keys before wider relations multiply them
            parts.sort(key=lambda part: (-len(part.columns), part.length))
            return reduce(lambda left, right: join(left, right, sizes), parts)
        case Kleene():
            return _bound(pattern.body, carried, sizes) if pattern.least > 0 else _ANYTHING
        case Alternative():
            return _either([_bound(option, carried, sizes) for option in pattern.options], sizes)
        case AnyOf():
            return _either([carried[unit.variable] for unit in pattern.units], sizes)
        case Conjunction():
            return join(_bound(pattern.left, carried, sizes), _bound(pattern.right, carried, sizes), sizes)
        case Not():
            return _ANYTHING


def _either(options: Sequence[KeyTuples], sizes: Sequence[int]) -> KeyTuples:
    """The union on the classes that all options bind."""
    common = sorted(set.intersection(*(set(option.columns) for option in options)))
    columns = {k: np.concatenate([option.columns[k] for option in options]) for k in common}
    return distinct(KeyTuples(columns, sum(option.length for option in options)), sizes)
