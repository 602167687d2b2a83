"""A policy on departures, its signature, and logs of it as text and as a table."""

from __future__ import annotations

POLICY = "-- Who left without being cleared within 10?\nleft(x, r) AND NOT ONCE[0,10] cleared(x)\n"
SIGNATURE = "left(plane: string, route: string) cleared(plane: string)"
LOG = '@1 cleared(N1) @5 left(N1,"LGA-ATL") left(N2,"JFK-BOS") @20 left(N1,"ATL-LGA")\n'
NAMED = "left(plane=x) AND NOT ONCE[0,10] cleared(plane=x)\n"
TABLE = """time,kind,plane
2024-01-02 10:00:00,cleared,N1
2024-01-02 10:00:05,left,N1
2024-01-02 10:00:05,left,N2
"""
