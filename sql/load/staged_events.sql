-- Events of the run's days and, beside them, the raw rows refused on these days; undated ones are in every run.
-- seq = day number * 2^40 + rank of (ts, source in declared order, its order columns and a hash of the row, type):
-- 2013-03-08 is day 15772, so its first event has seq 15772 * 1099511627776 = 17341497331351552. Only refused rows tell their source, file and raw text.
WITH refused AS (
    SELECT * FROM row_fates WHERE rule IS NOT NULL
),

passed AS (
    SELECT /*+ BROADCAST(f) */ e.*
    FROM events_of_run e
    LEFT ANTI JOIN refused f ON f.rank = e._row.rank AND f.id = e._row.id
)

SELECT
    * EXCEPT (_row, _flaw, _own_seq),
    :run_id AS run_id,
    coalesce(
        _own_seq,
        unix_date(day) * 1099511627776
            + row_number() OVER (PARTITION BY day ORDER BY ts, _row.rank, _row.order, _row.hash, event_type) - 1
    ) AS seq,
    '' AS _source,
    '' AS _file,
    '' AS _raw,
    CAST(NULL AS STRING) AS _rule,
    CAST(NULL AS STRING) AS _reason,
    FALSE AS _undated
FROM passed
