"""Messages whose words were erased stay noted: nothing is sent twice, and no file says them any more."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

from jobs.alerts.message import Message
from jobs.alerts.outbox import ERASED, Outbox

NOW = datetime(2024, 1, 5, tzinfo=UTC)


def of_day(day: int, thing: str) -> Message:
    return Message("trips", date(2024, 1, day), thing, "ops", "Passenger 4711 had the most.", "4711 > 3", "page")


def test_words_are_taken_out_of_what_was_sent_and_what_waits(tmp_path: Path) -> None:
    outbox = Outbox.of(tmp_path, "trips")
    first, second, later = of_day(1, "a.rows > 0"), of_day(1, "b.rows > 0"), of_day(2, "a.rows > 0")
    for message in (first, second, later):
        assert outbox.put(message, NOW)
    outbox.sent(first, NOW)
    [waits] = [waiting for waiting in outbox.waiting() if waiting.message == second]
    outbox.failed(waits, f"it answered 400: {second.sentence}", NOW)
    unfinished = outbox.home / "waiting" / ".2024-01-01-0a.json.77"
    unfinished.write_text(first.sentence)
    outbox.take_words_out([date(2024, 1, 1), date(2024, 1, 3)])
    held = [path.name[:10] for path in outbox.home.rglob("*.json") if "4711" in path.read_text()]
    assert held == ["2024-01-02"]
    assert not unfinished.exists()
    assert not outbox.put(first, NOW)
    assert not outbox.put(second, NOW)
    assert [waiting.message.sentence for waiting in outbox.waiting()] == [ERASED, later.sentence]
