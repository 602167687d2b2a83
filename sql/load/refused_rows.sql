-- Raw rows that a rule refuses, or one of whose events lacks what its type must have. `slack`: of a source whose time
-- tells the days of rows; `keeps`: how far from the row's own day the day of an event may record it.
SELECT /*+ BROADCAST(f) */
    r.rank,
    r.id,
    r.source,
    r.number,
    r.file,
    r.day AS own_day,
    r.keeps,
    r.slack,
    coalesce(r.rule, 'event') AS rule,
    coalesce(r.reason, f.flaw) AS reason
FROM raw_rows r
LEFT JOIN (
    SELECT
        rank,
        id,
        min(flaw) AS flaw
    FROM written
    WHERE flaw IS NOT NULL
    GROUP BY rank, id
) f ON f.rank = r.rank AND f.id = r.id
WHERE r.rule IS NOT NULL OR f.flaw IS NOT NULL
