-- Events of the run's days, in the log's order, with seq = day number * 2^40 + rank of (ts, source in declared order, its
-- order columns, a hash of the row, type). `place`: the event's place in its partition; `before`: that of the first event
-- which is none of its day's, less the day's events in earlier partitions. 2013-03-08 is day 15772, so its first event
-- has seq 15772 * 1099511627776 = 17341497331351552. Only refused rows tell their source, file and raw text.
SELECT /*+ BROADCAST(o) */
    e.* EXCEPT (_row, _flaw, _own_seq, partition, place),
    :run_id AS run_id,
    coalesce(e._own_seq, unix_date(e.day) * 1099511627776 + e.place - o.before) AS seq,
    '' AS _source,
    '' AS _file,
    '' AS _raw,
    CAST(NULL AS STRING) AS _rule,
    CAST(NULL AS STRING) AS _reason,
    FALSE AS _undated
FROM ordered_events e
JOIN day_offsets o ON o.partition = e.partition AND o.day = e.day
