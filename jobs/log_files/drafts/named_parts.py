"""What a drafted workload calls the columns and event types of a file, and how its SQL says them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from cep_core.events.frame_columns import sayable
from jobs.workload.sections.event_types import RESERVED

SQL_TYPES = {"int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 128


def names_of(texts: Iterable[str], before: str = "x") -> dict[str, str]:
    """A name of a workload for each text: letters without accents, digits, `_`; no two alike, none of the log's own.

    `before`: stands in front of what does not begin with a letter.

    >>> names_of(["Start X", "größe", "95%", "day", "ID", "id"])
    {'Start X': 'Start_X', 'größe': 'groe', '95%': 'x_95', 'day': 'day_', 'ID': 'ID', 'id': 'id_'}
    """
    names: dict[str, str] = {}
    taken = set(RESERVED)
    for text in texts:
        letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        name = sayable(letters).strip("_")
        name = (name if name[:1].isalpha() else f"{before}_{name}".rstrip("_"))[: _LONGEST - 9]
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        names[text] = name
    return names


def renamed_text(names: Mapping[str, str]) -> str:
    """Those that differ, for a line of text; empty if none does."""
    renamed = [f"{name} for '{text}'" for text, name in names.items() if name != text]
    return ", ".join(renamed[:8]) + (", ..." if len(renamed) > 8 else "")


def sql_of(place: tuple[str, ...], kind: str) -> str:
    """A value of a column in SQL, or of a field of the JSON that is the column's text.

    >>> sql_of(("Start X",), "float"), sql_of(("user", "id"), "int")
    ('`Start X`', "CAST(get_json_object(`user`, '$.id') AS BIGINT)")
    """
    if len(place) == 1:
        return f"`{place[0]}`"
    keys = "".join(f".{key}" if _PLAIN.fullmatch(key) else f"['{key}']" for key in place[1:])
    path = f"${keys}".replace("\\", "\\\\").replace("'", "\\'")
    text = f"get_json_object(`{place[0]}`, '{path}')"
    return f"CAST({text} AS {SQL_TYPES[kind]})" if kind in SQL_TYPES else text


def sql_text(text: str) -> str:
    """A text in SQL.

    >>> sql_text("it's")
    "'it\\\\'s'"
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
