"""What a calendar must know of the section `alerts` of workload.yaml: which tasks it needs, and when results are late.

Reads the file's nodes as they are written and expands no anchor. `trendmill check` reads the section strictly
(jobs/workload/sections/alerting/declared.py); tests/dags/test_alerts.py compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import available_timezones

import yaml

CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):[0-5][0-9]")
MOST = 100
"""Alerts that a calendar looks at."""


@dataclass(frozen=True)
class AlertFacts:
    """`late`: times of day in `zone` at which results must be there. `connections`: of Airflow, that places need."""

    some: bool = False
    gate: bool = False
    late: tuple[str, ...] = ()
    zone: str = "UTC"
    connections: tuple[str, ...] = ()


def read_alert_facts(root: yaml.Node | None) -> AlertFacts:
    """The facts of a workload.yaml, as it was parsed. ValueError: a time or zone that no calendar has.

    >>> read_alert_facts(yaml.compose("alerts: {places: {p: {airflow: pager}}, when: [late.rows > 0, {late: 6:30}]}"))
    AlertFacts(some=True, gate=False, late=('06:30',), zone='UTC', connections=('pager',))
    """
    alerts = _inner(root, "alerts")
    whens = _inner(alerts, "when")
    items = whens.value[:MOST] if isinstance(whens, yaml.SequenceNode) else []
    late = sorted({_clock(_word(node)) for item in items if (node := _inner(item, "late")) is not None})
    zone = _word(_inner(_inner(root, "time"), "zone")) or "UTC"
    if late and zone not in available_timezones():
        raise ValueError(f"time.zone: {zone[:50]!a} is no time zone")
    connections = {_word(_inner(place, "airflow")) for place in _values(_inner(alerts, "places"))} - {""}
    return AlertFacts(
        bool(items),
        any(_inner(item, "gate") is not None for item in items),
        tuple(late),
        zone,
        tuple(sorted(connections)),
    )


def _inner(node: yaml.Node | None, key: str) -> yaml.Node | None:
    """The value of a key of a mapping; None if there is none."""
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if isinstance(name, yaml.ScalarNode) and name.value == key), None)


def _values(node: yaml.Node | None) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        yield from (value for _, value in node.value[:MOST])


def _word(node: yaml.Node | None) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _clock(written: str) -> str:
    """A time of day with two digits for the hour."""
    if not CLOCK.fullmatch(written):
        raise ValueError(f"alerts: {written[:50]!a} is not a time of day such as 06:00")
    return written.rjust(5, "0")
