"""`trendmill monitor p.mfotl log`, or `p.mtl`: where a policy is violated in a log's file, without Spark or a lake.

With a signature (`--sig`) the log is a text of MonPoly, DejaVu or the RV competition, which is read in blocks; without
one it is a table in a CSV, JSON lines or Parquet file, as for `trendmill match`. `-` reads a text from standard input.
Verdicts are listed as they are found; of standard input each one as soon as it is decided. Where causes are asked, the
whole log is read first. A policy in an `.mtl` file reads a text of lines `@ts name name ...`, or a table.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from cep_core.events.logs.errors import LogError
from cep_core.monitoring.propositional.stream.limit import TooManyExpressions
from cep_core.progress.meter import Meter
from cep_core.stream_settings import MODES, Tally
from jobs.exits import OK, VIOLATED, RunError, WrongWorkload
from jobs.log_files.arguments import ANY_NUMBER, LOG_HELP, add_log_arguments, add_output_arguments, count, positive
from jobs.log_files.monitored.opening import NAMES, TABLES, TEXTS
from jobs.log_files.monitored.policies import Asked, asked
from jobs.log_files.monitored.propositional import is_propositional
from jobs.log_files.monitored.question import asked_verdict
from jobs.log_files.monitored.truths import TruthListing
from jobs.log_files.monitored.verdicts import SHOWN, VerdictListing
from jobs.log_files.remarks import remark
from jobs.reports.words.quantities import counted, elapsed, quantity

LISTED = ""
"""`--why` without a verdict: the causes of each verdict that is listed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", type=Path, metavar="POLICY", help="a file with a policy (docs/policies.md)")
    parser.add_argument("logs", nargs="*", metavar="LOG", help=f"{LOG_HELP}; or one text")
    add_log_arguments(parser)
    parser.add_argument("--sig", type=Path, metavar="FILE", help="MonPoly's signature of a log that is a text")
    parser.add_argument(
        "--format", choices=[*TEXTS, NAMES, *TABLES], help="what the log is (default: told by its name or first line)"
    )
    parser.add_argument("--end", choices=["open", "closed"], default="open", help="whether more events may follow")
    parser.add_argument("--no-rewrite", action="store_true", help="judge safety on the formula as written")
    parser.add_argument(
        "--negate", action="store_true", help="the formula says what must hold: list where it does not (and vice versa)"
    )
    parser.add_argument("--points", default="by_timestamp", help="by_timestamp (default), by_event, or a column")
    parser.add_argument("--for-each", metavar="COLUMN", action="append", help="a log of its own for each value")
    parser.add_argument("--limit", type=count, help=f"verdicts to list (default {SHOWN}; for programs all)")
    parser.add_argument(
        "--as", dest="form", choices=["monpoly", "aerial", "hydra"], help="print verdicts as this monitor does"
    )
    parser.add_argument("--fail", action="store_true", help=f"exit with {VIOLATED} if there is a verdict")
    parser.add_argument("--mode", choices=MODES, help="of an .mtl policy, how open points are kept (default local)")
    parser.add_argument(
        "--resolved", action="store_true", help="of an .mtl policy, the truth of each decided point, in order"
    )
    parser.add_argument(
        "--skip-bad",
        type=positive,
        nargs="?",
        const=ANY_NUMBER,
        metavar="N",
        help="leave out and count lines of a text that are no points (.mtl), or up to N rows of a CSV file that have "
        "another number of fields",
    )
    parser.add_argument(
        "--atom",
        metavar="ATOM",
        action="append",
        default=[],
        help="an atom of an .mtl policy over a table, 'late: Departure delay_min >= 60'",
    )
    questions = parser.add_mutually_exclusive_group()
    questions.add_argument(
        "--why",
        metavar="VERDICT",
        nargs="?",
        const=LISTED,
        help="the causes of each listed violation; with a verdict such as 'x=3, plane=N1 @20', of this one",
    )
    questions.add_argument("--why-not", metavar="VERDICT", help="why this is no violation, e.g. 'x=3 @20'")
    questions.add_argument(
        "--explain",
        action="store_true",
        help="print how the policy is understood; with a log, how many rows each part had on it",
    )
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, monitor, print. Raises QueryError for a wrong policy and RunError for a log that breaks its signature."""
    begin, meter = time.perf_counter(), Meter()
    options.log = Path(options.logs[0]) if options.logs else None
    _refuse_contradictions(options)
    try:
        policy = asked(options, meter)
        if options.explain:
            explanation = policy.policy.explain()
            print(json.dumps(explanation.to_dict(), indent=2) if options.json else explanation)
            return OK
        if question := options.why or options.why_not:
            return _tell_causes(options, policy, question)
        rows = policy.policy.stream()
        causes = policy.policy.causes_of_verdict if options.why == LISTED else None
        kind = VerdictListing if policy.tally is None else TruthListing
        listing = kind(options, policy.clock, rows.schema, causes)
        for batch in rows:
            meter.clear()
            listing.add(batch)
        listing.end()
    except LogError as error:
        raise (RunError if not is_propositional(options.query) else WrongWorkload)(str(error)) from error
    except TooManyExpressions as error:
        raise RunError(str(error)) from error
    finally:
        meter.clear()
    if policy.tally is not None and policy.tally.skipped:
        remark(f"{counted(policy.tally.skipped, 'line')} left out: no points")
    if listing.for_person and policy.tally is not None:
        print(_summary(policy.tally, listing, time.perf_counter() - begin))
    elif listing.for_person:
        print(_ending(listing, time.perf_counter() - begin))
    return VIOLATED if options.fail and listing.violations else OK


def _refuse_contradictions(options: argparse.Namespace) -> None:
    if options.log is None and not options.explain:
        misplaced = " --why stands behind the log" if options.why and "@" not in options.why else ""
        raise WrongWorkload(
            f"which log? trendmill monitor POLICY LOG; --explain alone needs none.{misplaced}".rstrip(".")
        )
    asks_why = options.why is not None or options.why_not is not None
    if asks_why and (options.csv or options.parquet or options.form):
        raise WrongWorkload("causes are told to a person, or with --json: leave out --csv, --parquet and --as")
    if options.explain and (
        options.csv or options.parquet or options.form or options.fail or options.limit is not None
    ):
        raise WrongWorkload("--explain lists no verdicts: leave out --csv, --parquet, --as, --fail and --limit")
    if options.form and (options.csv or options.json or options.parquet):
        raise WrongWorkload(f"--as {options.form} prints lines of its own: leave out --csv, --json and --parquet")


def _tell_causes(options: argparse.Namespace, policy: Asked, question: str) -> int:
    """Print the smallest proof of one verdict."""
    verdict = asked_verdict(question, policy.clock)
    try:
        causes = policy.policy.causes(verdict.at, verdict.values)
    except ValueError as error:
        raise WrongWorkload(f"{'--why' if options.why else '--why-not'}: {error}") from error
    if causes.is_violation == (options.why is None):
        remark(f"this is {'a' if causes.is_violation else 'no'} violation")
    print(json.dumps(causes.to_dict(), ensure_ascii=False) if options.json else causes.text(policy.clock.time))
    return VIOLATED if options.fail and causes.is_violation else OK


def _summary(tally: Tally, listing: VerdictListing, seconds: float) -> str:
    cut = f" ({quantity(listing.shown)} shown)" if listing.shown < listing.violations else ""
    return (
        f"{counted(tally.points, 'point')}, {quantity(tally.truths)} decided, "
        f"{counted(tally.violations, 'violation')}{cut}, {counted(tally.equivalences, 'equivalence')}, "
        f"{quantity(tally.open)} open; {elapsed(seconds)}"
    )


def _ending(listing: VerdictListing, seconds: float) -> str:
    many = counted(listing.violations, "violation") if listing.violations else "no violation"
    cut = f", {quantity(listing.shown)} shown (--limit, --csv)" if listing.shown < listing.violations else ""
    return f"{many}{cut}; {elapsed(seconds)}"
