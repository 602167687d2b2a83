"""Names of workloads, sources, queries and rules: one rule, because each becomes a table, a view or a folder.

The calendar repeats the rule in dags/trendmill/workload_folders.py, which may not import this file.
"""

from __future__ import annotations

import re

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
RULE = "a lower case letter and up to 63 such letters, digits and '_'"


def is_name(text: str) -> bool:
    """Whether a text can be such a name.

    >>> is_name("nyc_flights"), is_name("good (copy)"), is_name("a" * 65)
    (True, False, False)
    """
    return NAME.fullmatch(text) is not None
