"""A slicing plan: all that the splitter and the joiner need (paper 01, section 5.3).

A plan holds one instance of the basic hypercube for each set H of variables that a valuation may be heavy in. Slices
are numbered range by range: `range * cells + cell`. A cell is the mixed-radix number of its coordinates, with the first
variable as the lowest digit (the paper's xi_H). Plans are values: equal inputs give equal plans. `to_dict` gives plain
JSON, and `plan_id` is a digest of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing.hashing import Keys, coordinates, keys_of, seed_of
from cep_core.slicing.ranges import TimeRange


@dataclass(frozen=True)
class Cube:
    """The basic hypercube for valuations that are heavy in exactly the variables `heavy`.

    `shares` and `seeds` are in the order of the plan's variables. A seed of None hashes by modulus, as in the paper's
    examples.
    """

    heavy: frozenset[str]
    shares: tuple[int, ...]
    seeds: tuple[int | None, ...]

    @property
    def cells(self) -> int:
        """How many cells this cube has."""
        return prod(self.shares)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """By variable: what one step along it adds to the number of a cell."""
        return tuple(prod(self.shares[:index]) for index in range(len(self.shares)))

    def place(self, cell: int, indices: Sequence[int]) -> tuple[int, ...]:
        """What each of the variables at `indices` adds to the number of a cell.

        >>> Cube(frozenset(), (2, 3), (None, None)).place(5, [0, 1])
        (1, 4)
        """
        return tuple(cell // self.strides[index] % self.shares[index] * self.strides[index] for index in indices)

    def along(self, index: int, keys: Keys) -> Any:
        """What the variable at `index` adds to the cell number, for each of the keys."""
        return coordinates(keys, self.seeds[index], self.shares[index]) * self.strides[index]


@dataclass(frozen=True)
class Prediction:
    """What a plan is expected to cost. Loads are shares of the events that the plan's atoms match."""

    bound: float
    """Paper 01's bound on the maximum load: every rate counted in full for every heavy set."""
    maximum_load: float
    replication: float
    """Copies of an event, on average."""
    lower_bound: float
    """No assignment of real-valued shares to this many slices has a lower cost when nothing is heavy."""


