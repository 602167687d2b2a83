"""A query as the slicer sees it, and which queries can share a plan.

Two queries agree if their variables are bound by the same attributes and, where both read an event type, by the same
attributes of this type. Then an event goes to the same slices for both. What the variables are called is of no account.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cep_core.language.evaluator import Atom

Attributes = tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """A query's atoms, and the variables that it slices on. `hidden`: those that its results do not have."""

    query: str
    atoms: tuple[Atom, ...]
    variables: tuple[str, ...]
    hidden: frozenset[str] = frozenset()

    @classmethod
    def whole(cls, query: str, atoms: Sequence[Atom], hidden: Iterable[str] = ()) -> Seen:
        """A query with all the variables that its atoms bind."""
        return cls(query, tuple(atoms), variables_of(atoms), frozenset(hidden))

    def places(self, variable: str) -> tuple[tuple[str, str], ...]:
        """The (event type, attribute) pairs that bind a variable, sorted."""
        pairs = {(atom.event_type, name) for atom in self.atoms for name, own in atom.variables if own == variable}
        return tuple(sorted(pairs))

    def attributes(self, variable: str) -> Attributes:
        """The attributes that bind a variable, sorted.

        >>> both = Seen.whole("q", [Atom("A", (("dest", "x"),)), Atom("B", (("origin", "x"), ("line", "l")))])
        >>> both.attributes("x"), both.bound
        (('dest', 'origin'), (('line',), ('dest', 'origin')))
        """
        return tuple(sorted({attribute for _, attribute in self.places(variable)}))

    def on(self, variables: Iterable[str]) -> Seen:
        """The query sliced on these variables, in an order that does not depend on their names."""
        order = sorted(variables, key=lambda name: (self.attributes(name), self.places(name), name))
        return replace(self, variables=tuple(order))

    @property
    def bound(self) -> tuple[Attributes, ...]:
        """The attributes that bind each variable."""
        return tuple(map(self.attributes, self.variables))

    def on_bound(self, bound: Sequence[Attributes]) -> Seen | None:
        """The query sliced on variables that are bound by these attributes; None if it has no such."""
        free, chosen = list(self.variables), []
        for attributes in bound:
            fitting = [name for name in free if self.attributes(name) == attributes]
            if not fitting:
                return None
            chosen.append(fitting[0])
            free.remove(fitting[0])
        return replace(self, variables=tuple(chosen))

    def hides(self, variables: Iterable[str]) -> bool:
        """Whether the query's results lack some of these variables."""
        return not self.hidden.isdisjoint(variables)

    @property
    def is_projected(self) -> bool:
        """Whether it is sliced by variables that its results lack."""
        return self.hides(self.variables)

    def agrees(self, other: Seen) -> bool:
        """Whether the two queries send every event that both read to the same slices."""
        shared = {atom.event_type for atom in self.atoms} & {atom.event_type for atom in other.atoms}

        def of_shared(seen: Seen) -> list[list[tuple[str, str]]]:
            return [[place for place in seen.places(name) if place[0] in shared] for name in seen.variables]

        return self.bound == other.bound and of_shared(self) == of_shared(other)


def in_one_vocabulary(members: Sequence[Seen]) -> dict[str, tuple[Atom, ...]]:
    """The atoms of queries that agree, by query: each calls the sliced variables as the first one does.

    Other variables get one name in all queries if the same attributes bind them, so that equal atoms are equal.

    >>> first, second = Seen.whole("p", [Atom("A", (("k", "x"),))]), Seen.whole("q", [Atom("A", (("k", "y"),))])
    >>> in_one_vocabulary([first, second])["q"] == first.atoms
    True
    """
    sliced = members[0].variables
    taken, others = set(sliced), dict[tuple[Attributes, int], str]()
    atoms_of = {}
    for member in members:
        names = dict(zip(member.variables, sliced, strict=True))
        seen: list[Attributes] = []
        for own in variables_of(member.atoms):
            if own in names:
                continue
            attributes = member.attributes(own)
            place = attributes, seen.count(attributes)
            seen.append(attributes)
            if place not in others:
                name = own
                while name in taken:
                    name += "'"
                others[place] = name
                taken.add(name)
            names[own] = others[place]
        atoms_of[member.query] = tuple(
            replace(atom, variables=tuple((attribute, names[own]) for attribute, own in atom.variables))
            for atom in member.atoms
        )
    return atoms_of


def variables_of(atoms: Iterable[Atom]) -> tuple[str, ...]:
    """The slicing variables of a query, sorted."""
    return tuple(sorted({variable for atom in atoms for _, variable in atom.variables}))
