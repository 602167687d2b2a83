"""Stream statistics for slicing: events of each type, values of each slicing attribute (paper 01, section 5.2).

Values are counted by relation: an event type with an atom's constants and equal attributes. So `insert(_, "db1", x)` is
another relation than `insert(_, "db2", x)`, and a value may be heavy in one of them alone.

Counts are exact and can be added: the statistics of a log are the sum of those of its parts. Rates are counts divided
by the length of the period. Assumes the Arrow contract of a log (`cep_core.events`).

Cost: one grouping of each relation's slicing attributes, O(events + distinct values).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import Atom
from cep_core.slicing.atom_rows import AtomRows, relation_of, united, with_constants


@dataclass(frozen=True)
class Frequencies:
    """How often each value occurs in one attribute of one relation; nulls are not counted.

    `counts` are exact if `error` is 0. Otherwise they come from a sketch: they are upper bounds that exceed the truth
    by at most `error`, and `others` events carry values that are not listed.
    """

    values: pa.Array
    counts: npt.NDArray[np.int64]
    others: int = 0
    error: int = 0

    def __add__(self, other: Frequencies) -> Frequencies:
        """The frequencies of both parts together."""
        rows = pa.table(
            {
                "value": pa.concat_arrays([self.values, other.values]),
                "count": np.concatenate([self.counts, other.counts]),
            }
        )
        grouped = rows.group_by("value", use_threads=False).aggregate([("count", "sum")])
        counts = grouped["count_sum"].to_numpy().astype(np.int64)
        values = grouped["value"].combine_chunks()
        return Frequencies(values, counts, self.others + other.others, self.error + other.error)


@dataclass(frozen=True)
class Statistics:
    """What the planner knows about a period of a log.

    `events`: events of each type. `frequencies`: by (relation, attribute), relations as in `relation_of`. `matched`:
    events that an atom or relation matches, with its constants, repeated variables and nulls considered; one without
    an entry matches all events of its type. `relevant`: events that at least one atom matches; None: all. `span`:
    length of the period in the log's unit.
    """

    events: Mapping[str, int]
    frequencies: Mapping[tuple[Atom, str], Frequencies] = field(default_factory=dict)
    matched: Mapping[Atom, int] = field(default_factory=dict)
    relevant: int | None = None
    span: int = 1

    def rate(self, event_type: str) -> float:
        """Events of this type per unit of time, the paper's gamma(r)."""
        return self.events.get(event_type, 0) / self.span

    def matching(self, atom: Atom) -> int:
        """Events that the atom matches."""
        return self.matched.get(atom, self.events.get(atom.event_type, 0))

    def total(self, atoms: Sequence[Atom]) -> int:
        """Events that at least one atom matches. Loads are fractions of this number."""
        if self.relevant is not None:
            return self.relevant
        return sum(self.events.get(name, 0) for name in {atom.event_type for atom in atoms})

    def __add__(self, other: Statistics) -> Statistics:
        """The statistics of two disjoint periods together. Both must be about the same atoms."""
        types, attributes = dict.fromkeys([*self.events, *other.events]), dict.fromkeys(self.frequencies)
        return Statistics(
            {name: self.events.get(name, 0) + other.events.get(name, 0) for name in types},
            {key: self.frequencies[key] + other.frequencies[key] for key in attributes},
            {atom: self.matched[atom] + other.matched[atom] for atom in self.matched},
            None if self.relevant is None or other.relevant is None else self.relevant + other.relevant,
            self.span + other.span,
        )


def statistics_of(events: pa.Table, atoms: Sequence[Atom], span: int = 1) -> Statistics:
    """Exact statistics of `events` for plans over `atoms`; `span` is the length of their period in the log's unit.

    >>> log = pa.table({"event_type": ["A", "A", "A", "B"], "ts": [0, 0, 1, 1], "x": [1, 2, 3, 7]})
    >>> statistics = statistics_of(log, [Atom("A", (("x", "v"),)), Atom("B", (("x", "v"),))], span=2)
    >>> statistics.rate("A"), statistics.rate("B"), statistics.frequencies[Atom("B"), "x"].values.to_pylist()
    (1.5, 0.5, [7])
    """
    count_of_type = {row["values"]: row["counts"] for row in pc.value_counts(events["event_type"]).to_pylist()}
    types = dict.fromkeys(atom.event_type for atom in atoms)
    matches = AtomRows(events)
    matching = {atom: matches.rows(atom) for atom in dict.fromkeys(atoms)}
    rows_of = {relation: matches.rows(relation) for relation in relations_of(atoms)}
    matched = {atom: len(rows) for atom, rows in (matching | rows_of).items()}
    frequencies = {
        (relation, attribute): value_counts(events[attribute], rows_of[relation])
        for relation, attribute in counted_places(atoms)
    }
    relevant = len(united(matching.values(), events.num_rows))
    return Statistics({name: count_of_type.get(name, 0) for name in types}, frequencies, matched, relevant, span)


def value_counts(column: pa.ChunkedArray, rows: npt.NDArray[np.int64]) -> Frequencies:
    """How often each value occurs in some rows of a column.

    >>> value_counts(pa.chunked_array([[7, 8, None, 7]]), np.array([0, 2, 3])).counts.tolist()
    [2]
    """
    tally = pc.value_counts(column.take(pa.array(rows)).drop_null())
    values, counts = tally.field("values"), tally.field("counts").to_numpy(zero_copy_only=False)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return Frequencies(values, counts.astype(np.int64))


def relations_of(atoms: Iterable[Atom]) -> list[Atom]:
    """The relations that are counted for plans over `atoms`: those of the atoms, also without equal attributes."""
    return list(dict.fromkeys(relation for atom in atoms for relation in (relation_of(atom), with_constants(atom))))


def counted_places(atoms: Iterable[Atom]) -> list[tuple[Atom, str]]:
    """The (relation, attribute) pairs whose values are counted for plans over `atoms`."""
    return list(dict.fromkeys((relation_of(atom), attribute) for atom in atoms for attribute, _ in atom.variables))


def statistics_by_interval(events: pa.Table, atoms: Sequence[Atom], width: int) -> dict[int, Statistics]:
    """Statistics of each aligned interval [i*width, (i+1)*width) of log time that has events, by its index i."""
    indices = np.floor_divide(events["ts"].to_numpy(), width)
    return {
        int(index): statistics_of(events.filter(pa.array(indices == index)), atoms, width)
        for index in np.unique(indices)
    }
