"""What a plan will cost on events with given statistics: maximum load, replication, and paper 01's bound.

The prediction hashes the known values with the plan's own seeds. It assumes that the attributes of an event type are
independent of each other, so it is exact for plans over one variable. Values that a sketch does not list are spread
evenly. If two atoms (or two heavy sets) of one event type send the same events to the same cells, they count once, also
if one has further constants; if their constants differ, they have no event in common; otherwise they count as
independent.

The bound (section 5.3) is the sum of rate / product of shares over all heavy sets and atoms. With high probability over
the hash functions, the maximum load is at most that, up to a factor logarithmic in the number of slices.

Cost: one hash of each distinct value for each (attribute, share), then O(atoms * cubes * cells), where cubes that treat
an atom's variables alike count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing.atom_rows import relation_of, with_constants
from cep_core.slicing.hashing import Keys, coordinates, keys_of
from cep_core.slicing.shares import bound, subsets
from cep_core.slicing.slicing_plan import Cube, Plan
from cep_core.slicing.statistics import Statistics

Loads = npt.NDArray[np.float64]
Cells = npt.NDArray[np.int64]
Hits = Mapping[Atom, tuple[Loads, frozenset[object]]]
"""By atom: by cell, the chance that an event that it matches goes there; and what that chance depends on."""


class Predictor:
    """Predicts the costs of plans over the same statistics. It keeps the hashed values for the next plan."""

    def __init__(self, statistics: Statistics) -> None:
        self.statistics = statistics
        self._keys: dict[tuple[Atom, str, AttributeType], tuple[Keys, Loads]] = {}
        self._spreads: dict[tuple[object, ...], Loads] = {}

    def cell_loads(self, plan: Plan) -> Loads:
        """Expected load of each cell, before time ranges."""
        total = self.statistics.total(plan.atoms)
        loads = np.zeros(plan.cells)
        if not total:
            return loads
        atoms_of: dict[str, dict[Atom, list[Atom]]] = {}
        for atom in plan.atoms:
            atoms_of.setdefault(atom.event_type, {}).setdefault(with_constants(atom), []).append(atom)
        hits = {atom: self._hits(plan, atom) for atom in plan.atoms}
        for name, relations_of in atoms_of.items():
            of_type = _not_covered(hits, relations_of)
            missed, events = np.ones(plan.cells), self.statistics.events.get(name, 0)
            for relations in _disjoint(of_type):
                reached = sum((self._reached(hits, atom, of_type[atom]) for atom in relations), np.zeros(plan.cells))
                missed *= 1 - reached / max(1, events)
            loads += (1 - missed) * events / total
        return loads

    def _reached(self, hits: Hits, relation: Atom, atoms: Iterable[Atom]) -> Loads:
        """By cell: how many events of a relation go there, by any of the atoms, which have its constants."""
        events, missed = self.statistics.matching(relation), np.ones(())
        seen: set[frozenset[object]] = set()
        for atom in atoms:
            hit, signature = hits[atom]
            if signature not in seen:
                seen.add(signature)
                missed = missed * (1 - hit * (self.statistics.matching(atom) / events if events else 0))
        return (1 - missed) * events

    def bound(self, plan: Plan) -> float:
        """Paper 01's bound on the maximum load, before time ranges."""
        total = self.statistics.total(plan.atoms)
        if not total:
            return 0.0
        place = {name: index for index, name in enumerate(plan.variables)}
        rates = [self.statistics.matching(atom) / total for atom in plan.atoms]
        own = [[place[name] for name in bound(atom) if name in place] for atom in plan.atoms]
        return sum(
            rate / prod(cube.shares[index] for index in indices)
            for cube in plan.cubes
            for rate, indices in zip(rates, own, strict=True)
        )

    def _hits(self, plan: Plan, atom: Atom) -> tuple[Loads, frozenset[object]]:
        """By cell: the chance that an event matched by `atom` goes there; and what that chance depends on."""
        own = [(attribute, name) for attribute, name in _first_attributes(atom).items() if name in plan.variables]
        missing = [name for name in plan.heavy_keys if name not in {name for _, name in own}]
        hit = np.zeros(plan.cells)
        signature: set[object] = set()
        indices = [plan.variables.index(name) for _, name in own]
        for heavy in subsets([name for _, name in own if name in plan.heavy_keys]):
            missed, mass = np.ones(plan.cells), 1.0
            requirements: set[object] = set()
            cubes = [plan.by_heavy[frozenset((*heavy, *group))] for group in subsets(missing)]
            unlike = {_treatment(cube, indices): cube for cube in cubes}
            for cube in unlike.values():
                chance, requirement, mass = self._chance(plan, atom, cube, own)
                if requirement not in requirements and mass > 0:
                    requirements.add(requirement)
                    missed *= 1 - chance / mass
            hit += mass * (1 - missed)
            signature |= requirements
        return hit, frozenset(signature)

    def _chance(self, plan: Plan, atom: Atom, cube: Cube, own: list[tuple[str, str]]) -> tuple[Loads, object, float]:
        """By cell: the chance that an event is as heavy as `cube` says and goes there.

        Also returns what that chance depends on, and the chance that an event is as heavy as `cube` says."""
        cells = np.arange(plan.cells)
        chance = (cells < cube.cells).astype(np.float64)
        mass = 1.0
        requirement: list[object] = [cube.cells if cube.cells < plan.cells else None]
        for attribute, name in own:
            index = plan.variables.index(name)
            share, seed = cube.shares[index], cube.seeds[index]
            spread = self._spread(plan, relation_of(atom), attribute, index, cube)
            places = cells // cube.strides[index] % share
            chance *= spread[places]
            mass *= float(spread.sum())
            if share > 1 or name in plan.heavy_keys:
                code = (seed, share, places.tobytes()) if share > 1 else ()
                requirement.append((attribute, name in cube.heavy, name in plan.heavy_keys and name, code))
        return chance, tuple(sorted(requirement, key=repr)), mass

    def _spread(self, plan: Plan, relation: Atom, attribute: str, index: int, cube: Cube) -> Loads:
        """By coordinate: the fraction of an attribute's events that go there.

        Only values that are as heavy as `cube` says count.
        """
        name, share, seed = plan.variables[index], cube.shares[index], cube.seeds[index]
        heavy, is_heavy = plan.heavy_keys.get(name), name in cube.heavy
        case = (
            relation,
            attribute,
            plan.types[index],
            share,
            seed,
            is_heavy,
            None if heavy is None else heavy.tobytes(),
        )
        if case not in self._spreads:
            keys, fractions, unlisted = self._values(relation, attribute, plan.types[index])
            if heavy is not None:
                as_heavy = np.isin(keys, heavy) == is_heavy
                keys, fractions = keys[as_heavy], fractions[as_heavy]
            spread = np.bincount(coordinates(keys, seed, share), fractions, share).astype(np.float64)
            self._spreads[case] = spread if is_heavy else spread + unlisted / share
        return self._spreads[case]

    def _values(self, relation: Atom, attribute: str, kind: AttributeType) -> tuple[Keys, Loads, float]:
        """Keys of the listed values, the fraction of events with each, and the fraction with unlisted values."""
        frequencies = self.statistics.frequencies.get((relation, attribute))
        if frequencies is None:
            return np.empty(0, np.uint64), np.empty(0), 1.0
        if (relation, attribute, kind) not in self._keys:
            keys, _ = keys_of(frequencies.values, kind)
            self._keys[relation, attribute, kind] = keys, frequencies.counts.astype(np.float64)
        keys, counts = self._keys[relation, attribute, kind]
        total = float(counts.sum()) + frequencies.others
        return (keys, counts / total, frequencies.others / total) if total else (keys, counts, 0.0)


