"""A log of departures, a query of it, and `trendmill match` run on files."""

from __future__ import annotations

import pytest

from jobs.cli import main

LATER = """-- Who left ever later, and no storm between?
PATTERN SEQ(Depart a, Depart+ b[], NOT Storm s, Arrive c)
WHERE [tail] AND b[1].late > a.late AND b[i].late > b[i-1].late AND c.late >= 10 AND s.level > 2
WITHIN 6 hours
"""
LOG = """time,kind,tail,late,level
2013-03-08 12:59,Depart,N711,15,
2013-03-08 13:05,Storm,,,1
2013-03-08 14:10,Depart,N711,31,
2013-03-08 15:30,Depart,N711,44,
2013-03-08 16:00,Depart,N800,4,
2013-03-08 17:20,Arrive,N711,60,
2013-03-08 17:25,Storm,,,5
2013-03-08 17:30,Arrive,N711,20,
2013-03-08 17:35,Arrive,N800,70,
"""
FIRST = """\
match 1: tail N711, 2013-03-08 12:59 to 17:20, 4.3 hours, 4 events
  12:59  |*                             |  a     row 1  Depart  late 15
  14:10  |       *                      |  b[1]  row 3  Depart  late 31
  15:30  |                *             |  b[2]  row 4  Depart  late 44
  17:20  |                             *|  c     row 6  Arrive  late 60
"""


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(["match", *arguments]) == code
    return capsys.readouterr().out
