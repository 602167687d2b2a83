"""Safe formulas: those whose satisfactions are finitely many, and can be computed operand by operand.

A core formula is safe by these rules and no others (`fragment`); an engine evaluates exactly these (MonPoly's and
VeriMon's fragment). fv: free variables; c: a constant; t: any term; "filter": a comparison, MATCHES, or NOT of one.

1. `P(a, ...)` (also `tp`, `ts`, `tpts`) if each argument is a variable or a constant; TRUE and FALSE.
2. `x = c`, `c = x`, `c = c`; `NOT x = x`, which holds for no x.
3. `NOT f` if f is safe and has no free variables.
4. `f AND g` if f is safe and one of
   a. g is a filter with fv(g) in fv(f);
   b. g is `x = t` or `t = x` with fv(t) in fv(f): an assignment, where x may be new;
   c. g is `t1 MATCHES t2 (groups)` with fv(t1), fv(t2) in fv(f), each group a variable, which may be new, or a term
      with its variables in fv(f);
   d. g is `NOT h`, h is safe, fv(h) in fv(f);
   e. g is safe; f and g may share variables or not.
   AND reads from left to right: `x < 5 AND P(x)` is unsafe, but the rewriting turns it round.
5. `f OR g` if both are safe and fv(f) = fv(g).
6. `EXISTS x. f`, PREV, NEXT, ONCE, EVENTUALLY and aggregations if their body is safe. Of quantified variables each
   occurs in the body: others are dropped before.
7. `f SINCE g`, `f UNTIL g` if g is safe, fv(f) in fv(g), and f is `NOT h` with h safe, or is safe and no NOT.
8. EVENTUALLY and UNTIL have an upper bound (`bounded`): their rows wait for the future.

A comparison of constants alone is a filter (4a), but no formula by itself, unless it is `=`: MonPoly refuses `0 < 1`
too. MonPoly's rewriting computes terms without variables ahead, so it accepts `x = 5 MOD 4` alone, which its check
(`-no_rw`) refuses. We refuse it with and without rewriting: write `x = 1`, or use it beside what binds a variable.
"""
