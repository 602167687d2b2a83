"""Rows of a shedding comparison as `cep_core.experiments.shedding_rows` names them, with numbers of the test itself.

Two queries of 80 and 20 matches, two loads, four equal parts of the day; pSPICE keeps the bound, E-BL breaks it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from tests.reports.lake.small_days import DAY, INCOMPLETE, SCRIPT, of_day, start_of

LOADS = (1.2, 1.4)
BUSY = 2.0
"""How much busier than the day its busiest three hours are."""
QUERIES = {"snowball": (80, 2), "late_chains": (20, 1)}
"""Matches and states."""
BOUND = 10_000_000

LOST = {
    "none": 0.0,
    "pSPICE": 0.12,
    "pSPICE--": 0.2,
    "PM-BL": 0.31,
    "E-BL": 0.05,
    "trend counts": 0.1,
    "greedy look-ahead": 0.08,
    "clairvoyant": 0.02,
    SCRIPT: 0.9,
}
"""At 140 % over the busiest hours; half of it at 120 %, a tenth more over the day, twice that with half the bound."""
CHOICE = 0.75
USELESS = 0.46
LEAST = 0.01
"""What no strategy that drops partial matches can come below, at 140 % over the busiest hours."""
LATE = {"none": 0.4, "E-BL": 0.01}
RANDOM = ("PM-BL", "E-BL")


def measured(
    day: date = DAY,
    lost: Mapping[str, float] = LOST,
    late: Mapping[str, float] = LATE,
    loads: tuple[float, ...] = LOADS,
    matches: int = 100,
    choice: float = CHOICE,
    least: float = LEAST,
) -> list[dict[str, Any]]:
    """A day's rows; nothing lost is nothing dropped. Chance loses a tenth more or less with the seeds."""
    rows: list[dict[str, Any]] = []
    marked = (loads[-1], "busiest", BOUND)
    settings = [(load, over, BOUND) for over in ("day", "busiest") for load in loads]
    for setting in [*settings, (loads[-1], "busiest", BOUND // 2)]:
        load, over, bound = setting
        about: dict[str, Any] = {"bound_ns": bound, "buffer_ns": 0, "load": load, "load_over": over}
        if over == "busiest":
            begin = start_of(day) + 10 * 3600
            about |= {"busiest_from": begin, "busiest_to": begin + 3 * 3600, "load_over_day": load / BUSY}
        about |= {"busiest_hours": 3} | ({"told": True} if setting == marked else {})
        more = (1.0 if load == loads[-1] else 0.5) * (1.1 if over == "day" else 1.0) * (2.0 if bound < BOUND else 1.0)
        for strategy, most in lost.items():
            for seed in (0, 1, 2) if strategy in RANDOM else (0,):
                share = min(1.0, most * more * (1 + 0.1 * (seed - 1) * (strategy in RANDOM)))
                own = _run(day, strategy, about, seed, share, late.get(strategy, 0.0), matches, choice)
                if strategy == "none":
                    own.append(_row(day, strategy, about, seed, "least_lost", least * more))
                    own.append(_row(day, strategy, about, seed, "useless_work", USELESS))
                rows += own
    return rows


def nothing_dropped(day: date = INCOMPLETE) -> list[dict[str, Any]]:
    """A day on which every event is in time without any shedding."""
    return measured(day, dict.fromkeys(LOST, 0.0), {}, least=0.0)


def _run(
    day: date, strategy: str, about: dict[str, Any], seed: int, lost: float, late: float, matches: int, choice: float
) -> list[dict[str, Any]]:
    dropped = round(1_000 * lost)
    longest = BOUND * (50 if late else 0.9)
    whole = {
        "matches": matches,
        "lost": lost,
        "false_negatives": matches * lost,
        "false_positives": 3 if strategy == "E-BL" and lost else 0,
        "latency_p50": longest / 10,
        "latency_p95": longest / 2,
        "latency_p99": longest / 1.5,
        "latency_p100": longest,
        "late_events": late,
        "late_time": late / 2,
        "overhead": lost / 100,
        "dropped": dropped,
        "drops": 8 if dropped and strategy not in ("none", "E-BL") else 0,
        "retrained": 0,
    }
    if whole["drops"]:
        whole["choice"] = choice
    rows = [(about, metric, value) for metric, value in whole.items()]
    for query, (own, _) in QUERIES.items():
        its = {**about, "query": query}
        part = own * matches / 100
        rows += [(its, "query_matches", part), (its, "query_missed", part * lost), (its, "query_invented", 0)]
    if strategy == "none":
        costs = {"event": 2_000, "window": 0, "lookup": 2, "sort": 1, "drop": 20, "draw": 5}
        states = {query: [100] * states for query, (_, states) in QUERIES.items()}
        price = {"costs": {**costs, "states": states}, "weights": {"snowball": 1.0, "late_chains": 2.0}}
        rows.append(
            (
                {**about, **price, "trained_events": 400, "training_days": 7, "training_days_asked": 28},
                "virtual_cost",
                6e9,
            )
        )
    if about.get("told") and seed == 0:
        for query, (_, states) in QUERIES.items():
            for state in range(states):
                rows.append(({**about, "query": query, "state": state}, "state_dropped", dropped / 3))
        for number in range(4):
            begin = start_of(day) + 6 * 3600 * number
            its = {**about, "from": begin, "to": begin + 6 * 3600}
            busy = number == 2
            parts = {
                "events": 10,
                "dropped": dropped if busy else 0,
                "late_events": 40 * late if busy else 0,
                "latency_mean": longest / (10 if busy else 100),
                "latency_max": longest if busy else longest / 10,
                "missed": matches * lost if busy else 0,
            }
            rows += [(its, f"period_{name}", value) for name, value in parts.items()]
    return [_row(day, strategy, setting, seed, metric, value) for setting, metric, value in rows]


def _row(day: date, strategy: str, about: dict[str, Any], seed: int, metric: str, value: float) -> dict[str, Any]:
    return {
        "experiment": "shedding",
        "strategy": strategy,
        "parameters": json.dumps(about, sort_keys=True),
        "seed": seed,
        "metric": metric,
        "value": float(value),
        "unit": "",
        **of_day(day),
    }
