"""What runs left in the small lake besides results: loads, refused rows, stages, plans, slices, experiments."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tests.reports.lake.small_days import DAY, EMPTY, HOLE, HOSTILE, QUOTES, REFUSED, SCRIPT, of_day


def loaded(day: date) -> dict[str, Any]:
    kept = day not in (HOLE, REFUSED)
    checks = [
        {"rule": "line_known", "severity": "fatal", "passed": kept, "reason": QUOTES, "observed": SCRIPT},
        {"rule": "few_refused", "severity": "warn", "passed": day != DAY, "reason": "rare", "observed": ""},
    ]
    checks = [{**check, "rows": 40, "unexpected": 0 if check["passed"] else 3} for check in checks]
    return {
        "digest": None if day == HOLE else "d1",
        "refused": day in (HOLE, REFUSED),
        "reason": f"line_known: {SCRIPT}" if day in (HOLE, REFUSED) else None,
        "events": 0 if day in (EMPTY, HOLE) else 40,
        "points": 0 if day in (EMPTY, HOLE) else 40,
        "checks": json.dumps(checks),
        **of_day(day),
    }


def source_rows(day: date) -> dict[str, Any]:
    gave = 0 if day == EMPTY else 40
    refused = 4 if day == DAY else 0
    counts = {"files": 1, "read": gave + refused + 7, "gave_event": gave, "refused": refused, "other_days": 7}
    return {"source": "trips", **counts, "without_event": 0, **of_day(day)}


def source_files(day: date) -> dict[str, Any]:
    counts = {name: count for name, count in source_rows(day).items() if name != "files"}
    of_file = {"file": f"/data/private/{SCRIPT}.csv", "size": 1234, "digest": "0123456789ab" + "f" * 52}
    return {**counts, **of_file, "lines": counts["read"] + 1, "no_rows": 1}


def quarantine() -> list[dict[str, Any]]:
    return [
        {
            "source": "trips",
            "file": f"/data/private/{SCRIPT}.csv",
            "raw": raw,
            "rule": "known_line",
            "reason": "a line has a name, not <i>?</i>",
            "undated": False,
            **of_day(DAY),
        }
        for raw in (*HOSTILE, "?,4\n")
    ]


def runs(day: date) -> list[dict[str, Any]]:
    began = datetime(2013, 4, 1, 3, 0, tzinfo=UTC)
    return [
        {
            "stage": stage,
            "status": "done",
            "message": f"{SCRIPT} {stage}",
            "workload_hash": "abc123",
            "versions": json.dumps(
                {
                    "tables": {"events": 3},
                    "software": {"numba": "0.60"},
                    "settings": "for large inputs" if number else "for small inputs",
                }
            ),
            "rows_in": 47,
            "rows_out": 40,
            "seconds": 1.5 + number,
            "started_at": began + timedelta(seconds=number),
            "details": "{}",
            **of_day(day),
        }
        for number, stage in enumerate(("ingest", "validate", "evaluate"))
    ]


def plan() -> dict[str, Any]:
    return {
        "plan_id": "0011223344556677",
        "queries": ["late_chains", "snowball"],
        "first_day": DAY,
        "last_day": DAY,
        "variables": ["line"],
        "slices": 4,
        "time_ranges": 1,
        "shares": json.dumps({"": {"line": 4}, "line": {"line": 1}}),
        "seeds": json.dumps({"": {"line": 7}}),
        "heavy_values": json.dumps({"line": [SCRIPT]}),
        "bound": 0.4,
        "predicted_load": 0.3,
        "predicted_replication": 1.1,
        "lower_bound": 0.25,
        "plan": json.dumps({"decisions": [f"heavy {SCRIPT} is told"]}),
        **of_day(DAY),
    }


def experiments() -> list[dict[str, Any]]:
    seconds = [("plan in use", "slowest_slice", 0.2, "s"), ("plan in use", "all_slices", 0.5, "s")]
    strategies = {"plan in use": 0.35, "hypercube with heavy hitters": 0.3, "broadcast": 0.6, SCRIPT: 1.0}
    counts = [
        (strategy, metric, value, unit)
        for strategy, load in strategies.items()
        for metric, value, unit in (
            ("maximum_load", load, "share of events"),
            ("replication", 1 + load, "copies"),
            ("imbalance", 4 * load, "ratio"),
        )
    ]
    known = [
        (strategy, {"variables": ["line"], "shares": {"": [4]}, "ranges": 1}, metric, value, unit)
        for strategy, metric, value, unit in [*counts, *seconds]
    ]
    known += [
        ("planned", {"slices": slices}, metric, value, "")
        for slices in (16, 2)
        for metric, value in (("predicted_load", 1.2 / slices), ("predicted_replication", 1.25), ("lower_bound", 0.05))
    ]
    return [
        {
            "experiment": "slicing:0011223344556677",
            "strategy": strategy,
            "parameters": json.dumps(parameters),
            "seed": None,
            "metric": metric,
            "value": value,
            "unit": unit,
            **of_day(DAY),
        }
        for strategy, parameters, metric, value, unit in known
    ]


EARLIER = {
    date(2013, 3, 5): {"plan in use": 0.5, "broadcast": 0.4, "hypercube with heavy hitters": 0.45},
    date(2013, 3, 6): {"plan in use": 0.3, "broadcast": 0.6, "hypercube with heavy hitters": 0.3},
    date(2013, 3, 7): {},
}
"""Maximum loads on the days before; the last was never compared."""


def earlier_plans() -> list[dict[str, Any]]:
    """A plan a day for the same queries."""
    return [
        {**plan(), "plan_id": f"{day:%m%d}" * 4, "first_day": day, "last_day": day, **of_day(day)} for day in EARLIER
    ]


def earlier_experiments() -> list[dict[str, Any]]:
    """What was counted for those."""
    return [
        {
            "experiment": "slicing:" + f"{day:%m%d}" * 4,
            "strategy": strategy,
            "parameters": "{}",
            "seed": None,
            "metric": "maximum_load",
            "value": load,
            "unit": "",
            **of_day(day),
        }
        for day, loads in EARLIER.items()
        for strategy, load in loads.items()
    ]


def slice_runs() -> list[dict[str, Any]]:
    return [
        {
            "query": query,
            "plan_id": "0011223344556677",
            "slice": number,
            "events": 10 + number,
            "rows": 3,
            "seconds": 0.01,
            "peak_memory": 2**28,
            "together": 4 if query == "snowball" else 1,
            "copies": 1.0,
            **of_day(DAY),
        }
        for query in ("late_chains", "snowball")
        for number in range(4)
    ]


def heavy_hitters() -> list[dict[str, Any]]:
    row = {"event_type": "Depart", "attribute": "line", "value": SCRIPT, "frequency": 30, "threshold": 10.5}
    return [{**row, "error_bound": 0, **of_day(DAY)}]
