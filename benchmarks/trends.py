"""Trend aggregation, measured in one run: `python benchmarks/trends.py [FOLDER]`.

Kernels alone (`greta/kernels.py`), whole queries (`greta/tables.py`), and the relations of the paper, drawn into FOLDER
(`greta/relations.py`; docs/pictures). Times are the least process time of some runs on one thread, after the kernels
are compiled. If there was a target beforehand, the line shows it, and by what factor it is met or missed. No assertion
on time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from greta.kernels import KERNELS
from greta.relations import RELATIONS
from greta.tables import TABLES


def main() -> None:
    """Prints every measurement, then the relations."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "pictures"
    for part in (*KERNELS, *TABLES):
        for row in part():
            print(row, flush=True)
    for relation in RELATIONS:
        for line in relation(folder):
            print(line, flush=True)


if __name__ == "__main__":
    main()
