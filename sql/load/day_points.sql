-- The time-points of each day. `:point` is the column that tells events of equal ts apart, if their time-points differ:
-- ts itself where a stamp is one point, seq where each event is one.
SELECT day, COUNT(DISTINCT ts, IDENTIFIER(:point)) AS points
FROM passing
GROUP BY day
