-- Raw rows refused on the run's days, once each, with the type and time of their first event if they have one.
SELECT /*+ BROADCAST(f) */
    f.recorded_on AS day,
    :run_id AS run_id,
    f.first_type AS event_type,
    f.first_ts AS ts,
    CAST(NULL AS BIGINT) AS seq,
    f.source AS _source,
    r.file AS _file,
    r.raw AS _raw,
    f.rule AS _rule,
    f.reason AS _reason,
    f.undated AS _undated
FROM raw_rows r
JOIN (SELECT * FROM row_fates WHERE rule IS NOT NULL) f ON f.rank = r.rank AND f.id = r.id
WHERE f.undated OR f.recorded_on IN (SELECT day FROM run_days)
