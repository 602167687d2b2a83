-- Raw rows refused on the run's days and not erased, once each, with the type and time of their first event if they have one.
SELECT
    recorded_on AS day,
    :run_id AS run_id,
    first_type AS event_type,
    first_ts AS ts,
    CAST(NULL AS BIGINT) AS seq,
    source AS _source,
    file AS _file,
    raw AS _raw,
    rule AS _rule,
    reason AS _reason,
    undated AS _undated
FROM refused_fates
WHERE NOT suppressed AND (undated OR recorded_on IN (SELECT day FROM run_days))
