"""A session that only answers questions about a lake: no writing, no other files, no programs.

Spark's SQL can do more than ask tables: read any file by its path (text.`/etc/passwd`), call any Java method
(`reflect`) and run any program (`TRANSFORM ... USING`). Refusing these protects against a statement that somebody else
wrote. It does not protect against users of this machine, who can read the lake's files anyway. Cost: milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cep_core.language.hints import did_you_mean
from jobs.exits import WrongWorkload

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BLANK = r"(?is)(\s|--[^\n]*\n|/\*.*?\*/)*"
DESCRIBES = re.compile(_BLANK + r"(describe|desc|show|explain)\b")
"""Statements about tables and plans."""
_ASKS = re.compile(_BLANK + r"(select|values)\b")
_WORD = re.compile(_BLANK + r"(?P<word>\w+)")
_QUESTIONS = ("SELECT", "WITH", "VALUES", "DESCRIBE", "SHOW")
_DESCRIBES_FILES = re.compile(_BLANK + r"(describe|desc)\s+(\w+\s+)*['\"]")

METHOD_CALLS = ("reflect", "java_method", "try_reflect")
"""Spark's functions that call any Java method by its name."""


def session_for_questions(spark: SparkSession) -> SparkSession:
    """A second session beside `spark` with the same tables, but without files by path and without Java methods."""
    session = spark.newSession()
    session.conf.set("spark.sql.runSQLOnFiles", "false")
    scala, functions = session._jvm.scala, session._jsparkSession.sessionState().functionRegistry()
    identifier = session._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
    for name in METHOD_CALLS:
        functions.dropFunction(identifier(name, scala.Option.apply("builtin"), scala.Option.apply("system")))
    return session


def ask(session: SparkSession, statement: str) -> DataFrame:
    """The answer to a question. Raises WrongWorkload for anything else; Spark's own errors pass."""
    from pyspark.errors import ParseException

    if _DESCRIBES_FILES.match(statement):
        raise WrongWorkload("DESCRIBE takes a table's name here, not a path")
    if DESCRIBES.match(statement):
        return session.sql(statement)
    try:
        session._jsparkSession.sessionState().sqlParser().parseQuery(statement)
    except ParseException as error:
        if "PARSE_SYNTAX_ERROR" not in str(error) or _ASKS.match(statement):
            raise
        begin = _WORD.match(statement)
        hint = did_you_mean(begin["word"], _QUESTIONS) if begin else ""
        advice = hint if hint.endswith("?") else "runs write the tables"
        raise WrongWorkload(f"only questions are asked here ({', '.join(_QUESTIONS)}); {advice}") from error
    answer = session.sql(statement)
    if any(node.nodeName() == "ScriptTransformation" for node in _nodes(answer._jdf.queryExecution().analyzed())):
        raise WrongWorkload("TRANSFORM runs a program; only questions are asked here")
    return answer


def _nodes(plan: Any) -> Iterator[Any]:
    """Every operator of a logical plan, including those of its subqueries."""
    subqueries = plan.subqueriesAll()
    waiting = [plan, *(subqueries.apply(n) for n in range(subqueries.size()))]
    while waiting:
        node = waiting.pop()
        yield node
        for inner in (node.children(), node.innerChildren()):
            waiting.extend(inner.apply(n) for n in range(inner.size()))
