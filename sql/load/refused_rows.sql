-- Raw rows that a rule refuses, or one of whose events lacks what its type must have, with their texts.
SELECT /*+ BROADCAST(f) */
    r.rank,
    r.id,
    r.source,
    r.number,
    r.file,
    r.day AS file_day,
    r.raw,
    coalesce(r.rule, 'event') AS rule,
    coalesce(r.reason, f.flaw) AS reason
FROM raw_rows r
LEFT JOIN (
    SELECT _row.rank AS rank, _row.id AS id, min(_flaw) AS flaw
    FROM candidate_events
    WHERE _flaw IS NOT NULL
    GROUP BY _row.rank, _row.id
) f ON f.rank = r.rank AND f.id = r.id
WHERE r.rule IS NOT NULL OR f.flaw IS NOT NULL
