"""`trendmill new`: write a first workload folder from a file, to be edited. It passes `trendmill check` at once.

It guesses the column of times, the column of event types (few values that can be names; else there is one type), and
that every other column is an attribute. Each guess is a line of the written files.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from jobs import places
from jobs.exits import OK, WrongWorkload
from jobs.log_files.arguments import add_time_arguments, time_options
from jobs.log_files.drafts.folder_texts import texts_of
from jobs.log_files.drafts.guess import guess
from jobs.log_files.reading.log_file import form_of
from jobs.log_files.times.stamps import read_stamps
from jobs.log_files.times.time_source import TimeSource
from jobs.reports.words.quantities import counted
from jobs.workload.files.problems import brief
from jobs.workload.names import RULE, is_name

_SAMPLE = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the new workload's name: lower case letters, digits and '_'")
    parser.add_argument("--from", dest="file", required=True, type=Path, help="a CSV, JSON lines or Parquet file")
    parser.add_argument("--type", help="the column of event types (default: the first that can be one)")
    add_time_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say what was guessed. A folder that exists is not touched."""
    if not is_name(options.name):
        raise WrongWorkload(f"{brief(options.name)} cannot name a workload: {RULE}")
    folder = places.workloads() / options.name
    if folder.exists():
        raise WrongWorkload(f"{folder} exists; edit it, or choose another name")
    sample, form = _read(options.file)
    twice = [column for column, times in Counter(sample.column_names).items() if times > 1]
    if twice:
        raise WrongWorkload(f"cannot read {options.file}: it has two columns named '{twice[0]}'")
    if not sample.num_rows:
        raise WrongWorkload(f"cannot read {options.file}: it has no rows")
    time = time_options(options)
    source = TimeSource.of(sample, time)
    attributes = set(sample.column_names) - set(source.columns)
    sample = pa.table({n: read_stamps(sample[n]) if n in attributes else sample[n] for n in sample.column_names})
    guessed = guess(sample, form, source, options.type, only_type=_type_name(options.name), zone=time.zone)
    written = texts_of(options.name, options.file.absolute(), form, sample, guessed)
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{folder}: {', '.join(written)}")
    print(f"guessed from the first {counted(sample.num_rows, 'row')}:")
    for line in guessed.told:
        print(f"  {line}")
    print(f"next: trendmill check {options.name}")
    return OK


def _type_name(workload: str) -> str:
    return "".join(part.title() for part in workload.split("_"))


def _read(path: Path) -> tuple[pa.Table, str]:
    """A sample of the file and its format."""
    form = form_of(path)
    try:
        if form == "parquet":
            return pyarrow.parquet.read_table(path).slice(0, _SAMPLE), "parquet"
        if form == "json":
            with pa.input_stream(str(path)) as stream:
                return pyarrow.json.read_json(stream).slice(0, _SAMPLE), "json"
        with pyarrow.csv.open_csv(path) as reader:
            return pa.Table.from_batches([reader.read_next_batch()]).slice(0, _SAMPLE), "csv"
    except (OSError, pa.ArrowInvalid, StopIteration) as error:
        raise WrongWorkload(f"cannot read {path}: {str(error) or 'it has no rows'}") from error
