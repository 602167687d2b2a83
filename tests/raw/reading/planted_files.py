"""Files of good and bad rows in random order and spelling, with what a reader must find in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any, Literal

from jobs.raw.reading.file_form import TextForm
from tests.raw.reading.bad_values import BAD_VALUES, NO_OBJECTS

NAMES = ("id", "at", "key", "x", "ok", "day", "n")
KINDS = ("BIGINT", "TIMESTAMP", "STRING", "DOUBLE", "BOOLEAN", "DATE", "BIGINT")
KEY = NAMES.index("key")
JUDGED = tuple(place for place, kind in enumerate(KINDS) if kind in BAD_VALUES)
LONGEST = 400
HEADER = ",".join(NAMES)

Texts = list[str | None]
Values = tuple[Any, ...]
Refusal = tuple[int, int, str, str]
"""Ordinal, offset, rule, raw text."""


@dataclass
class PlantedFile:
    """A file's bytes. `good`: ordinal, offset and values of each good row. `ledger`: counts of lines by their kind."""

    form: TextForm
    data: bytes = b""
    good: list[tuple[int, int, Values]] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    ledger: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("blank", "quoted", "comments", "header"), 0))

    @property
    def rows(self) -> int:
        return len(self.good) + len(self.refused)


def planted_file(random: Random, format: Literal["csv", "json"], rows: int) -> PlantedFile:
    """A file of so many rows."""
    comment = random.choice(["", "#"]) if format == "csv" else ""
    columns = dict(zip(NAMES, KINDS, strict=True))
    form = TextForm(format, columns, random.random() < 0.7, "NA", comment=comment, longest=LONGEST)
    file = PlantedFile(form, random.choice([b"", b"\xef\xbb\xbf"]))
    if form.has_header:
        file.ledger["header"] = 1
        _add_line(
            random, file, random.choice([HEADER, HEADER.replace("key", '"key"'), HEADER.replace(",", " ,")]).encode()
        )
    has_strays = random.random() < 0.5
    for _ in range(rows):
        _add_no_row(random, file)
        raw, values, rule = _csv_row(random, has_strays, form) if format == "csv" else _json_row(random)
        if rule:
            shown = raw.decode("ascii" if rule == "utf8" else "utf-8", "backslashreplace")
            file.refused.append((file.rows, len(file.data), rule, shown[:LONGEST] if len(raw) > LONGEST else shown))
        else:
            file.good.append((file.rows, len(file.data), values))
        file.ledger["quoted"] += raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")
        _add_line(random, file, raw)
    if random.random() < 0.5 and rows:
        file.data = file.data.removesuffix(b"\n").removesuffix(b"\r")
    return file


def _add_no_row(random: Random, file: PlantedFile) -> None:
    kind = random.randrange(8)
    if kind == 0:
        file.ledger["blank"] += 1
        _add_line(random, file, b"", feeds=not file.data.endswith(b"\r"))
    elif kind == 1 and file.form.comment:
        file.ledger["comments"] += 1
        _add_line(random, file, b'# \xff "c' + b"x" * random.choice([0, 2 * LONGEST]))


def _add_line(random: Random, file: PlantedFile, line: bytes, feeds: bool = True) -> None:
    """`feeds`: whether it may end with LF; after CR an empty line that does so is none."""
    file.data += line + random.choice([b"\n", b"\r\n", b"\r"] if feeds else [b"\r\n", b"\r"])


def good_row(random: Random) -> tuple[Texts, Values]:
    """The texts of a good row, None for a missing value, and its values."""
    pairs = [(None, None) if random.random() < 0.15 else spelled(random, kind) for kind in KINDS]
    return [text for text, _ in pairs], tuple(value for _, value in pairs)


def spelled(random: Random, kind: str) -> tuple[str, Any]:
    """A text, and the value of the declared type that it is."""
    if kind == "BIGINT":
        number = random.choice(
            [random.randint(-9, 9), random.randint(-(1 << 63), (1 << 63) - 1), -(1 << 63), (1 << 63) - 1]
        )
        return random.choice([f"{number}", f" {number}\t", f"{number:+05d}", f"{number:025d}"]), number
    if kind == "DOUBLE":
        real = random.choice([random.uniform(-1e4, 1e4), random.gauss(0, 1) * 10.0 ** random.randint(-320, 300)])
        spellings = [repr(real), f"{real:+.3e}", f" {real:.2f}"[:20], f"{real:.0f}."[-20:], f"{real:.17E}"]
        text = random.choice(
            [*spellings, "+.5E-3", "1e22", "-0", "9007199254740993", "4.9e-324", "1e-400", "1.7976931348623157e308"]
        )
        return text, float(text)
    if kind == "BOOLEAN":
        truth = random.random() < 0.5
        text = random.choice(["true", "t", "yes", "y", "1"] if truth else ["false", "f", "no", "n", "0"])
        return random.choice([text, text.upper(), text.title(), f" {text} "]), truth
    if kind == "STRING":
        text = "".join(random.choices("aé\u20ac\U0001f600 ,;'#\t|{}", k=random.randint(1, 6)))
        return text, text
    day = date.fromordinal(random.choice([random.randint(2, 3_652_058), random.randint(734_000, 736_000)]))
    if kind == "DATE":
        return random.choice([day.isoformat(), f"{day.year:04d}-{day.month}-{day.day}", f"{day.isoformat()} "]), day
    return _spelled_stamp(random, day)


