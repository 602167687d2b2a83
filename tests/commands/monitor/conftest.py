"""Files that several tests of `trendmill monitor` ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.logs import write
from tests.commands.monitor.policy_log import LOG, POLICY, SIGNATURE


@pytest.fixture
def text_log(tmp_path: Path) -> list[str]:
    policy, log = write(tmp_path / "p.mfotl", POLICY), write(tmp_path / "flights.log", LOG)
    return [str(policy), str(log), "--sig", str(write(tmp_path / "flights.sig", SIGNATURE))]
