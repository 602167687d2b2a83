"""Counting order is sorting; joins of relations are joins by enumeration."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cep_core.candidates.grouping import combined, offsets_of, stable_order
from cep_core.candidates.partitions import KeyTuples, join, partitions
from cep_core.language.patterns.bind.naming import name_variables
from cep_core.language.patterns.text.parsing import parse_pattern

SIZES = (3, 70_000, 2**33)


@given(st.sampled_from(SIZES).flatmap(lambda size: st.tuples(st.just(size), st.lists(st.integers(0, size - 1)))))
def test_stable_order_is_a_stable_sort(drawn: tuple[int, list[int]]) -> None:
    """Also where codes take two or three passes of 16 bits."""
    size, codes = drawn
    expected = sorted(range(len(codes)), key=lambda row: codes[row])
    assert stable_order(np.array(codes, dtype=np.int64), size).tolist() == expected


@given(st.lists(st.integers(0, 4)))
def test_offsets_tell_where_each_code_begins(codes: list[int]) -> None:
    """Rows of code c, in stable order, are [offsets[c], offsets[c + 1])."""
    offsets = offsets_of(np.array(codes, dtype=np.int64), 5)
    ordered = sorted(codes)
    assert all(ordered[offsets[c] : offsets[c + 1]] == [c] * codes.count(c) for c in range(5))
    assert offsets[-1] == len(codes)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1))))
def test_combined_codes_tell_tuples_apart(rows: list[tuple[int, int, int]]) -> None:
    """Equal codes exactly for equal tuples, and as many codes as tuples."""
    columns = [np.array([row[k] for row in rows], dtype=np.int64) for k in range(3)]
    codes, size = combined(columns, [3, 4, 2])
    assert len(set(zip(codes.tolist(), rows, strict=True))) == len(set(rows)) == len(set(codes.tolist()))
    assert not rows or size == len(set(rows))


def _relation(rows: set[tuple[int, ...]], classes: tuple[int, ...]) -> KeyTuples:
    ordered = sorted(rows)
    columns = {k: np.array([row[i] for row in ordered], dtype=np.int64) for i, k in enumerate(classes)}
    return KeyTuples(columns, len(ordered))


def _rows(relation: KeyTuples) -> set[tuple[int, ...]]:
    columns = [relation.columns[k].tolist() for k in sorted(relation.columns)]
    return set(zip(*columns, strict=True)) if columns else {()} if relation.length else set()


PAIRS = st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6)


@given(PAIRS, PAIRS)
def test_join_is_the_natural_join(left: set[tuple[int, int]], right: set[tuple[int, int]]) -> None:
    """Relations on classes (0, 1) and (1, 2) meet in class 1."""
    joined = join(_relation(left, (0, 1)), _relation(right, (1, 2)), [3, 3, 3])
    assert _rows(joined) == {(a, b, d) for a, b in left for c, d in right if b == c}


@given(PAIRS, PAIRS, PAIRS)
def test_partitions_of_choices_are_unions(
    a: set[tuple[int, int]], b: set[tuple[int, int]], c: set[tuple[int, int]]
) -> None:
    """Of SEQ(A, (B OR C), D*): A's keys that B or C have; what is optional restricts nothing."""
    pattern = name_variables(parse_pattern("SEQ(A, (B OR C), D*)"))
    carried = {
        "A": _relation(a, (0, 1)),
        "B": _relation(b, (0, 1)),
        "C": _relation(c, (0, 1)),
        "D": _relation(set(), (0,)),
    }
    assert _rows(partitions(pattern, carried, 2, [3, 3])) == a & (b | c)


@given(PAIRS, PAIRS)
def test_partitions_of_any_and_and(a: set[tuple[int, int]], b: set[tuple[int, int]]) -> None:
    """ANY(1, A, B): what either has; A AND B: what both have."""
    carried = {"A": _relation(a, (0, 1)), "B": _relation(b, (0, 1)), "B_right": _relation(b, (0, 1))}
    either = partitions(name_variables(parse_pattern("ANY(1, A, B)")), carried, 2, [3, 3])
    of_and = partitions(name_variables(parse_pattern("A AND B")), carried, 2, [3, 3])
    assert _rows(either) == a | b
    assert _rows(of_and) == a & b
