"""Make the data of the workload `data_usage`: who reads, writes and deletes data in two databases.

    python scripts/make_data_usage.py                                        the week that is bundled
    python scripts/make_data_usage.py --rate 20000000 --days 1 --into FOLDER a day of 20 million events

The log of the real experiment (paper 01, section 7.3) is not public. This log has its events and its rules, and
violations are planted in it: each call prints how many. The same arguments give the same log. A file is one day,
gzipped CSV in order of time, written in pieces of a million rows.

Data have lives. Most are inserted into db1, copied to db2 within 30 hours, and perhaps deleted, from db1 first and from
db2 within 30 hours; some never leave db1 and are deleted from it within 30 hours. Reads are of data that are older than
the log. Planted are, by policy:

- insert: data that are not copied, or 30 hours later;
- delete: data that are deleted from db1 but not from db2, or 30 hours later: half of them older than the log, half
  inserted and copied shortly before;
- custom: reads of data that were inserted since the log began;
- bulk_reading: users who read 60 to 79 different data in less than an hour.

Cost: O(events log events) array operations; about 70 bytes an event in memory, for all days together.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from data_usage.draft import Usage
from data_usage.usage_log import generate, write_days

BUNDLE = Path(__file__).resolve().parents[1] / "workloads" / "data_usage" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=Usage.rate, help="events a day (default: 20,000)")
    parser.add_argument("--days", type=int, default=Usage.days, help="days (default: 7)")
    parser.add_argument("--seed", type=int, default=Usage.seed)
    parser.add_argument("--into", type=Path, default=None, help="target folder (default: the bundle's own)")
    options = parser.parse_args()
    usage = Usage(options.seed, options.rate, options.days)
    if options.into is None and usage != Usage():
        parser.error("another log than the bundle needs --into FOLDER")
    if min(options.rate, options.days) < 1:
        parser.error("--rate and --days are positive")
    columns, planted = generate(usage)
    write_days(usage, columns, options.into or BUNDLE)
    counts = ", ".join(f"{len(rows):,} of {policy}" for policy, rows in planted.items())
    print(f"{options.into or BUNDLE}: {len(columns[0]):,} events; violations that the log decides: {counts}")


if __name__ == "__main__":
    main()
