-- The raw rows that were refused.
SELECT day, run_id, _source AS source, _file AS file, _raw AS raw, _rule AS rule, _reason AS reason, _undated AS undated
FROM staged
WHERE _rule IS NOT NULL
