"""Which episodes are a day's longest, and which pieces may belong to them."""

from __future__ import annotations

import pyarrow as pa

from cep_core.monitoring.shared.longest import candidates, longest_of_each_day

Episode = tuple[int, int, int, bool, bool, str]
"""First and last stamp, points, whether it touches the begin and the end of its part, its value."""


def table(*episodes: Episode) -> pa.Table:
    first, last, points, begins, ends, values = map(list, zip(*episodes, strict=True))
    zeros = [0] * len(first)
    columns = {"first_ts": first, "first_offset": zeros, "last_ts": last, "last_offset": zeros, "points": points}
    columns |= {"touches_begin": begins, "touches_end": ends, "x": values, "certain": first}
    return pa.table(columns)


def test_time_comes_before_points_and_points_before_order() -> None:
    episodes = table(
        (1, 5, 2, False, False, "b"),
        (2, 6, 3, False, False, "a"),
        (1, 5, 3, False, False, "c"),
        (1, 5, 3, False, False, "b"),
        (0, 9, 1, False, False, "z"),
    )
    assert longest_of_each_day(episodes, None, 9).tolist() == [4, 3, 2, 1, 0]
    assert longest_of_each_day(episodes, None, 2).tolist() == [4, 3]


def test_each_day_has_its_own() -> None:
    episodes = table((1, 2, 1, False, False, "a"), (3, 7, 1, False, False, "a"), (11, 12, 1, False, False, "a"))
    assert longest_of_each_day(episodes, (0, 10, 20), 1).tolist() == [1, 2]


def test_times_may_be_at_both_ends_of_64_bits() -> None:
    episodes = table((0, 5, 1, False, False, "a"), (-(2**63), 2**63 - 1, 2, False, False, "a"))
    assert longest_of_each_day(episodes, None, 1).tolist() == [1]


def test_pieces_that_reach_a_cut_may_be_part_of_a_long_one() -> None:
    pieces = table(
        (1, 1, 1, True, False, "a"),
        (2, 6, 3, False, False, "a"),
        (9, 9, 1, False, True, "b"),
        (11, 11, 1, True, False, "a"),
        (12, 15, 2, False, False, "a"),
        (19, 19, 1, False, True, "a"),
    )
    days = (0, 10, 20)
    assert candidates(pieces, days, 1, (False, False)).tolist() == [1, 4]
    assert candidates(pieces, days, 1, (True, False)).tolist() == [0, 1, 4]
    assert candidates(pieces, days, 1, (True, True)).tolist() == [0, 1, 4, 5]
