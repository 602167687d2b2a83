"""SINCE and UNTIL with any interval: one pass with two monotone pointers.

Of the places with `right` that are at least `low` away, the nearest is the best: the interval reaches it if it reaches
any, and it needs the shortest run of `left`. One pointer runs over the places that become far enough away and keeps the
nearest with `right`; the other keeps the end of the run of `left`. Cost: O(places), at most two times read a place,
whatever the interval. No finite interval lets a pointer pass a border, since each sub-log begins anew.
"""

from __future__ import annotations

from numba import njit

from cep_core.arrays import Flags, Ints

Bounds = tuple[int, int]
"""The least and the greatest difference of times."""


@njit(cache=True)
def since_between(left: Flags, right: Flags, starts: Ints, times: Ints, bounds: Bounds, held: Flags) -> None:
    """`left SINCE[low, high] right`, in `held`: [places] truth values."""
    low, high = bounds
    for sub_log in range(starts.shape[0] - 1):
        begin = starts[sub_log]
        far = begin - 1  # the latest place that is at least `low` earlier
        nearest = -1  # the latest place up to `far` with `right`
        since = begin  # the earliest place after which `left` held everywhere
        for place in range(begin, starts[sub_log + 1]):
            time = times[place]
            since = since if left[place] else place
            while far < place and time - times[far + 1] >= low:
                far += 1
                nearest = far if right[far] else nearest
            some = nearest >= since
            held[place] = some & (time - times[nearest if some else place] <= high)


@njit(cache=True)
def until_between(left: Flags, right: Flags, starts: Ints, times: Ints, bounds: Bounds, held: Flags) -> None:
    """`left UNTIL[low, high] right`, in `held`: [places] truth values."""
    low, high = bounds
    for sub_log in range(starts.shape[0] - 1):
        end = starts[sub_log + 1]
        far = end  # the earliest place that is at least `low` later
        nearest = left.shape[0]  # the earliest place from `far` on with `right`
        until = end - 1  # the latest place before which `left` holds everywhere
        for place in range(end - 1, starts[sub_log] - 1, -1):
            time = times[place]
            until = until if left[place] else place
            while far > place and times[far - 1] - time >= low:
                far -= 1
                nearest = far if right[far] else nearest
            some = nearest <= until
            held[place] = some & (times[nearest if some else place] - time <= high)
