"""The sample workload's log and pattern queries, as its analysts wrote them."""

from __future__ import annotations

from cep_core.events.schema import Attribute, AttributeType, LogSchema

_INT, _FLOAT, _STRING = AttributeType.INT, AttributeType.FLOAT, AttributeType.STRING


def _attributes(**types: AttributeType) -> dict[str, Attribute]:
    return {name: Attribute(name, kind) for name, kind in types.items()}


_FLIGHT = {"flight": _STRING, "carrier": _STRING, "tailnum": _STRING, "origin": _STRING, "dest": _STRING}

SCHEMA = LogSchema(
    {
        "Departure": _attributes(**_FLIGHT, delay_min=_INT),
        "Arrival": _attributes(**_FLIGHT, delay_min=_INT, air_min=_INT),
        "Cancellation": _attributes(**_FLIGHT),
        "Diversion": _attributes(**_FLIGHT),
        "Weather": _attributes(
            origin=_STRING, visib_mi=_FLOAT, gust_mph=_FLOAT, precip_in=_FLOAT, wind_mph=_FLOAT, temp_f=_FLOAT
        ),
    }
)

_CLIMB = """PATTERN SEQ(Departure a, Departure+ b[], Cancellation c)
WHERE skip_till_any_match {{ [{keys}] AND a.delay_min >= 30 AND b[1].delay_min > a.delay_min
  AND b[i].delay_min > b[i-1].delay_min }} WITHIN 12 hours"""

QUERIES = {
    "T1": """RETURN carrier, COUNT(*), COUNT(D), MAX(D.delay_min), AVG(D.delay_min)
PATTERN (SEQ(Arrival A, Departure D))+
WHERE [tailnum] AND A.delay_min >= 15 AND D.delay_min >= 15
GROUP-BY carrier WITHIN 24 hours SLIDE 4 hours""",
    "T2": """RETURN origin, COUNT(*), COUNT(C), AVG(D.delay_min)
PATTERN (SEQ(Departure D+, Cancellation C))+
WHERE [origin] AND D.delay_min >= 60
GROUP-BY origin WITHIN 12 hours SLIDE 1 hour""",
    "T3": """RETURN origin, COUNT(*), MAX(D.delay_min)
PATTERN SEQ(NOT Weather W, Departure D+)
WHERE [origin] AND (W.visib_mi < 3 OR W.gust_mph >= 30 OR W.precip_in >= 0.05)
  AND D.delay_min >= 30 AND D.delay_min < NEXT(D).delay_min
GROUP-BY origin WITHIN 6 hours SLIDE 1 hour""",
    "S1": """PATTERN SEQ(Departure a, Departure+ b[], Departure c)
WHERE strict_contiguity { a.delay_min >= 45 AND b[i].delay_min >= 45 AND c.delay_min >= 45 } WITHIN 1 hour""",
    "S2": """PATTERN SEQ(Arrival s, Cancellation x, Cancellation+ b[], Departure c)
WHERE partition_contiguity { [flight, origin, dest] } WITHIN 8 days""",
    "S3": """PATTERN SEQ(Departure a, Departure+ b[], Arrival c)
WHERE skip_till_next_match { [tailnum] AND a.delay_min >= 15 AND b[1].delay_min > a.delay_min
  AND b[i].delay_min > b[i-1].delay_min AND c.delay_min >= 60 } WITHIN 24 hours""",
    "S4": _CLIMB.format(keys="origin, dest"),
    "X1": """PATTERN SEQ(Departure a, Departure b, Departure c, Cancellation d)
WHERE skip_till_any_match { [origin] AND a.delay_min >= 60 AND b.delay_min >= 60 AND c.delay_min >= 60
  AND a.carrier != b.carrier AND b.carrier != c.carrier } WITHIN 2 hours""",
    "X2": _CLIMB.format(keys="dest"),
}
