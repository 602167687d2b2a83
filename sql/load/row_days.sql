-- Which rows have events when, as bitmaps of 32,768 rows: `kind` is a day of the run, or `later` (another day of the
-- log), `before` it, `outside` the calendar, `timeless` (no ts). A bitmap never holds rows of two files.
SELECT
    rank,
    bucket,
    kind,
    bitmap_or_agg(rows) AS rows,
    max(last_ts) AS last_ts
FROM told
WHERE kind IS NOT NULL
GROUP BY rank, bucket, kind
