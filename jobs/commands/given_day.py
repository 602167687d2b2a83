"""An operating day on the command line."""

from __future__ import annotations

import argparse
from datetime import date


def given_day(text: str) -> date:
    """The day that an argument names. Raises ArgumentTypeError.

    >>> given_day("2013-03-08")
    datetime.date(2013, 3, 8)
    >>> given_day("8.3.2013")
    Traceback (most recent call last):
    argparse.ArgumentTypeError: expected a day such as 2013-03-08, found '8.3.2013'
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a day such as 2013-03-08, found '{text}'") from None
