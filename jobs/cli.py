"""The command `trendmill`. Each subcommand is one module of jobs/commands, imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from jobs.exits import WRONG_WORKLOAD, exit_code, is_expected, message
from jobs.signals import terminable

COMMANDS = {
    # a log's file, by itself
    "match": ("match", "find the matches of a pattern in a log's files"),
    "aggregate": ("aggregate", "aggregate over all trends of a log in files"),
    "monitor": ("monitor", "find the violations of a policy in a log's files"),
    # a workload: from the first file to its reports
    "new": ("new", "write a first workload folder from a file"),
    "check": ("check", "parse, bind and explain a workload; report everything that is wrong with it"),
    "preview": ("preview", "the first rows of a workload's sources as events, and rows that are refused"),
    "test": ("test", "judge a workload's cases: given events, expected answers"),
    "run": ("run", "load, slice, evaluate and publish operating days"),
    "status": ("status", "which days the lake holds, which are missing, which results are stale"),
    "try": ("try_", "evaluate one query on a day of the lake, in this process"),
    "why": ("why", "one match of a day with its events and the values of its conditions, or why a row is there"),
    "diff": ("diff", "what an edited query changes on days of the lake"),
    "explain": ("explain", "how a query will be evaluated: classes, reach, slicing, cost"),
    "sql": ("sql", "ask the lake in SQL"),
    "alerts": ("alerts", "tell what a day's alerts say, send them, or try each place"),
    "report": ("report", "publish the reports of days from the lake's tables"),
    "experiment": ("experiment", "measure grids of experiments, e.g. of load shedding"),
    # care of the lake and the machine
    "rebuild": ("rebuild", "build a query's table again, with its present columns"),
    "forget": ("forget", "remove all rows of a person or thing from the lake and its reports, for good"),
    "verify": ("verify", "check that the lake is whole: logs, files, counts, orphans"),
    "doctor": ("doctor", "look at what runs need of this machine, the lake and executors; say how to mend it"),
    "calibrate": ("calibrate", "measure what queries cost on this machine, for load shedding"),
}

FIRST_STEPS = """trendmill: which command? `trendmill --help` lists all. To begin with:
  trendmill match -e 'PATTERN SEQ(Login a, Logout b) WITHIN 1 hour' log.csv    ask a file of your own
  trendmill new rides --from rides.csv                                         make a workload of it
  trendmill run nyc_flights --from 2013-03-08                                  run the sample, then read its report"""


def parser_of(command: str | None) -> argparse.ArgumentParser:
    """The parser with the arguments of one command. The other commands are listed with a summary."""
    parser = argparse.ArgumentParser(prog="trendmill", description="Nightly analytics over historical event logs.")
    parser.add_argument("--version", action="version", version=f"trendmill {_version()}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, (module, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == command:
            loaded = importlib.import_module(f"jobs.commands.{module}")
            loaded.add_arguments(subparser)
            subparser.set_defaults(run=loaded.run)
    return parser


def _version() -> str:
    try:
        return version("trendmill")
    except PackageNotFoundError:  # the code is on the path, as on an executor, and was not installed
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (jobs/exits.py). An error ends in one clear message on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        print(FIRST_STEPS, file=sys.stderr)
        return WRONG_WORKLOAD
    command = next((word for word in words if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        from jobs.workload.files.problems import nearest  # other commands need not wait for it

        print(f"trendmill: no command '{command}'; {nearest(command, COMMANDS)}", file=sys.stderr)
        return WRONG_WORKLOAD
    options = parser_of(command).parse_args(words)
    try:
        with terminable():
            return int(options.run(options))
    except BrokenPipeError:
        return 0
    except (Exception, KeyboardInterrupt) as error:
        if not is_expected(error):
            logging.getLogger("trendmill").exception("this was not expected")
        print(message(error), file=sys.stderr, flush=True)
        return exit_code(error)


if __name__ == "__main__":
    sys.exit(main())
