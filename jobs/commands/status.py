"""`trendmill status`: the days that the lake holds, missing days, missing and stale results, and the lease."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, date, datetime

from jobs import places
from jobs.alerts.outbox import Outbox
from jobs.erasure.rules import BEGUN, read_erasures
from jobs.exits import OK, SchemaChanged
from jobs.lake.leasing.lease import lease_file, read
from jobs.lake.tables.all_tables import run_tables
from jobs.lake.tables.creating import refuse_changed
from jobs.reports.words.quantities import counted
from jobs.runs.changed_files import changed_files
from jobs.runs.ledger import bounds_of, questions_of, read_ledger
from jobs.runs.outdated_loads import outdated_days, unfinished_days
from jobs.runs.run import shown_days
from jobs.runs.scope import evaluate_stale, holes
from jobs.runs.source_days import is_gone
from jobs.runs.unanswered_days import refused_days, unevaluated_days
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload

SHOWN = 5
"""How many files are named."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="a workload's name, or its folder")


def run(options: argparse.Namespace) -> int:
    """Print the state of the lake from its ledger. Reads no events, and no more of the sources than their bytes."""
    workload = load_workload(options.workload)
    compiled = compile_workload(workload)
    ledger, bounds = read_ledger(places.lake(), workload.name), bounds_of(workload)
    held = [day for day in ledger.days if ledger.holds(day)]
    events = sum(loaded.events for loaded in ledger.days.values() if not loaded.expired)
    what = f"{counted(len(held), 'day')}, {counted(events, 'event')}"
    print(f"{workload.name}: {what} in {places.lake() / workload.name}")
    if not held:
        print(f"  load days with: trendmill run {workload.name} --from DAY [--to DAY]")
    _say("loaded", held)
    evaluated = sorted({day for _, day in ledger.results})
    _say("evaluated", evaluated)
    if workload.retention.days:
        print(f"  retention: {workload.retention} (weekly maintenance removes what is older)")
    _say("events removed after their retention", list(ledger.expired))
    loaded_days = sorted(ledger.days)
    missing = holes(loaded_days[0], loaded_days[-1], ledger, bounds) if loaded_days else ()
    _say_with_remedy("loaded, with no result yet", unevaluated_days(ledger, compiled), "", workload.name)
    mended = ", once the rule or the files are right"
    _say_with_remedy("refused by the gate", refused_days(ledger), mended, workload.name)
    _say("missing", [day for day in missing if day not in ledger.days])
    for name, work in sorted(
        {(name, result.exhausted) for (name, _), result in ledger.results.items() if result.exhausted is not None}
    ):
        days = [day for (query, day), result in ledger.results.items() if (query, result.exhausted) == (name, work)]
        _say(f"no result of {name}, as limits.work of {work:,} steps did not suffice", days)
    stale = evaluate_stale(questions_of(compiled, workload.limits), ledger, bounds)
    for name in sorted({evaluation.query for evaluation in stale.evaluations}):
        _say(f"stale: {name}", [evaluation.day for evaluation in stale.of(name)])
    unended = unfinished_days(ledger)
    outdated = outdated_days(ledger, workload)
    gone = [day for day in outdated if is_gone(workload, day)]
    again = [day for day in outdated if day not in gone]
    _say("a load of them did not end", unended)
    _say("loaded by another definition", [day for day in again if day not in unended])
    _say("loaded by another definition, and not to be loaded again, as their files are gone", gone)
    changed = changed_files(places.lake(), workload, ledger.days.keys() - set(ledger.expired))
    _say("loaded from files that have changed since", list(changed))
    if changed:
        print(f"    {_listed(sorted({name for names in changed.values() for name in names}))}")
    try:
        refuse_changed(workload.name, run_tables(workload, compiled), places.lake())
    except SchemaChanged as error:
        print(f"first of all, {error}")
    if stale.evaluations or again or changed:
        do = "load them again and evaluate" if again or changed else "evaluate"
        print(f"to {do} what is stale: trendmill run {workload.name} --stale")
    if erasures := read_erasures(places.lake(), workload.name):
        unfinished = sum(erasure.state == BEGUN for erasure in erasures)
        more = f", {unfinished} of them not finished" if unfinished else ""
        print(f"  erasures: {len(erasures)}{more} (trendmill forget {workload.name} --list)")
    for waiting in Outbox.of(places.lake(), workload.name).waiting():
        message, why = waiting.message, f": {waiting.problem}" if waiting.problem else ""
        print(f"  alert not sent yet: {message.thing} of {message.day} to {message.place}{why}")
    lease = read(lease_file(places.lake(), workload.name))
    if lease is not None and not lease.is_over(datetime.now(UTC)):
        print(f"in use by {lease.holder} until {lease.expires:%Y-%m-%d %H:%M}Z")
    return OK


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _say_with_remedy(what: str, days: Sequence[date], when: str, workload: str) -> None:
    """Days that `run --stale` passes over, and the command that does not."""
    if days:
        until = f" --to {days[-1]}" if len(days) > 1 else ""
        print(f"  {what}: {shown_days(days)}")
        print(f"    to evaluate them{when}: trendmill run {workload} --from {days[0]}{until}")


def _say(what: str, days: Sequence[date]) -> None:
    if days:
        print(f"  {what}: {shown_days(days)}")
