"""Algorithm 1 of paper 01 as printed: one event at a time, in plain Python. For tests and benchmarks."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import chain, combinations, product
from typing import Any

from cep_core.events.schema import AttributeType
from cep_core.slicing.slicing_plan import Cube, Plan

WORD = 2**64
FACTOR = 0xC6A4A7935BD1E995


def slices_of_event(plan: Plan, event: Mapping[str, Any]) -> set[int]:
    """The slices that an event goes to. `event` maps `event_type`, `ts` and attributes to values."""
    types = dict(zip(plan.variables, plan.types, strict=True))
    heavy = {name: {key_of(value, types[name]) for value in values.to_pylist()} for name, values in plan.heavy.items()}
    cells: set[int] = set()
    for atom in plan.atoms:
        if event["event_type"] != atom.event_type or any(event[name] != value for name, value in atom.constants):
            continue
        if any(event[attribute] is None for attribute, _ in atom.variables):
            continue
        valuation: dict[str, Any] = {}
        if any(valuation.setdefault(name, event[attribute]) != event[attribute] for attribute, name in atom.variables):
            continue
        keys = {name: key_of(value, types[name]) for name, value in valuation.items() if name in types}
        fixed = {name for name in keys if keys[name] in heavy.get(name, ())}
        optional = [name for name in heavy if name not in keys and heavy[name]]
        for group in chain.from_iterable(combinations(optional, size) for size in range(len(optional) + 1)):
            cube = plan.by_heavy[frozenset(fixed.union(group))]
            choices = [
                [coordinate(keys[name], seed, share)] if name in keys else range(share)
                for name, seed, share in zip(plan.variables, cube.seeds, cube.shares, strict=True)
            ]
            cells.update(cell_number(cube, place) for place in product(*choices))
    if not plan.ranges:
        return cells
    reading = [index for index, span in enumerate(plan.ranges) if span.reads_from <= event["ts"] < span.end]
    return {index * plan.cells + cell for index in reading for cell in cells}


def cell_number(cube: Cube, place: tuple[int, ...]) -> int:
    """The paper's xi: mixed radix, first variable lowest."""
    number = 0
    for digit, share in zip(reversed(place), reversed(cube.shares), strict=True):
        number = number * share + digit
    return number


def key_of(value: Any, kind: AttributeType) -> int:
    """The 64-bit key of one value that is not null."""
    if kind is AttributeType.STRING:
        return murmur64(str(value).encode())
    if kind is AttributeType.FLOAT:
        return int.from_bytes(struct.pack("<d", float(value) + 0.0), "little")
    return int(value) % WORD


def coordinate(key: int, seed: int | None, share: int) -> int:
    """The seeded hash of one key; without a seed, the key modulo the share."""
    if seed is None:
        return (key - WORD if key >= WORD // 2 else key) % share
    mixed = key ^ seed
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed = (mixed ^ mixed >> 33) * factor % WORD
    return ((mixed ^ mixed >> 33) >> 32) * share >> 32


def murmur64(text: bytes) -> int:
    """MurmurHash64A with seed 0."""
    hashed = len(text) * FACTOR % WORD
    whole = len(text) // 8 * 8
    for start in range(0, whole, 8):
        block = int.from_bytes(text[start : start + 8], "little") * FACTOR % WORD
        hashed = (hashed ^ (block ^ block >> 47) * FACTOR % WORD) * FACTOR % WORD
    if text[whole:]:
        hashed = (hashed ^ int.from_bytes(text[whole:], "little")) * FACTOR % WORD
    hashed = (hashed ^ hashed >> 47) * FACTOR % WORD
    return hashed ^ hashed >> 47
