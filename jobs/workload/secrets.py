"""`${env:X}`, `${env:X:-default}` and `${conn:id}` in a workload's values, resolved late and in the driver only.

A declaration holds the reference. The value exists only where a source is opened, so it reaches no hash, no argument
and no log. `${conn:id}` is the password of the Airflow connection `id`, given as AIRFLOW_CONN_<ID> (a URI or
JSON), as Airflow itself reads it.
"""

from __future__ import annotations

import json
import os
import re
from urllib.parse import unquote, urlsplit

from jobs.exits import RunError

_REFERENCE = re.compile(r"\$\{(?P<kind>env|conn):(?P<name>[A-Za-z_][A-Za-z0-9_.-]*)(?::-(?P<default>[^}]*))?\}")
_ANY = re.compile(r"\$\{[^}]*\}?")


class SecretMissing(RunError):
    """A reference to a value that this process does not have."""


def resolve(text: str) -> str:
    """The text with every reference replaced. Raises SecretMissing, which names the variable and never a value.

    >>> resolve("${env:TRENDMILL_DOCTEST:-data}/flights.csv")
    'data/flights.csv'
    """
    return _REFERENCE.sub(_value, text)


def values_in(text: str) -> list[str]:
    """The values of the references in a text. Raises SecretMissing."""
    return [_value(reference) for reference in _REFERENCE.finditer(text)]


def problems_in(text: str) -> list[str]:
    """Texts that look like a reference but are not written as one.

    >>> problems_in("${env:HOME}/x"), problems_in("${HOME}/x")
    ([], ["'${HOME}' is no reference; write ${env:NAME}, ${env:NAME:-default} or ${conn:id}"])
    """
    return [
        f"'{written}' is no reference; write ${{env:NAME}}, ${{env:NAME:-default}} or ${{conn:id}}"
        for written in _ANY.findall(text)
        if not _REFERENCE.fullmatch(written)
    ]


def _value(reference: re.Match[str]) -> str:
    name, default = reference["name"], reference["default"]
    if reference["kind"] == "conn":
        return _password(name)
    value = os.environ.get(name, "") or default
    if value is None:
        raise SecretMissing(f"the environment variable {name} is not set; the workload refers to ${{env:{name}}}")
    return value


def _password(connection: str) -> str:
    variable = f"AIRFLOW_CONN_{connection.upper()}"
    text = os.environ.get(variable)
    if text is None:
        raise SecretMissing(f"the workload refers to ${{conn:{connection}}}: set {variable} to a URI or JSON")
    password = json.loads(text).get("password") if text.lstrip().startswith("{") else urlsplit(text).password
    if not password:
        raise SecretMissing(f"the connection '{connection}' ({variable}) has no password")
    return unquote(str(password))
