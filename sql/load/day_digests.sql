-- What a day's events are, in one number that no order of rows changes; run_id is not part of it. `:point` is the column
-- that tells events of equal ts apart, if their time-points differ: ts itself where a stamp is one point, seq where each
-- event is one.
SELECT
    day,
    COUNT(*) AS events,
    COUNT(DISTINCT ts, point) AS points,
    concat_ws('-', COUNT(*), hex(bit_xor(hash_of_row)), SUM(CAST(hash_of_row AS DECIMAL(38, 0)))) AS digest
FROM (SELECT day, ts, IDENTIFIER(:point) AS point, xxhash64(to_json(struct(* EXCEPT (run_id)))) AS hash_of_row FROM passing)
GROUP BY day
