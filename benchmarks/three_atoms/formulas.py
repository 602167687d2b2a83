"""Paper 01's star, linear and triangle over the atoms P, Q and R, their past forms (Fig. 6), and their logs.

Logs are of paper 01's generator, with its rates or equal ones, and with other values and points.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cep_core.experiments.generators.joins import JoinStream, generate

ATOMS = {"star": ("ab", "ac", "ad"), "linear": ("ab", "bc", "cd"), "triangle": ("ab", "bc", "ca")}
"""The variables of P, Q and R."""
WINDOW = 10
PAST = "-past"
EQUAL = {"rate_p": 1 / 3, "rate_q": 1 / 3}
LOGS: dict[str, dict[str, Any]] = {
    "domain 1e9": {},
    "domain 1e5": {"domain": 10**5},
    "domain 1e9, 1000 points a unit": {"index_rate": 1000},
    "domain 1e4": {"domain": 10**4},
    "equal rates, domain 1e9": EQUAL,
    "equal rates, domain 1e5": {**EQUAL, "domain": 10**5},
    "equal rates, Zipf 2 on `a`": {**EQUAL, "zipf": {"a": 2.0}, "matches": 0.0},
}
"""Paper 01's rates are 1 % P and 49.5 % Q. A whole match on a frequent value would be a verdict for each pair of P and
Q that have it, which are thousands of millions."""
PER_UNIT = 20_000
"""Events a unit of time."""


def formula_of(name: str) -> str:
    """The published formula, by attributes (paper 01, Fig. 6)."""
    atoms = ATOMS[name.removesuffix(PAST)]
    p, q, r = (f"{kind}(first={own[0]}, second={own[1]})" for kind, own in zip("PQR", atoms, strict=True))
    if name.endswith(PAST):
        return f"(ONCE[0,*) ((ONCE[0,*) {p}) AND {q})) AND {r}"
    return f"((ONCE[0,{WINDOW}) {p}) AND {q}) AND EVENTUALLY[0,{WINDOW}) {r}"


def log_of(name: str, count: int, **how: Any) -> pa.Table:
    duration = max(count // PER_UNIT, 1)
    return generate(JoinStream(name.removesuffix(PAST), 1, event_rate=PER_UNIT, duration=duration, **how))
