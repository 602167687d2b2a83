"""Events of travellers at places, with and without titles of their attributes, and the day on which they happen."""

from __future__ import annotations

from datetime import date

from cep_core.events.schema import Attribute, AttributeType, LogSchema

DAY = date(2013, 3, 8)
START = 1362729600
HOUR = 3600
SCHEMA = LogSchema(
    {
        kind: {
            "who": Attribute("who", AttributeType.STRING),
            "place": Attribute("place", AttributeType.STRING),
            "x": Attribute("x", AttributeType.INT),
        }
        for kind in ("A", "B", "C")
    }
)
TITLED = LogSchema(
    {
        kind: {
            "who": Attribute("who", AttributeType.STRING, title="traveller"),
            "place": Attribute("place", AttributeType.STRING, title="Airport of departure"),
            "x": Attribute("x", AttributeType.INT, title="delay in minutes"),
        }
        for kind in ("A", "B", "C")
    }
)
