"""Slicing: cutting a log into parts that evaluators can process independently (paper 01, sections 4 and 5).

It uses only `Atom`s and `Reach`, never an engine. `statistics_of` counts, `make_plan` optimises, `split` sends
events to slices, and `ownership` says which results belong to a slice. `cep_core.slicing.sketch` counts in bounded
memory (extra `sketch`).
"""

from cep_core.slicing.heavy import heavy_hitters, heavy_values
from cep_core.slicing.joiner import cell_of, joint_ownership, keep_owned, ownership, owning_slices, union_suffices
from cep_core.slicing.planner import make_plan
from cep_core.slicing.ranges import TimeRange, cut, read_from, shares_read
from cep_core.slicing.real_shares import lower_bound
from cep_core.slicing.shares import optimize_shares
from cep_core.slicing.slicing_plan import Cube, Plan, Prediction, cubes_of
from cep_core.slicing.splitter import slices_of, split
from cep_core.slicing.statistics import Frequencies, Statistics, statistics_by_interval, statistics_of

__all__ = [
    "Cube",
    "Frequencies",
    "Plan",
    "Prediction",
    "Statistics",
    "TimeRange",
    "cell_of",
    "cubes_of",
    "cut",
    "heavy_hitters",
    "heavy_values",
    "joint_ownership",
    "keep_owned",
    "lower_bound",
    "make_plan",
    "optimize_shares",
    "ownership",
    "owning_slices",
    "read_from",
    "shares_read",
    "slices_of",
    "split",
    "statistics_by_interval",
    "statistics_of",
    "union_suffices",
]
