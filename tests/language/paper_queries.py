"""Queries and patterns as printed in papers 03, 04 and 05, garbling removed, numbered in the order of the papers.

Left out, as the language does: schemes with `..` placeholders (given here spelt out) and paper 05's TESLA text (20).
"""

QUERIES = {
    "1": """RETURN sector, COUNT(*) PATTERN Stock S+
WHERE [company, sector] AND S.price > NEXT(S).price
GROUP-BY sector WITHIN 10 minutes SLIDE 10 seconds""",
    "2": """RETURN mapper, SUM(M.cpu)
PATTERN SEQ(Start S, Measurement M+, End E)
WHERE [job, mapper] AND M.load < NEXT(M).load
GROUP-BY mapper WITHIN 1 minute SLIDE 30 seconds""",
    "3": """RETURN segment, COUNT(*), AVG(P.speed)
PATTERN SEQ(NOT Accident A, Position P+)
WHERE [P.vehicle, segment] AND P.speed > NEXT(P).speed
GROUP-BY segment WITHIN 5 minutes SLIDE 1 minute""",
    "8": """Pattern seq(JobStart a, Mapper+ b[ ], JobEnd c)
Where a.job_id = b[i].job_id ∧ a.job_id = c.job_id
Within 1 day
Return avg(b[ ].period), max(b[ ].period)""",
    "9": """Pattern seq(JobStart a, Reducer+ b[ ], JobEnd c)
Where [job_id]
Within 1 day
Return avg(b[ ].period), max(b[ ].period)""",
    "10": """Pattern seq(ReducerStart a, DataPull+ b[ ])
Where [task_id] ∧ (b[b.len].period > 2×avg(b[ ].period))
Within 10 minutes
Return a.(task_id, period)""",
    "11": """Pattern seq(JobStart a, DataIO+ b[ ])
Where [task_id]
Within 1 day
Return a.timestamp, b[b.LEN].timestamp, sum(b[ ].size)""",
    "12": """Pattern seq(Balance a, ReducerStart b, Imbalance+ c[], ReducerEnd d, Balance e)
Where [task_id]
Within 10 minutes
Return a.task_id""",
    "13": """Pattern seq(ReducerStart a, LoadStd+ b[ ], ReducerEnd c)
Where [task_id] ∧ (b[i].val ≥ b[i-1].val) //option 1
Within 10 minutes
Return a.task_id""",
    "14": """Pattern seq(ReducerStart a, LoadStd+ b[ ], ReducerEnd c)
Where [task_id] ∧ (b[i].val ≥ max(b[1..i-1].val)) //option 2
Within 10 minutes
Return a.task_id""",
    "15": "PATTERN(a, b+, c)\nWITHIN 10",
    "16": """PATTERN SEQ(A a, B+ b[], C c)
WHERE [task_id] ^ b[i].val >= b[i-1].val
WITHIN 100""",
    "17": "pattern seq(a, b) within 25",
}

PATTERNS = {
    "5": [
        "A+",
        "SEQ(A+, B)",
        "(SEQ(A+, B))+",
        "(SEQ(A+, NOT SEQ(C, NOT E, D), B))+",
        "SEQ(C, D)",
        "SEQ(A+, NOT E)",
        "SEQ(NOT E, A+)",
        "SEQ(A, B, C)",
        "SEQ(A+, B, A, A+, B+)",
        "SEQ(A1+, B2, A3, A4+, B5+)",
        "SEQ(A, A, A+)",
    ],
    "6": [
        "SEQ(Pi, NOT N, Pj)",
        "SEQ(Pi, NOT N)",
        "SEQ(NOT N, Pj)",
        "NOT (P+)",
        "(NOT P)+",
        "NOT P",
        "SEQ(NOT Pi, NOT Pj)",
        "NOT SEQ(Pi, Pj)",
        "(Pi ∨ Pj)",
        "(Pi ∧ Pj)",
        "SEQ(Pi*, Pj)",
        "SEQ(Pi+, Pj) ∨ Pj",
        "SEQ(Pi?, Pj)",
        "SEQ(Pi, Pj) ∨ Pj",
    ],
    "17": ["seq(A a, B+ b[ ], C c)", "seq(A1, A2, A3)"],
    "18": [
        "seq(A, B, C)",
        "seq(A, B+, C)",
        "seq(A, ∼B, C)",
        "seq(A, B, C) ∪ seq(A, D, E)",
        "∼seq(A, B, C)",
        "seq(A, B, C)+",
    ],
    "21": ["seq(A; B; C)"],
    "22": ["seq (RE1; RE2; RE3; RE10) or seq (FE1; FE2; FE3; FE10)"],
    "23": ["seq (RE1; RE1; RE2; RE3; RE2; RE4; RE2; RE5; RE6; RE7; RE2; RE8; RE9; RE10)"],
    "24": ["seq (STR; any (3, DF1, DF2, DF3, DF4))"],
    "25": ["any (B1, B2, B3)"],
}

CONDITIONS = {
    "4": [f"S.price * {x} {op} NEXT(S).price" for x in ("1", "1.05", "1.1", "1.15", "1.2") for op in "<>"],
    "7": ["companyID = IBM", "A.attr < NEXT(A).attr"],
    "18": ["[job_id]"],
    "19": [
        "a[i].tail = a[i-1].head",
        "e.type = B ∧ e.time < W ∧ e.val ≥ b[i-1].val",
        "b[i].val ≥ b[i-1].val",
        "b[i].val > max(b[..i-1].val)",
        "c.val < max(b[..i].val)",
        "b[i].val > 5",
        "b[i].val > avg(b[1..i-1].val)",
    ],
}

FRAGMENTS = {
    "7": [
        "RETURN COUNT(A), MIN(A.attr), MAX(A.attr), SUM(A.attr), AVG(A.attr) "
        "PATTERN A+ WITHIN 10 seconds SLIDE 3 seconds",
    ],
    "17": ["Pattern(A, B+, C) WITHIN 25", "Pattern(A1, A2, A3) WITHIN 25"],
    "18": ["PATTERN seq(A, B) WHERE [job_id] WITHIN 5"],
}
