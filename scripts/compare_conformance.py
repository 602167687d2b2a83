"""Compares the outcome of other systems' suites with what is written down: disagreements, and how many cases pass.

    python scripts/compare_conformance.py OUTCOME.json DISAGREEMENTS.txt SUITES.txt

Exit status 1 for a failure that is not written down, a line that does not fail any more, or a suite of which fewer
cases pass than its line says.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path


def differences(cases: list[dict[str, str]], written: str) -> list[str]:
    """What is wrong: new failures, then lines of the list that are stale.

    >>> failure = {"suite": "s", "id": "a", "status": "failed", "detail": "3 rows"}
    >>> differences([failure, {"suite": "s", "id": "b", "status": "passed"}], "# reasons\\ns b it was different")
    ['new failure: s a: 3 rows', 'stale line: s b does not fail any more']
    """
    lines = [line.split(maxsplit=2) for line in written.splitlines() if line.strip() and not line.startswith("#")]
    ill = [f"no reason: {' '.join(words)}" for words in lines if len(words) < 3]
    known = {(words[0], words[1]) for words in lines if len(words) == 3}
    failures = {(case["suite"], case["id"]): case for case in cases if case["status"] in ("failed", "error")}
    asked = {case["suite"] for case in cases}
    new = [f"new failure: {' '.join(case)}: {failures[case]['detail']}" for case in sorted(failures.keys() - known)]
    stale = sorted(case for case in known - failures.keys() if case[0] in asked)
    return [*ill, *new, *(f"stale line: {suite} {name} does not fail any more" for suite, name in stale)]


def lost(cases: list[dict[str, str]], suites: str) -> list[str]:
    """The suites of which fewer cases pass than must.

    >>> lost([{"suite": "s", "status": "passed"}], "# suite, cases\\ns 1\\nt 2")
    ['lost cases: 0 of t pass, 2 must']
    """
    passed = Counter(case["suite"] for case in cases if case["status"] == "passed")
    lines = [line.split() for line in suites.splitlines() if line.strip() and not line.startswith("#")]
    return [
        f"lost cases: {passed[suite]} of {suite} pass, {least} must"
        for suite, least in lines
        if passed[suite] < int(least)
    ]


if __name__ == "__main__":
    outcome, written, suites = (Path(name).read_text() for name in sys.argv[1:])
    cases = json.loads(outcome)["cases"]
    problems = [*differences(cases, written), *lost(cases, suites)]
    print(*problems, sep="\n", end="\n" if problems else "")
    sys.exit(bool(problems))
