"""Why a program failed, in one line: the deepest cause, the file, and what to do.

Spark wraps an error in up to six exceptions and prints them from the outside in, each with its stack. The first line
says which call failed; the last line says where the thread began. The last `Caused by` says what happened; one above it
often names the file. When Spark's JVM itself is gone, every further call fails with a broken connection.
"""

from __future__ import annotations

import errno
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote

from jobs.signals import jvm

_SECONDS_TO_DIE = 2.0
"""How long to wait for a JVM's end: its connections break a moment before its end can be seen."""

REMEDIES: tuple[tuple[str, str], ...] = (
    (
        r"No space left on device|Disk quota exceeded|File too large",
        "make room on that disk, then run the same command again: nothing of the unfinished write is visible",
    ),
    (
        r"Input/output error",
        "the disk or the network below it fails (the system log tells how): see to it, then run the same command "
        "again: nothing of the unfinished write is visible",
    ),
    (
        r"OutOfMemoryError|Java heap space|GC overhead limit",
        "too much for Spark's memory at once: run fewer days at a time, or give it more (docs/performance.md)",
    ),
    (r"Permission denied|AccessDenied|Operation not permitted|Read-only file system", "give this user the right to it"),
    (
        r"_delta_log|DELTA_\w*LOG",
        "`trendmill verify NAME` lists what is damaged: put the file back from a copy, or remove the table's folder "
        "and run its days again",
    ),
    (
        r"COLUMN_DATA_TYPE_MISMATCH|CANNOT_MERGE_SCHEMA|SchemaColumnConvertNotSupported|"
        r"Unable to create Parquet converter",
        "the files of one source hold a column as different types: have them delivered with one",
    ),
    (
        r"Cannot run program \"[^\"]*python|No module named '(jobs|cep_core|pyspark|pyarrow|numba)|"
        r"PYTHON_VERSION_MISMATCH",
        "executors need the driver's Python, packages and code: `trendmill doctor` looks at each (docs/cluster.md)",
    ),
    (
        r"All masters are unresponsive|stopped SparkContext",
        "no Spark master answers, or it ended the application: see to the cluster, or to the connection spark_default "
        "(docs/cluster.md)",
    ),
    (
        r"FILE_NOT_EXIST|FileNotFoundException|does not exist|No such file",
        "a file that is needed is gone: have it delivered again, or, if it is the lake's, see `trendmill verify NAME`",
    ),
    (
        r"FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER|not a Parquet file|Unexpected end of|corrupt|ZlibException|"
        r"not in gzip format|incorrect (data|header) check|CHECKSUM|ChecksumException",
        "the file is damaged: have it delivered again, or, if it is the lake's, see `trendmill verify NAME`",
    ),
)
"""Signs of a cause anywhere in the chain, and what to do. The first that fits is used."""

LONGEST_LINE = 400
"""The most characters of a line; some libraries print the data that they could not read."""

_LINK = re.compile(r"^(?:Caused by: |: )?((?:[a-z_][\w$]*\.)+[A-Z][\w$]*)(?:: (.*))?$")
_FRAME = re.compile(r"^\s+(?:at [\w.$/]+.*\(|\.\.\. \d+ )|^\s*Suppressed: ")
_PYTHON = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Failure)): ?(.*)$")
_FILE = re.compile(r"(file:)?(?<![\w/])(/+(?:[^\s:,;'\"`()\[\]/]+/)*[^\s:,;'\"`()\[\]/]+)")
_END_OF_STATE = re.compile(r"\s*SQLSTATE: \w+\s*$")
_CONNECTION = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError")


def cause(error: BaseException) -> str:
    """The message of an unexpected error.

    >>> cause(OSError(28, "No space left on device", "/lake/w/lease.json")).partition("; ")[0]
    'OSError: No space left on device (/lake/w/lease.json)'
    """
    if (death := jvm_death(error)) is not None:
        return death
    first, *_ = causes = list(_chain(error))
    links = [link for link in (_links(each) for each in causes) if link]
    if not links:
        return _with_remedy(_plain(first), first)
    chain = links[-1]  # the first one: later ones come from cleaning up
    kind, text = chain[-1]
    summary = f"{kind.rpartition('.')[2]}: {text}" if text else kind
    file = next((match for _, link in reversed(chain) if (match := _file(link))), None)
    named = f"{summary} ({file})" if file and file not in summary else summary
    whole = " ".join(f"{kind} {text}" for kind, text in chain)
    return f"{named}{_remedy(whole)}"


