"""Workload folders that no calendar can schedule, one for each way to get one wrong."""

from __future__ import annotations

import os
from pathlib import Path

GOOD = 'title: A good one\nowner: flight-ops\nschedule: "0 8 * * *"\nstart: 2013-01-01\n'

BAD_NAMES = (
    "good (copy)",
    "a b",
    "a;rm -rf x",
    "$(touch x)",
    "`touch x`",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "a" * 65,
    "a" * 250,
    "café",
    "日本",
    "۱۲۳",
    ".hidden",
    "..a",
    "-rf",
    "--help",
    "_under",
    "Upper",
    "1st",
    "a.b",
    "a-b",
    "a'b",
    'a"b',
    "a\nb",
    "a\tb",
    "a\\b",
    "a%b",
    "<b>",
    "a\u202eb",
    os.fsdecode(b"\xff\xfe"),
)


def bomb(levels: int = 30, wide: int = 10) -> str:
    """Anchors of aliases of anchors: a few lines that stand for `wide ** levels` values."""
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * wide)}]" for n in range(1, levels)]
    return "\n".join([*lines, ""])


def merge_bomb(levels: int = 30, wide: int = 10) -> str:
    """The same with merge keys, which copy what they merge."""
    lines = ["m0: &m0 {k: v}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * wide)}]}}" for n in range(1, levels)]
    return "\n".join([*lines, ""])


BAD_FILES = {
    "empty": "",
    "a_list": "- title\n",
    "a_word": "title\n",
    "unclosed": "title: [never closed",
    "two_documents": GOOD + "---\n" + GOOD,
    "not_utf8": GOOD.encode() + b"extra: \xff\xfe\n",
    "utf16": GOOD.encode("utf-16"),
    "nul_bytes": GOOD.encode() + b"\x00\x00",
    "title_is_a_bomb": bomb() + GOOD.replace("A good one", "*a29"),
    "owner_is_a_bomb": bomb() + GOOD.replace("flight-ops", "*a29"),
    "merged_bomb": merge_bomb() + "<<: *m29\n" + GOOD,
    "recursive": GOOD + "events: &e {a: *e}\ntitle: *e\n",
    "recursive_title": GOOD.replace("title: A good one", "title: &t [*t]"),
    "deep": GOOD + "events: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "huge": GOOD + "# " + "x" * 2_000_000 + "\n",
    "key_twice": GOOD + "start: 2014-01-01\n",
    "no_title": GOOD.replace("title: A good one\n", ""),
    "empty_title": GOOD.replace("A good one", '""'),
    "title_of_lines": GOOD.replace("A good one", '"a\\nb"'),
    "title_of_a_book": GOOD.replace("A good one", "a" * 201),
    "owner_is_a_list": GOOD.replace("flight-ops", "[a, b]"),
    "owner_of_a_book": GOOD.replace("flight-ops", "a" * 101),
    "no_schedule": GOOD.replace('schedule: "0 8 * * *"\n', ""),
    "weekly": GOOD.replace("0 8 * * *", "0 8 * * 1"),
    "hour_25": GOOD.replace("0 8 * * *", "0 25 * * *"),
    "minute_60": GOOD.replace("0 8 * * *", "60 8 * * *"),
    "arabic_digits": GOOD.replace("0 8 * * *", "٠ ٨ * * *"),
    "schedule_is_a_mapping": GOOD.replace('"0 8 * * *"', "{hour: 8}"),
    "no_such_day": GOOD.replace("2013-01-01", "2013-02-31"),
    "start_with_a_time": GOOD.replace("2013-01-01", "2013-01-01 08:00:00"),
    "start_in_words": GOOD.replace("2013-01-01", "yesterday"),
    "start_before_calendars": GOOD.replace("2013-01-01", "0001-01-01"),
    "start_at_the_end": GOOD.replace("2013-01-01", "9999-12-31"),
    "start_is_a_number": GOOD.replace("2013-01-01", "20130101"),
}
"""What `workload.yaml` of a folder with a good name holds, by the folder's name."""


def write_bad_folders(root: Path) -> set[str]:
    """Write all bad folders below `root`; returns their names."""
    written = set()
    for name in BAD_NAMES:
        (root / name).mkdir()
        (root / name / "workload.yaml").write_text(GOOD)
        written.add(name)
    for name, content in BAD_FILES.items():
        (root / name).mkdir()
        (root / name / "workload.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
        written.add(name)
    for name in ("dangling", "is_a_folder", "loops", "endless", "bad_query"):
        (root / name).mkdir()
        written.add(name)
    (root / "dangling" / "workload.yaml").symlink_to("nowhere")
    (root / "is_a_folder" / "workload.yaml").mkdir()
    (root / "loops" / "workload.yaml").symlink_to("workload.yaml")
    (root / "endless" / "workload.yaml").symlink_to("/dev/zero")
    (root / "bad_query" / "workload.yaml").write_text(GOOD)
    (root / "bad_query" / "queries").mkdir()
    (root / "bad_query" / "queries" / "{{ x }}.cep").write_text("PATTERN A+ WITHIN 1 hour\n")
    return written
