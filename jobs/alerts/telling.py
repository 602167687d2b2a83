"""Tells a workload's people about a day: judges its alerts, notes what is due, sends what waits.

Each step prints what it does, for the log of the task. Nothing here touches the lake's tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime

from jobs.alerts.judging import DUE, JudgedDay, Verdict
from jobs.alerts.message import Message, link_to, message_of_test
from jobs.alerts.outbox import Outbox, Waiting
from jobs.alerts.sending.deliver import deliver, is_off, kind_of
from jobs.alerts.sending.failure import SendFailed
from jobs.reports.words.clock import spoken
from jobs.workload.declaration import Workload
from jobs.workload.sections.alerting.declared import Alert

Say = Callable[[str], None]


def explain(judged: JudgedDay, alerts: Iterable[Alert], say: Say) -> None:
    """Print what each alert makes of the day, and what would be sent. Sends and notes nothing."""
    outbox, workload = Outbox.of(judged.lake, judged.workload.name), judged.workload
    say(f"{workload.name}, {spoken(judged.day)}")
    for alert in alerts:
        verdict = judged.judge(alert)
        say(f"  {alert.thing}: {verdict.state}")
        say(f"    {verdict.why}")
        if verdict.state != DUE:
            continue
        say(f"    {verdict.sentence}")
        if judged.is_past:
            say(f"    nothing would be sent: {_past(judged)}")
            continue
        for name in alert.places:
            before = outbox.sent_at(judged.day, alert.thing, name)
            off = "is off, as its address is empty" if is_off(workload.alerts.places[name]) else ""
            say(f"    {name} ({kind_of(workload.alerts.places[name])}): {before or off or 'would be told'}")


def tell(judged: JudgedDay, alerts: Iterable[Alert], say: Say) -> bool:
    """Note what is due, and send whatever waits. Returns whether everything was sent."""
    workload, outbox = judged.workload, Outbox.of(judged.lake, judged.workload.name)
    with outbox.alone():
        for alert in alerts:
            verdict = judged.judge(alert)
            say(f"{alert.thing}: {verdict.state}; {verdict.why}")
            if verdict.state == DUE and judged.is_past:
                say(f"  not sent: {_past(judged)}")
            elif verdict.state == DUE:
                _note(judged, verdict, outbox, say)
        sent = [_send(workload, outbox, waiting, say) for waiting in outbox.waiting()]
    return all(sent)


def send_tests(workload: Workload, day: date, say: Say) -> bool:
    """Send a test message to each place, and print how it went. Returns whether all that are on got theirs."""
    reached = True
    for name, place in workload.alerts.places.items():
        if is_off(place):
            say(f"{name} ({kind_of(place)}): off, as its address is empty")
            continue
        try:
            remark = deliver(place, message_of_test(workload.name, day, name))
        except SendFailed as failure:
            reached = False
            say(f"{name} ({kind_of(place)}): failed: {failure}")
        else:
            say(f"{name} ({kind_of(place)}): sent{f', but {remark}' if remark else ''}")
    return reached


def _note(judged: JudgedDay, verdict: Verdict, outbox: Outbox, say: Say) -> None:
    workload, alert = judged.workload, verdict.alert
    link = link_to(workload.name, judged.day, verdict.page)
    for name in alert.places:
        if is_off(workload.alerts.places[name]):
            say(f"  {name} is off, as its address is empty")
            continue
        message = Message(workload.name, judged.day, alert.thing, name, verdict.sentence, verdict.why, link)
        if not outbox.put(message, judged.now):
            say(f"  {name} {outbox.sent_at(judged.day, alert.thing, name) or 'waits since an earlier try'}")


def _send(workload: Workload, outbox: Outbox, waiting: Waiting, say: Say) -> bool:
    """Send one message. Returns whether it was sent."""
    message, now = waiting.message, datetime.now(UTC)
    what = f"{message.thing} of {message.day} to {message.place}"
    place = workload.alerts.places.get(message.place)
    try:
        if place is None:
            raise SendFailed("the workload declares this place no more")
        remark = deliver(place, message)
    except SendFailed as failure:
        given_up = outbox.failed(waiting, str(failure), now)
        say(f"not sent: {what}: {failure}{'; given up' if given_up else ''}")
        return False
    outbox.sent(message, now)
    say(f"sent: {what}{f', but {remark}' if remark else ''}")
    return True


def _past(judged: JudgedDay) -> str:
    return f"the lake has results of later days, up to {judged.newest}, so this day is made again or made up for"