def _spelled_stamp(random: Random, day: date) -> tuple[str, datetime]:
    clock = time(random.randrange(24), random.randrange(60))
    text = f"{day.isoformat()}{random.choice(' T')}{clock.hour:02d}:{clock.minute:02d}"
    digits = random.randrange(3)
    if digits:
        clock = clock.replace(second=random.randrange(60), microsecond=random.randrange(10**6) * (digits == 2))
        text += f":{clock.second:02d}" + f".{clock.microsecond:06d}999" * (digits == 2)
    shift = random.randint(-18 * 60, 18 * 60)
    shown = f"{'-' if shift < 0 else '+'}{abs(shift) // 60:02d}:{abs(shift) % 60:02d}"
    zones = [("", 0), ("Z", 0), (" UTC", 0), ("GMT", 0), (shown, shift), (f" {shown.replace(':', '')}", shift)]
    zone, ahead = random.choice(zones)
    return text + zone, datetime.combine(day, clock, UTC) - timedelta(minutes=ahead)


def _csv_row(random: Random, has_strays: bool, form: TextForm) -> tuple[bytes, Values, str]:
    """A row's bytes, its values, and the rule that refuses it, if one does.

    After a quote that is never closed, a quoted value that begins with a separator, a line break or a quote can be read
    as that quote's end: a file has one or the other.
    """
    texts, values = good_row(random)
    if random.random() < 0.3:
        texts[KEY] = ("k" if has_strays else "") + "".join(random.choices('a",\n\r', k=random.randrange(7))) + "z"
        values = (*values[:KEY], texts[KEY], *values[KEY + 1 :])
    if texts[0] is None:
        texts[0], values = "1", (1, *values[1:])  # else the row may be an empty line or begin with a quote
    fields = ["" if text is None else text for text in texts]
    if not fields[KEY] and random.random() < 0.5:
        fields[KEY] = "NA"
    quoted = [(bool(text) and random.random() < 0.2) or any(mark in text for mark in '",\n\r') for text in fields]
    good = _joined(fields, quoted)
    kind = random.randrange(16)
    if kind == 0:
        wrong_counts = [_joined(fields[:-1], quoted), _joined([*fields, "1"], quoted), b" ", b"0"]
        return random.choice(wrong_counts), values, "shape"
    fields[KEY], quoted[KEY] = "k", False
    if kind == 1:
        strays = [b'1,a"b,,,,,', b'1,,"a"b,,,,', b'1,,"a""b"c,,,,', b'1,,k"k']
        unclosed = [b'1,,"k', b'1,,"k""']
        return random.choice([*strays, *unclosed] if has_strays else strays), values, "shape"
    if kind == 2:
        return random.choice([b"1,,k\0,,,,", b"\0"]), values, "shape"
    if kind == 3:
        bad = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", "é".encode("latin-1")]
        return b"1,,k" + random.choice(bad) + b",,,,", values, "utf8"
    if kind == 4:
        return b"1,,k" + b"x" * (LONGEST - 7 + random.choice([0, 1, 1000])) + b",,,,", values, "shape"
    if kind == 5 and form.has_header:
        return random.choice([HEADER, HEADER.replace("key", '"key"')]).encode(), values, "shape"
    if kind in (6, 7, 8):
        place = random.choice(JUDGED)
        fields[place] = random.choice(BAD_VALUES[KINDS[place]])
        quoted[place] = quoted[place] or "," in fields[place]
        return _joined(fields, quoted), values, "type"
    return good, values, ""


def _joined(fields: list[str], quoted: list[bool]) -> bytes:
    pairs = zip(fields, [*quoted, False], strict=False)
    return ",".join(f'"{text.replace(chr(34), chr(34) * 2)}"' if quotes else text for text, quotes in pairs).encode()


def _json_row(random: Random) -> tuple[bytes, Values, str]:
    """A line's bytes, its values, and the rule that refuses it, if one does."""
    kind = random.randrange(12)
    if kind in (0, 1, 2):
        return random.choice(NO_OBJECTS).encode(), (), "shape"
    if kind == 3:
        return b'{"id": 1, "key": "\xff"}', (), "utf8"
    if kind == 4:
        return b'{"key": "' + b"x" * (LONGEST - 10 + random.choice([0, 1, 1000])) + b'"}', (), "shape"
    texts, values = good_row(random)
    rule = ""
    if kind in (5, 6, 7):
        place, rule = random.choice(JUDGED), "type"
        texts[place] = random.choice(BAD_VALUES[KINDS[place]])
    members = [
        f'"{name}": {_json_value(random, text, kind)}' for name, text, kind in zip(NAMES, texts, KINDS, strict=True)
    ]
    members += random.choice([[], ['"other": {"id": [1, "}"]}'], ['"other": -1.5e3'], ['"other": "id"']])
    if random.random() < 0.5:
        random.shuffle(members)
    line = random.choice([", ", ",", " ,\t"]).join(members)
    return f"{random.choice(['', ' '])}{{{line}}}{random.choice(['', ' '])}".encode(), values, rule


def _json_value(random: Random, text: str | None, kind: str) -> str:
    if text is None:
        return random.choice(["null", '""', '"NA"'])
    if kind in ("BIGINT", "DOUBLE") and _is_json_number(text) and random.random() < 0.5:
        return text
    return json.dumps(text, ensure_ascii=random.random() < 0.5)


def _is_json_number(text: str) -> bool:
    try:
        return isinstance(json.loads(text), int | float) and text == text.strip() and text not in ("NaN", "-Infinity")
    except ValueError:
        return False