@dataclass(frozen=True)
class Plan:
    """How the events of some queries are cut into slices. See the module's docstring."""

    queries: tuple[str, ...]
    atoms: tuple[Atom, ...]
    variables: tuple[str, ...]
    types: tuple[AttributeType, ...]
    """The type to which values of each variable are coerced."""
    cubes: tuple[Cube, ...]
    heavy: Mapping[str, pa.Array] = field(default_factory=dict)
    """Heavy values of the variables that have any."""
    ranges: tuple[TimeRange, ...] = ()
    """Ascending and adjacent; empty: all of log time is one range."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a query calls the variables, in their order; a query without an entry calls them as the plan does."""
    period: tuple[int, int] | None = None
    """The plan is for results that become certain in [period[0], period[1]); None: at any time."""
    predicted: Prediction | None = None
    decisions: tuple[str, ...] = ()
    """The planner's reasons, one sentence for each choice; without values of the log, which `heavy` has."""

    @cached_property
    def cells(self) -> int:
        """Data slices of each time range: cells of the largest cube."""
        return max(cube.cells for cube in self.cubes)

    @property
    def slices(self) -> int:
        """Slices in use; they are numbered from 0."""
        return self.cells * max(1, len(self.ranges))

    def names_of(self, query: str) -> tuple[str, ...]:
        """What a query calls the plan's variables."""
        return self.names.get(query, self.variables)

    def covers(self, days: Sequence[int]) -> bool:
        """Whether the plan is for results that become certain in [days[0], days[-1])."""
        return self.period is None or (self.period[0] <= days[0] and days[-1] <= self.period[1])

    @cached_property
    def by_heavy(self) -> dict[frozenset[str], Cube]:
        """The cube of each heavy set."""
        return {cube.heavy: cube for cube in self.cubes}

    @cached_property
    def heavy_keys(self) -> dict[str, Keys]:
        """64-bit keys of the heavy values."""
        kinds = dict(zip(self.variables, self.types, strict=True))
        return {name: np.sort(keys_of(values, kinds[name])[0]) for name, values in self.heavy.items() if len(values)}

    @cached_property
    def plan_id(self) -> str:
        """A digest of the plan: 16 hexadecimal digits."""
        content = self._content()
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON values; `from_dict` reads it back."""
        return {"plan_id": self.plan_id, **self._content()}

    def _content(self) -> dict[str, Any]:
        return {
            "queries": list(self.queries),
            "atoms": [_atom_to_dict(atom) for atom in self.atoms],
            "variables": list(self.variables),
            "types": [kind.value for kind in self.types],
            "cubes": [
                {"heavy": sorted(cube.heavy), "shares": list(cube.shares), "seeds": list(cube.seeds)}
                for cube in self.cubes
            ],
            "heavy": {name: values.to_pylist() for name, values in sorted(self.heavy.items())},
            "ranges": [[span.start, span.end, span.reads_from] for span in self.ranges],
            "names": {query: list(names) for query, names in sorted(self.names.items())},
            "period": None if self.period is None else list(self.period),
            "predicted": None if self.predicted is None else dict(vars(self.predicted)),
            "decisions": list(self.decisions),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """The plan that `to_dict` wrote."""
        types = tuple(AttributeType(kind) for kind in content["types"])
        kinds = dict(zip(content["variables"], types, strict=True))
        return cls(
            tuple(content["queries"]),
            tuple(_atom_from_dict(atom) for atom in content["atoms"]),
            tuple(content["variables"]),
            types,
            tuple(
                Cube(frozenset(entry["heavy"]), tuple(entry["shares"]), tuple(entry["seeds"]))
                for entry in content["cubes"]
            ),
            {name: pa.array(values, ARROW_TYPES[kinds[name]]) for name, values in content["heavy"].items()},
            tuple(TimeRange(*entry) for entry in content["ranges"]),
            {query: tuple(names) for query, names in content.get("names", {}).items()},
            None if content.get("period") is None else (content["period"][0], content["period"][1]),
            None if content["predicted"] is None else Prediction(**content["predicted"]),
            tuple(content["decisions"]),
        )

    def describe(self) -> tuple[str, ...]:
        """Lines for `explain`."""
        if not self.variables:
            lines = ["no slicing variable: every event goes to every data slice, so there is one"]
        else:
            lines = [f"{self.cells} data slices by {', '.join(self.variables)}"]
            for cube in self.cubes:
                shares = " x ".join(f"{name} {share}" for name, share in zip(self.variables, cube.shares, strict=True))
                when = f"heavy {', '.join(sorted(cube.heavy))}" if cube.heavy else "nothing heavy"
                lines.append(f"shares, {when}: {shares}")
        lines += [f"heavy values of {name}: {shortened(values)}" for name, values in sorted(self.heavy.items())]
        if self.variables and not self.heavy:
            lines.append("no heavy values are told")
        if len(self.ranges) > 1:
            lines.append(f"{len(self.ranges)} time ranges from {self.ranges[0].start} to {self.ranges[-1].end}")
        if self.predicted is not None:
            costs = self.predicted
            lines.append(
                f"maximum load: predicted {costs.maximum_load:.3f}, bound {costs.bound:.3f}, "
                f"lower bound {costs.lower_bound:.3f}; {costs.replication:.2f} copies of an event"
            )
        return (*lines, *self.decisions)


def shortened(values: pa.Array, most: int = 5) -> str:
    """The first values as text, and how many more there are.

    >>> shortened(pa.array([1, 2, 3]), most=2)
    '1, 2 and 1 more'
    """
    texts = [str(value) for value in values[:most].to_pylist()]
    return ", ".join(texts) + (f" and {len(values) - most} more" if len(values) > most else "")


def cubes_of(
    shares: Mapping[frozenset[str], tuple[int, ...]], variables: tuple[str, ...], seed_text: str
) -> tuple[Cube, ...]:
    """One cube for each heavy set, with seeds from the text.

    A variable's hash function depends on its share alone. Where two heavy sets give a variable the same share, they use
    the same function. So an event that belongs to both is not copied needlessly (paper 01, Example 9).
    """
    return tuple(
        Cube(
            heavy,
            vector,
            tuple(seed_of(seed_text, name, share) for name, share in zip(variables, vector, strict=True)),
        )
        for heavy, vector in shares.items()
    )


def _atom_to_dict(atom: Atom) -> dict[str, Any]:
    return {
        "event_type": atom.event_type,
        "variables": [list(pair) for pair in atom.variables],
        "constants": [list(pair) for pair in atom.constants],
    }


def _atom_from_dict(content: Mapping[str, Any]) -> Atom:
    return Atom(
        content["event_type"],
        tuple((attribute, variable) for attribute, variable in content["variables"]),
        tuple((attribute, value) for attribute, value in content["constants"]),
    )
