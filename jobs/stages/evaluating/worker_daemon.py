"""The process from which Spark's Python workers are forked: it has imported what they need.

Spark starts `python -m <this module> pyspark.worker` before a session's first Python worker, and forks a worker for
each core from it; workers that had nothing to do for a minute end, and later ones are forked anew. Each would spend
about a CPU-second on importing Numba, Arrow and the engines. Forked from here, they find them imported. Nothing here
starts a thread or opens a file, so forking is safe.
"""

from __future__ import annotations

from pyspark.daemon import manager

import jobs.raw.reading.file_rows
import jobs.stages.evaluating.spark_workers  # noqa: F401  # imports the engines, and Numba with them

if __name__ == "__main__":
    manager()
