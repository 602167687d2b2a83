"""`cep.aggregate` aggregates exactly the matches that `cep.match` lists (docs/semantics.md 4)."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.language.errors import NotSupportedYet
from tests.trends.random_queries import logs, queries


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(queries(), logs(), st.sampled_from(["concurrent", "ordered"]))
def test_counts_are_the_listed_matches(text: str, log: pa.Table, ties: str) -> None:
    """Window by window, for the same query with SLIDE."""
    count = re.sub(r"RETURN .* PATTERN", "RETURN COUNT(*) PATTERN", text)
    size = re.search(r"WITHIN (\d+)", text)
    assert size is not None
    listing = re.sub(r"RETURN .* PATTERN", "PATTERN", text)
    if "GROUP-BY g" in listing:
        listing = listing.replace("GROUP-BY g", "").replace(
            "WITHIN", "AND [g] WITHIN" if "WHERE" in text else "WHERE [g] WITHIN"
        )
    if "SLIDE" not in listing:
        listing += f" SLIDE {size[1]}"
    try:
        matches = cep.match(listing, log, ties=ties)
    except NotSupportedYet:
        reject()
    counts: Counter[int] = Counter()
    for row in cep.aggregate(count, log, ties=ties).to_pylist():
        counts[row["window_start"]] += int(row["count"])
    assert counts == Counter(matches.column("window_start").to_pylist())
