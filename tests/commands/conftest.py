"""Files that several tests of `trendmill match` ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.logs import write
from tests.commands.match_log import LATER, LOG


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Query, log, and what says that a storm is everybody's."""
    return [str(write(tmp_path / "q.cep", LATER)), str(write(tmp_path / "log.csv", LOG)), "--lacks", "Storm.tail"]
