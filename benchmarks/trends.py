"""Trend aggregation, measured in one run: `python benchmarks/trends.py [FOLDER]`.

Kernels alone (`trend_kernels`), whole queries (`trend_tables`), and the relations of the paper, drawn into FOLDER
(`trend_relations`; docs/pictures). Times are the least of some runs in process time of one thread, after the kernels
are compiled; where a target was set beforehand the line says it and by what factor it is met or missed. No assertion
on time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from trend_kernels import KERNELS
from trend_relations import RELATIONS
from trend_tables import TABLES


def main() -> None:
    """Print every measurement, then the relations."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "pictures"
    for part in (*KERNELS, *TABLES):
        for row in part():
            print(row, flush=True)
    for relation in RELATIONS:
        for line in relation(folder):
            print(line, flush=True)


if __name__ == "__main__":
    main()