def jvm_death(error: BaseException) -> str | None:
    """The message if Spark's JVM has ended while the program ran; None if it has not."""
    process = jvm()
    code = None if process is None else process.poll()
    broken = any(type(each).__name__ in _CONNECTION and _from_py4j(each) for each in _chain(error))
    if broken and process is not None and code is None:
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(_SECONDS_TO_DIE)
    if not broken and (code is None or not any(_from_py4j(each) for each in _chain(error))):
        return None
    how = "" if code is None else f" (killed by signal {-code})" if code < 0 else f" (exit code {code})"
    return (
        f"Spark's JVM ended{how}: out of memory? The system log tells if the machine killed it, hs_err_pid*.log if it "
        "crashed; run the same command again, with fewer days at a time if it happens again"
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and the errors that caused it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _from_py4j(error: BaseException) -> bool:
    """Whether an error was raised during a call into Java."""
    if type(error).__module__.startswith("py4j"):
        return True
    trace = error.__traceback__
    while trace is not None:
        if "py4j" in trace.tb_frame.f_code.co_filename:
            return True
        trace = trace.tb_next
    return False


def _java_text(error: BaseException) -> str:
    """Java's own text of an error; empty if its JVM is gone."""
    stack = getattr(error, "_stackTrace", None)
    if isinstance(stack, str):
        return stack
    if not hasattr(error, "java_exception"):
        return ""
    try:
        return str(error)
    except Exception as gone:  # noqa: BLE001  # the call into the JVM can fail in any way
        return f"{getattr(error, 'errmsg', error)} ({type(gone).__name__})"


def _links(error: BaseException) -> list[tuple[str, str]]:
    """The exceptions of a Java trace, outermost first: class and message. Empty if there is no such trace."""
    links: list[tuple[str, list[str]]] = []
    inside = False
    for line in _java_text(error).splitlines():
        head = _LINK.match(line)
        if head and (not inside or line.startswith(("Caused by: ", ": ")) or not links):
            links.append((head[1], [head[2] or ""]))
            inside = True
        elif _FRAME.match(line):
            inside = False
        elif inside:
            links[-1][1].append(line)
    return [_cleaned(kind, lines) for kind, lines in links]


def _cleaned(kind: str, lines: list[str]) -> tuple[str, str]:
    """One line of a message: a Python worker's last line, else the text without notes on settings and SQL state."""
    texts = [line.strip() for line in lines if line.strip()]
    if any("Traceback (most recent call last)" in line for line in texts):
        for line in reversed(texts):
            if python := _PYTHON.match(line):
                return python[1], python[2]
    text = " ".join(line for line in texts if not line.startswith(("Parse Mode:", "at [Source:")))
    return kind, _END_OF_STATE.sub("", text)[:LONGEST_LINE]


def _plain(error: BaseException) -> str:
    """An error that Python raised, with its file."""
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        file = f" ({error.filename})" if error.filename is not None else ""
        return f"{type(error).__name__}: {error.strerror}{file}"
    lines = [line[:LONGEST_LINE] for line in str(error).strip().splitlines()] or [""]
    ends = " ... ".join(dict.fromkeys([lines[0].strip(), lines[-1].strip()]))
    return f"{type(error).__name__}: {ends}" if ends else type(error).__name__


def _with_remedy(text: str, error: BaseException) -> str:
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return f"{text}; the machine's memory is not enough: run fewer days at a time"
    is_of_input = isinstance(error, OSError) or type(error).__module__.partition(".")[0] in (
        "deltalake",
        "_internal",
        "pyarrow",
    )
    return f"{text}{_remedy(text)}" if is_of_input else text


def _remedy(text: str) -> str:
    return next((f"; {remedy}" for sign, remedy in REMEDIES if re.search(sign, text, re.IGNORECASE)), "")


def _file(text: str) -> str | None:
    """The first path in a message."""
    match = _FILE.search(text)
    if match is None:
        return None
    path = re.sub("^/+", "/", match[2]).rstrip(".")
    return unquote(path) if match[1] else path
