"""The columns of the small lake's tables."""

from __future__ import annotations

import pyarrow as pa


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([("day", pa.date32()), ("run_id", pa.string()), *columns.items()])


_LONG, _TEXT, _REAL, _FLAG, _COUNT = pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.decimal128(38, 0)
EVENTS = _schema(event_type=_TEXT, ts=_LONG, seq=_LONG, line=_TEXT, station=_TEXT, delay_min=_LONG)
CHAINS = _schema(
    line=_TEXT,
    window_start=_LONG,
    window_end=_LONG,
    count=_COUNT,
    count_log10=_REAL,
    count_D=_COUNT,
    count_D_log10=_REAL,
    max_D_delay_min=_LONG,
    sum_D_delay_min=_COUNT,
    sum_D_delay_min_log10=_REAL,
    sum_D_delay_min_sign=pa.int8(),
    avg_D_delay_min=_REAL,
)
DEPARTURES = _schema(window_start=_LONG, window_end=_LONG, count=_COUNT, count_log10=_REAL)
MATCHES = _schema(match_id=_TEXT, first_ts=_LONG, last_ts=_LONG, a=_LONG, b=pa.list_(pa.int64()), c=_LONG)
RESULT_DAYS = _schema(
    query=_TEXT,
    definition=_TEXT,
    inputs=_TEXT,
    rows=_LONG,
    matches_total=_TEXT,
    matches_at_least=_TEXT,
    truncated=_FLAG,
    complete=_FLAG,
    exhausted=_TEXT,
)
LOADED_DAYS = _schema(digest=_TEXT, refused=_FLAG, reason=_TEXT, events=_LONG, points=_LONG, checks=_TEXT)
SOURCE_ROWS = _schema(
    source=_TEXT,
    files=pa.int32(),
    read=_LONG,
    gave_event=_LONG,
    refused=_LONG,
    other_days=_LONG,
    without_event=_LONG,
)
SOURCE_FILES = _schema(
    source=_TEXT,
    file=_TEXT,
    size=_LONG,
    digest=_TEXT,
    lines=_LONG,
    no_rows=_LONG,
    read=_LONG,
    gave_event=_LONG,
    refused=_LONG,
    other_days=_LONG,
    without_event=_LONG,
)
QUARANTINE = _schema(source=_TEXT, file=_TEXT, raw=_TEXT, rule=_TEXT, reason=_TEXT, undated=_FLAG)
RUNS = _schema(
    stage=_TEXT,
    status=_TEXT,
    message=_TEXT,
    workload_hash=_TEXT,
    versions=_TEXT,
    rows_in=_LONG,
    rows_out=_LONG,
    seconds=_REAL,
    started_at=pa.timestamp("us", "UTC"),
    details=_TEXT,
)
SLICING_PLANS = _schema(
    plan_id=_TEXT,
    queries=pa.list_(pa.string()),
    first_day=pa.date32(),
    last_day=pa.date32(),
    variables=pa.list_(pa.string()),
    slices=pa.int32(),
    time_ranges=pa.int32(),
    shares=_TEXT,
    seeds=_TEXT,
    heavy_values=_TEXT,
    bound=_REAL,
    predicted_load=_REAL,
    predicted_replication=_REAL,
    lower_bound=_REAL,
    plan=_TEXT,
)
EXPERIMENTS = _schema(
    experiment=_TEXT, strategy=_TEXT, parameters=_TEXT, seed=_LONG, metric=_TEXT, value=_REAL, unit=_TEXT
)
SLICE_RUNS = _schema(
    query=_TEXT,
    plan_id=_TEXT,
    slice=pa.int32(),
    events=_LONG,
    rows=_LONG,
    seconds=_REAL,
    peak_memory=_LONG,
    together=pa.int32(),
    copies=_REAL,
)
HEAVY_HITTERS = _schema(
    event_type=_TEXT, attribute=_TEXT, value=_TEXT, frequency=_LONG, threshold=_REAL, error_bound=_LONG
)
