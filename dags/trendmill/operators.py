"""Two operators that know what an exit code means.

The project's programs end with 0, or 2 (a workload, query or header must be corrected), 3 (the quality gate refused a
day), 5 (another run holds the lake), or 1 (anything else). A retry helps only after 1. So 2 and 3 fail the task without
a retry, and tasks downstream become `upstream_failed`. After 5 the task gives its slot of the pool back and looks again
a minute later, as often as needed, without using up a retry. The last line of the task's log is the last line that the
program printed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from tempfile import NamedTemporaryFile
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowRescheduleException

from trendmill.drivers import end_drivers
from trendmill.places import ROOT, environment, is_chosen_by_input, on_cluster, spark_settings

FINAL_EXIT_CODES = frozenset({2, 3})
BUSY = 5
LOOK_AGAIN = timedelta(minutes=1)
"""How long a task waits for the lake before it looks again."""
LAST_WORDS = re.compile(r"^trendmill: (.+)$")


def failure(what: str, code: int, lines: Sequence[str]) -> AirflowException:
    """The exception for a program that ended with this code after printing these lines.

    >>> failure("load", 3, ["...", "trendmill: quality gate failed on 1 day(s)"])
    AirflowFailException('load ended with exit code 3: quality gate failed on 1 day(s)')
    """
    words = [match[1] for line in lines if (match := LAST_WORDS.match(line.strip()))] or [
        line for line in lines if line.strip()
    ]
    if code == BUSY:
        return AirflowRescheduleException(datetime.now(UTC) + LOOK_AGAIN)
    message = f"{what} ended with exit code {code}: {words[-1].strip() if words else 'it printed nothing'}"
    return AirflowFailException(message) if code in FINAL_EXIT_CODES else AirflowException(message)


class Program:
    """A program of the project in a process of its own. `module` is what `python -m` runs."""

    def __init__(self, module: str, arguments: Sequence[str], further: Mapping[str, str] | None = None) -> None:
        """`further`: variables of the program's environment beside the project's places."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT,
            env={**os.environ, **environment(), **(further or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self, what: str, log: Callable[[str], None]) -> None:
        """Give every line that it prints to `log`, and wait for its end. Raises its `failure`."""
        lines = []
        for line in self._process.stdout or ():
            lines.append(line.rstrip("\n"))
            log(lines[-1])
        if code := self._process.wait():
            raise failure(what, code, lines)

    def end(self) -> None:
        """Let it and its children end, if they still work."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)


class SparkTask(SparkSubmitOperator):
    """One task of a run (`load`, `slice`, `evaluate`) as a Spark application, by the connection `spark_default`.

    A task that needs no Spark for so little input is a program without a JVM.
    """

    def __init__(self, *, task: str, arguments: Sequence[str], **options: Any) -> None:
        super().__init__(
            application=str(ROOT / "jobs" / "spark_task.py"),
            application_args=["--task", task, *arguments, *(["--cluster"] if on_cluster() else [])],
            conn_id="spark_default",
            properties_file=spark_settings(),
            env_vars=environment(),
            **options,
        )
        self._program: Program | None = None

    def execute(self, context: Any) -> None:
        if not is_chosen_by_input():
            self._submit(context)
            return
        chosen = self._settings_for_input()
        if not chosen.strip():
            self._program = Program("jobs.spark_task", self.application_args)
            self._program.finish(self.task_id, self.log.info)
            return
        with NamedTemporaryFile("w", prefix="trendmill-", suffix=".conf") as file:
            file.write(chosen)
            file.flush()
            self.properties_file = file.name
            self._submit(context)

    def on_kill(self) -> None:
        if self._program is not None:
            self._program.end()
        else:
            end_drivers()
            super().on_kill()

    def _settings_for_input(self) -> str:
        """Spark's settings as a properties file, chosen by the size of what the task will read; empty: it needs none.

        The JVM starts with them.
        """
        command = [sys.executable, "-m", "jobs.runs.input_size", *self.application_args]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environment()}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            self.log.warning("%s", done.stderr.strip())
            raise failure(f"{self.task_id} (choosing Spark's settings)", done.returncode, done.stderr.splitlines())
        return done.stdout

    def _submit(self, context: Any) -> None:
        try:
            super().execute(context)
        except AirflowFailException:
            raise
        except AirflowException as error:
            # The exit code and the last lines of spark-submit are only in the exception's text.
            code = re.search(r"Error code is: (\d+)", str(error))
            if code is None:
                raise
            raise failure(self.task_id, int(code[1]), str(error).splitlines()) from None


class Command(BaseOperator):
    """A program of the project in its own process, without a JVM. Its output goes to the task's log.

    `module` is what `python -m` runs.
    """

    template_fields: Sequence[str] = ("arguments",)

    def __init__(self, *, module: str, arguments: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        self.module = module
        self.arguments = list(arguments)
        self._program: Program | None = None

    def execute(self, context: Any) -> None:
        self._program = Program(self.module, self.arguments, self.further_environment())
        self._program.finish(self.task_id, self.log.info)

    def further_environment(self) -> Mapping[str, str]:
        """Variables for the program that this process alone knows."""
        return {}

    def on_kill(self) -> None:
        if self._program is not None:
            self._program.end()
