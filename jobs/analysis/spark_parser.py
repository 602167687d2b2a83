"""Spark's own parser. It decides about SQL that the quick parser cannot read.

It runs in a JVM with Spark's classes, without a session. The JVM starts in two or three seconds, and only when it is
needed. Without Java there is no decision.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from jobs import places

_OPTIONS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"]
_SHORT = re.compile(
    r"^\s*(?:\[[A-Z_.]+\] )?(?P<what>.*?)\.?(?:: extra input [^.]*\.)?"
    r"(?: SQLSTATE: \w+)?(?: \(line \d+, pos \d+\))?\s*$"
)


def syntax_error(text: str, predicate: bool = False) -> tuple[str, int, int] | None:
    """What is wrong with a statement or a predicate, with line and column from 1; None: Spark can read it.

    Raises OSError if there is no Java.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors.exceptions.captured import CapturedException  # what a running session makes of Java's errors

    parser = _parser()
    try:
        if predicate:
            parser.parseExpression(text)
        else:
            parser.parsePlan(text)
    except (Py4JJavaError, CapturedException) as error:
        thrown = error.java_exception if isinstance(error, Py4JJavaError) else error._origin
        if thrown.getClass().getSimpleName() != "ParseException":
            return None
        lines = [line for line in str(thrown.getMessage()).splitlines() if line.strip()]
        words = _SHORT.match(lines[0]) if lines else None
        line, column = (re.search(r"\d+", str(of.toString())) for of in (thrown.line(), thrown.startPosition()))
        return (
            words["what"] if words else "syntax error",
            int(line[0]) if line else 1,
            int(column[0]) + 1 if column else 1,
        )
    return None


@cache
def _parser() -> Any:
    """The parser of the session that runs in this process, else of a new JVM that ends with the process."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway or _launched()
    return gateway.jvm.org.apache.spark.sql.execution.SparkSqlParser()


def _launched() -> Any:
    import pyspark
    from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

    jars = Path(pyspark.__file__).parent / "jars"
    port = launch_gateway(
        jarpath=str(next(jars.glob("py4j-*.jar"))),
        classpath=str(jars / "*"),
        javaopts=_OPTIONS,
        java_path=java(),
        die_on_exit=True,
    )
    return JavaGateway(gateway_parameters=GatewayParameters(port=port))


def java() -> str:
    """The Java that Spark runs on: JAVA_HOME's, the one chosen at set-up, or the machine's. Raises OSError."""
    homes = [Path(home) for home in (os.environ.get("JAVA_HOME"), places.cache() / "jdk") if home]
    for executable in [*(home / "bin" / "java" for home in homes), shutil.which("java")]:
        if executable and Path(executable).is_file():
            return str(executable)
    raise FileNotFoundError("there is no Java: run `make` once, it finds or fetches one")
