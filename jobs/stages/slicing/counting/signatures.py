"""How many events of each type have the same signature, which says of some atoms whether they match the event.

There are few different signatures, so one pass over a log tells how many events each of the atoms, or any of several,
matches (`cep_core.slicing.atom_rows`), and one number for each signature is all that is kept.
Cost: a count of the types of events, which tells all of atoms that match every event of their type. For each other atom
a comparison of columns, and one grouping of numbers for each WORD of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics
from cep_core.slicing.atom_rows import AtomRows, named_alike
from cep_core.slicing.statistics import counted_places, relations_of

WORD = 62
"""Atoms that one whole number tells of."""


@dataclass(frozen=True)
class Signatures:
    """Counts of a log's events for some atoms and their relations. A signature has bit n if atom n matches."""

    atoms: Mapping[Atom, int]
    """Atom, as `named_alike`, -> its bit."""
    counts: Counter[tuple[str | None, int]] = field(default_factory=Counter)
    """(event type, signature) -> events."""

    @classmethod
    def over(cls, atoms: Iterable[Atom]) -> Signatures:
        """Counts of no events, for plans over these atoms."""
        given = tuple(atoms)
        alike = dict.fromkeys(map(named_alike, [*given, *relations_of(given)]))
        return cls({atom: number for number, atom in enumerate(alike)})

    @property
    def total(self) -> int:
        """How many events were counted."""
        return self.counts.total()

    def covers(self, atoms: Sequence[Atom]) -> bool:
        """Whether these atoms were counted."""
        return all(named_alike(atom) in self.atoms for atom in [*atoms, *relations_of(atoms)])

    def add(self, matches: AtomRows) -> None:
        """Count events. What an atom matches is looked at event by event only if the type alone does not tell it."""
        types = matches.types
        certain, looked_at = dict.fromkeys(types.written, 0), []
        for atom, number in self.atoms.items():
            if matches.is_whole(atom):
                certain[atom.event_type] = certain.get(atom.event_type, 0) | 1 << number
            else:
                looked_at.append((atom, number))
        words = [np.zeros(matches.events.num_rows, np.int64) for _ in range(0, len(looked_at), WORD)]
        for place, (atom, _) in enumerate(looked_at):
            words[place // WORD][matches.rows(atom)] |= 1 << place % WORD
        for code, own, events in _counted(types.codes, words):
            bits = sum(1 << number for place, (_, number) in enumerate(looked_at) if own >> place & 1)
            self.counts[types.written[code], certain[types.written[code]] | bits] += events

    def statistics(
        self, atoms: Sequence[Atom], frequencies: Mapping[tuple[Atom, str], Frequencies], span: int
    ) -> Statistics:
        """What the planner knows of these events, for plans over some of the atoms. `frequencies`: by place."""
        numbers = {atom: self.atoms[named_alike(atom)] for atom in [*atoms, *relations_of(atoms)]}
        own = sum(1 << number for number in {numbers[atom] for atom in atoms})
        types = sorted({atom.event_type for atom in atoms})
        return Statistics(
            {name: sum(events for (kind, _), events in self.counts.items() if kind == name) for name in types},
            {place: frequencies[place] for place in counted_places(atoms)},
            {
                atom: sum(events for (_, signature), events in self.counts.items() if signature >> number & 1)
                for atom, number in numbers.items()
            },
            sum(events for (_, signature), events in self.counts.items() if signature & own),
            span,
        )


def _counted(codes: Ints, words: Sequence[Ints]) -> Iterator[tuple[int, int, int]]:
    """(code, words as one number, events) of events with the same."""
    if not words:
        counts = np.bincount(codes)
        yield from ((int(code), 0, int(counts[code])) for code in np.flatnonzero(counts))
        return
    names = [str(place) for place in range(len(words))]
    events = pa.table([codes, *words], ["code", *names])
    for row in events.group_by(["code", *names]).aggregate([([], "count_all")]).to_pylist():
        yield row["code"], sum(row[name] << WORD * int(name) for name in names), row["count_all"]
