"""Results that are missing because a query's daily budget of work was too small (`docs/semantics.md` 3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jobs.reports.words.quantities import Magnitude, counted, quantity

NO_RESULT = "no result"
"""The text in a table in place of a missing result's number."""


def is_missing(record: Mapping[str, Any]) -> bool:
    """Whether a row of `result_days` says that there is no result. Rows of older tables lack the column.

    >>> is_missing({"exhausted": None}), is_missing({"exhausted": '{"work": 5}'}), is_missing({})
    (False, True, False)
    """
    return record.get("exhausted") is not None


def why_missing(record: Mapping[str, Any]) -> str:
    """Why there is no result, and how to get one.

    >>> why_missing({"exhausted": '{"work": 300000000, "candidates": "6227020800", "reason": ""}'}).split(". ")[0]
    'No result: its 6.2e9 candidates need more than the 300,000,000 steps of work that a query has for a day'
    """
    exhausted = json.loads(record["exhausted"])
    steps = counted(exhausted["work"], "step")
    if exhausted["reason"]:
        why = f"{exhausted['reason']}, with {steps} of work for a query and day"
    else:
        count = None if exhausted["candidates"] is None else Magnitude.of(int(exhausted["candidates"]))
        many = (
            "its candidates, which only a listing can count," if count is None else f"its {quantity(count)} candidates"
        )
        why = f"{many} need more than the {steps} of work that a query has for a day"
    return f"No result: {why}. It will be computed again when limits.work is raised."
