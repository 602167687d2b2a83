"""The table of erasures: what was forgotten, without its values."""

from __future__ import annotations

from jobs.lake.definition import DAY, RUN, Column, Table

ERASURES = Table(
    "erasures",
    "One row is an erasure: the rule by which loads leave its rows out, and what was removed. It holds no value",
    (
        Column(DAY.name, DAY.type, "Day on which it was begun, in UTC", nullable=False),
        RUN,
        Column("erasure", "STRING", "Names the erasure: a keyed hash of its condition", nullable=False),
        Column("rule", "STRING", "JSON: keyed hashes by column, and of words of raw texts", nullable=False),
        Column("key", "STRING", "Names the key of the hashes", nullable=False),
        Column("state", "STRING", "begun: rows may still be there; removed; retired: the key is lost", nullable=False),
        Column("begun_at", "TIMESTAMP", "When it was begun", nullable=False),
        Column("removed_at", "TIMESTAMP", "When its rows were gone from all tables; null: not yet"),
        Column("done_by", "STRING", "Who asked for it", nullable=False),
        Column("reason", "STRING", "Why, in the words of whoever asked", nullable=False),
        Column("days", "STRING", "JSON: the days of its events and refused rows", nullable=False),
        Column("rows", "STRING", "JSON: table -> day -> rows removed", nullable=False),
    ),
    partitioned_by=(),
    checks={"state": "state IN ('begun', 'removed', 'retired')"},
)
