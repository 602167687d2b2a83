"""SIGTERM ends a program, whatever Python does when it arrives."""

from __future__ import annotations

import os
import signal
import time

import pytest

from jobs.signals import Terminated, interruption, terminable


@pytest.fixture(autouse=True)
def _no_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other tests' JVM stays."""
    monkeypatch.setattr("jobs.signals.jvm", lambda: None)


class Dropped:
    """Python drops what is raised while it destroys this."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)


def drop_sigterm() -> None:
    made = Dropped()
    del made


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_dropped_sigterm_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It arrives while an object is destroyed; the work that follows is interrupted all the same."""
    monkeypatch.setattr("jobs.signals.AGAIN", 0.05)
    ended = []

    @terminable()
    def work() -> None:
        drop_sigterm()
        time.sleep(10)
        ended.append(True)

    with pytest.raises(Terminated):
        work()
    assert not ended


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_fails_after_sigterm_was_interrupted() -> None:
    """As a question to a JVM that is gone."""

    @terminable()
    def work() -> None:
        drop_sigterm()
        raise ConnectionRefusedError

    with pytest.raises(Terminated) as caught:
        work()
    assert isinstance(interruption(caught.value), Terminated)


def test_cleaning_up_is_not_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """While Terminated is on its way nothing is raised again, and afterwards nothing is left of it."""
    monkeypatch.setattr("jobs.signals.AGAIN", 0.02)
    cleaned = []

    @terminable()
    def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        finally:
            time.sleep(0.2)
            cleaned.append(True)

    with pytest.raises(Terminated):
        work()
    assert cleaned
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    time.sleep(0.05)
