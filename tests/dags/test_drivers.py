"""The driver below spark-submit is asked to end before spark-submit is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WORKS = """\
import signal, sys, time
from pathlib import Path

def end(*_):
    Path(sys.argv[0]).with_name("ended").touch()
    sys.exit(143)

signal.signal(signal.SIGTERM, end)
Path(sys.argv[0]).with_name("begun").touch()
time.sleep(60)
"""

ASKS = """\
import subprocess, sys, time
from pathlib import Path
from trendmill.drivers import end_drivers

home = Path(sys.argv[1])
submit = subprocess.Popen(["sh", "-c", '"$0" "$1" & wait', sys.executable, home / "spark_task.py"])
while not (home / "begun").exists():
    time.sleep(0.01)
end_drivers()
assert (home / "ended").exists()
submit.wait()
"""


def test_a_driver_ends_by_itself(tmp_path: Path) -> None:
    """It is a grandchild of the process that asks, and has ended when the question returns."""
    for name, text in (("spark_task.py", WORKS), ("ask.py", ASKS)):
        (tmp_path / name).write_text(text)
    dags = str(Path(__file__).parents[2] / "dags")
    command = [sys.executable, str(tmp_path / "ask.py"), str(tmp_path)]
    done = subprocess.run(
        command, env={"PYTHONPATH": dags}, cwd=tmp_path, timeout=30, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
