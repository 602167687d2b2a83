"""`trendmill new`: write a first workload folder from a log's files, to be edited. It passes `trendmill check` at once.

It guesses the column of times, the column of event types (few values that can be names; else there is one type), and
that every other column is an attribute. Each guess is told, and a line of the written files.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jobs import places
from jobs.exits import OK, UnreadableSource, WrongWorkload
from jobs.log_files.arguments import (
    ANY_NUMBER,
    add_csv_arguments,
    add_time_arguments,
    file_options,
    time_options,
)
from jobs.log_files.drafts.folder_texts import SourceKeys, texts_of
from jobs.log_files.drafts.guess import Rows, guess
from jobs.log_files.reading.log_file import FORMS, NoRows, form_of, look_at
from jobs.log_files.reading.named_files import STANDARD_INPUT, named_files
from jobs.log_files.reading.several_files import LogFiles, open_log
from jobs.log_files.times.time_source import TimeSource
from jobs.reports.words.quantities import counted
from jobs.workload.files.problems import brief
from jobs.workload.names import RULE, is_name

_WHOLE = 256_000_000
"""Bytes of files that are read as a whole. Of larger ones, the first rows tell what they can."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the new workload's name: lower case letters, digits and '_'")
    parser.add_argument(
        "--from", dest="file", required=True, help="CSV, JSON lines or Parquet: a file, a folder or a pattern"
    )
    parser.add_argument("--type", help="the column of event types (default: the first that can be one)")
    parser.add_argument("--format", choices=FORMS, help="the form of the files (default: by their suffix, else csv)")
    parser.set_defaults(skip_bad=None)
    add_csv_arguments(parser)
    add_time_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the folder, and say what was guessed. A folder that exists is not touched."""
    if not is_name(options.name):
        raise WrongWorkload(f"{brief(options.name)} cannot name a workload: {RULE}")
    folder = places.workloads() / options.name
    if folder.exists():
        raise WrongWorkload(f"{folder} exists; edit it, or choose another name")
    if options.file == STANDARD_INPUT:
        raise WrongWorkload("a workload reads its files every night, and standard input only once: save it in a file")
    log, rows, notes = _read(options)
    time = time_options(options)
    source = TimeSource.of(rows.table, time)
    guessed = guess(rows, source, options.type, only_type=_type_name(options.name), zone=time.zone)
    keys = _keys(log, rows, options)
    if keys.missing and not options.missing:
        notes.append(f"'{keys.missing}' is no value (--missing)")
    written = texts_of(options.name, keys, rows, time.zone, guessed)
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{folder}: {', '.join(written)}")
    for line in [*notes, *guessed.lines]:
        print(f"  {line}")
    print(
        f"next: trendmill check {options.name}; trendmill preview {options.name}; "
        f"trendmill run {options.name} --from {guessed.first_day}"
    )
    return OK


def _read(options: argparse.Namespace) -> tuple[LogFiles, Rows, list[str]]:
    """The files, their rows or the first ones, and what is to be told of them.

    Raises WrongWorkload for what a workload cannot read, with what makes it readable.
    """
    try:
        first = named_files([options.file]).paths[0]
        is_csv = (options.format or form_of(first)) == "csv"
        form = file_options(options)
        try:
            log = open_log([options.file], replace(form, skip_bad=ANY_NUMBER if is_csv else 0))
        except NoRows:
            open_log([options.file], form)  # which says so, or why no row fits the header
            raise
        is_whole = sum(path.stat().st_size for path in log.named.paths) <= _WHOLE
        table, notes = log.read(log.sample.column_names, _quiet) if is_whole else (log.sample, [])
    except UnreadableSource as error:
        raise WrongWorkload(str(error).removesuffix("; nothing was written")) from error
    _refuse_what_no_load_reads(log, table)
    notes = [note.replace("are left out (--skip-bad)", "do not fit, and a load refuses them") for note in notes]
    rows = Rows(table, log.first.form, log.first.places)
    for name, reason in rows.left_out.items():
        if rows.form == "csv":
            raise WrongWorkload(f"'{name}' cannot be declared, rename it in the file's header: {reason}")
        notes.append(f"'{name}' is left out: {reason}")
    amount = f"all {counted(table.num_rows, 'row')}" if is_whole else f"the first {counted(table.num_rows, 'row')}"
    return log, rows, [f"guessed from {amount}:", *_of_header(log), *notes]


def _of_header(log: LogFiles) -> list[str]:
    """What becomes of a header that does not name every column: the workload says that the file has none."""
    of_csv, columns = log.first.csv, log.sample.num_columns
    if of_csv is None or not of_csv.header or of_csv.names_all:
        return []
    if of_csv.named != columns:
        named = of_csv.named
        what = f"names {named} of {counted(columns, 'column')}: each load refuses it as a row of {named} fields"
    else:
        what = "has not the names of --names in their order: each load takes it for a row"
    names = brief(of_csv.separator.join(log.sample.column_names))
    return [f"the first line of {log.first.path.name} {what}; make it {names} and run `new` again, and it is a header"]


def _quiet(done: int, total: int) -> None:
    """Nobody is told how far reading is."""


def _refuse_what_no_load_reads(log: LogFiles, table: pa.Table) -> None:
    """Raises WrongWorkload, which says how the file becomes one that a load reads."""
    path, form = log.first.path, log.first.form
    if form == "arrow":
        raise WrongWorkload(f"{path} is an Arrow file, and loads read CSV, JSON lines and Parquet: write it as Parquet")
    if path.suffix.lower() == ".lz4":
        raise WrongWorkload(f"{path}: loads read .gz, .bz2 and .zst, no .lz4")
    if form == "json" and log.first.is_list:
        raise WrongWorkload(f"{path} is one list, and loads read JSON lines: jq -c '.[]' {path.name} > lines.jsonl")
    for further in log.named.paths[1:] if form == "csv" else ():
        with suppress(NoRows):
            if look_at(further, log.options).sample.column_names != log.sample.column_names:
                raise WrongWorkload(
                    f"{further} names other columns than {path}, or in another order: a load stops there"
                )
    binary = [name for name in table.column_names if pa.types.is_binary(table.schema.field(name).type)]
    is_utf8 = log.first.csv is None or log.first.csv.encoding == "utf-8"
    if form == "csv" and (binary or not is_utf8):
        where = f"column '{binary[0]}'" if binary else "its text"
        raise WrongWorkload(f"{path}: {where} is not UTF-8, which is all that loads read: iconv -f latin1 -t utf8")


def _keys(log: LogFiles, rows: Rows, options: argparse.Namespace) -> SourceKeys:
    """What the workload says of its source."""
    if len(options.missing) > 1:
        raise WrongWorkload("--missing: a source of a workload has one text for no value, beside the empty one")
    path, of_csv = Path(options.file).absolute(), log.first.csv
    missing = "".join(options.missing)
    if of_csv is None:
        return SourceKeys(path, log.first.form, missing=missing)
    floats = [column for column in rows.table.columns if pa.types.is_floating(column.type)]
    if not missing and any(pc.any(pc.is_nan(column)).as_py() for column in floats):
        missing = next((text for text in ("NaN", "nan", "NAN") if text.encode() in log.first.begin), "")
    return SourceKeys(path, "csv", of_csv.names_all, of_csv.separator, missing)


def _type_name(workload: str) -> str:
    return "".join(part.title() for part in workload.split("_"))