def _not_covered(hits: Hits, of_type: Mapping[Atom, list[Atom]]) -> dict[Atom, list[Atom]]:
    """The relations of an event type without those whose events another one, with fewer constants, sends along."""
    ways = {relation: {hits[atom][1] for atom in atoms} for relation, atoms in of_type.items()}
    return {
        relation: atoms
        for relation, atoms in of_type.items()
        if not any(
            set(other.constants) < set(relation.constants) and ways[relation] <= ways[other] for other in of_type
        )
    }


def _treatment(cube: Cube, indices: Sequence[int]) -> tuple[object, ...]:
    """What the cells of an event depend on, where an atom binds the variables at `indices`."""
    return cube.cells, *((cube.shares[index], cube.strides[index], cube.seeds[index]) for index in indices)


def _disjoint(relations: Iterable[Atom]) -> list[list[Atom]]:
    """Relations of one event type in groups: no event is in two relations of a group, because constants differ."""
    groups: list[list[Atom]] = []
    for relation in dict.fromkeys(relations):
        constants = dict(relation.constants)
        apart = (group for group in groups if all(_are_apart(constants, dict(other.constants)) for other in group))
        group = next(apart, None)
        if group is None:
            groups.append([relation])
        else:
            group.append(relation)
    return groups


def _are_apart(first: Mapping[str, object], second: Mapping[str, object]) -> bool:
    return any(first[name] != second[name] for name in first.keys() & second.keys())


def _first_attributes(atom: Atom) -> dict[str, str]:
    """Maps attributes to variables: the first attribute of each variable."""
    first: dict[str, str] = {}
    for attribute, variable in atom.variables:
        first.setdefault(variable, attribute)
    return {attribute: variable for variable, attribute in first.items()}
