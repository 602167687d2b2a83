"""Paper 03's language, row by row: the meaning of its operators, with worked numbers (sections 2, 5, 6 and 9)."""

from __future__ import annotations

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.language.errors import QueryError
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_query
from tests.language.paper_queries import QUERIES
from tests.trends.examples.running_examples import I5, I11, counts, listed, rows, stream


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_g01_queries_as_printed(number: str) -> None:
    """Q1 to Q3 parse verbatim, print to the same tree, and have a plan."""
    written = parse(QUERIES[number])
    assert parse(print_query(written)) == written
    algorithm = cep.explain(QUERIES[number]).to_dict()["algorithm"]
    assert any("O(" in line for line in algorithm)


def test_g01_beyond_the_printed_grammar() -> None:
    """Aliases, several aggregates, sequences of any length, several attributes in brackets."""
    events = stream("a1 b2 c3 d4", k=[1, 1, 1, 1], v=[2, 2, 2, 2])
    query = "RETURN COUNT(*) AS trends, COUNT(A) AS a, MAX(D.v) PATTERN SEQ(A, B, C, D) WHERE [k, v] WITHIN 10"
    [row] = rows(query, events)
    assert (row["trends"], row["a"], row["max_D_v"]) == (1, 1, 2)


def test_g02_neighbours_strictly_increase() -> None:
    """Two a's of one moment are two trends. No trend is empty."""
    assert counts("A+", stream("a1 a1")) == [2]
    assert counts("A+", stream("b1")) == []
    assert counts("A+", stream("a1 a1"), ties="ordered") == [3]


def test_g03_negation_is_normalised() -> None:
    """NOT (P+) and (NOT P)+ mean NOT P. A negation as the whole pattern is refused; the error shows a way out."""
    assert counts("SEQ(A+, NOT E)") == counts("SEQ(A+, NOT (E+))") == counts("SEQ(A+, (NOT E)+)") == [14]
    with pytest.raises(QueryError, match="SEQ"):
        counts("NOT E")


def test_g04_negations_side_by_side_are_neither() -> None:
    """SEQ(A, NOT B, NOT C, A): neither B nor C may occur. The paper's reading is written NOT SEQ(B, C)."""
    events = stream("a1 b2 a3")
    assert counts("SEQ(A, NOT B, NOT C, A)", events) == []
    assert counts("SEQ(A, NOT SEQ(B, C), A)", events) == [1]


def test_g05_template_of_the_running_example() -> None:
    """(SEQ(A+, B))+: A follows A and B, B follows A, no state is in the middle. Each edge exists once."""
    template = cep.explain("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 9").to_dict()["template"]
    assert template["predecessors"] == {"A": ["A", "B"], "B": ["A"]}
    assert template["mid"] == []
    assert counts("(A+)+") == [15]


def test_g10_negated_parts_are_split_off() -> None:
    """(SEQ(A+, NOT SEQ(C, NOT E, D), B))+: SEQ(C, D) between A and B, E between C and D."""
    query = "RETURN COUNT(*) PATTERN (SEQ(A+, NOT SEQ(C, NOT E, D), B))+ WITHIN 9"
    negated = cep.explain(query).to_dict()["pattern"]["negated"]
    assert [(part["previous"], part["following"], part["inside"]) for part in negated] == [
        (["A"], ["B"], None),
        (["C"], ["D"], 0),
    ]


def test_g11_negation_between() -> None:
    """A finished negative trend separates events before it from events after it: 13 = 1 at b2 + 12 at b9."""
    assert counts("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+") == [13]
    assert counts("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", I11.slice(0, 9)) == [1]  # b7 ends no trend
    assert counts("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", I11.slice(0, 10)) == [1]


def test_g12_nested_negation_excuses() -> None:
    """An E between C and D excuses them: 1 trend with the nested negation, 0 without. On I11 it changes nothing."""
    events = stream("a1 c2 e3 d4 b5")
    assert counts("(SEQ(A+, NOT SEQ(C, NOT E, D), B))+", events) == [1]
    assert counts("(SEQ(A+, NOT SEQ(C, D), B))+", events) == []
    assert counts("(SEQ(A+, NOT SEQ(C, D), B))+") == [13]


def test_g12_negation_at_the_edges_of_a_negated_sequence() -> None:
    """Its zone ends at the neighbours of the outer negation: only an unrepaired (or unannounced) fault forbids."""
    assert counts("SEQ(A, NOT SEQ(C, NOT D), B)", stream("a1 c2 d3 b4")) == [1]
    assert counts("SEQ(A, NOT SEQ(C, NOT D), B)", stream("a1 d2 c3 b4")) == []
    assert counts("SEQ(A, NOT SEQ(NOT D, C), B)", stream("a1 d2 c3 b4")) == [1]
    assert counts("SEQ(A, NOT SEQ(NOT D, C), B)", stream("d0 a1 c3 b4")) == []
    assert counts("SEQ(A+, NOT SEQ(C, NOT D))", stream("a1 c2 a3 d4")) == [3]
    assert counts("SEQ(NOT SEQ(NOT D, C), A+)", stream("c1 a2 d3 c4 a5")) == []
    assert counts("SEQ(NOT SEQ(NOT D, C), A+)", stream("d1 c2 a3 a4")) == [3]


def test_g12_comparisons_inside_a_negation() -> None:
    """NOT SEQ(C, D) WHERE C.v < D.v: only a rise from c to d cuts."""
    pattern = "SEQ(A, NOT SEQ(C, D), B) WHERE C.v < D.v"
    assert counts(pattern, stream("a1 c2 d3 b4", v=[None, 5, 4, None])) == [1]
    assert counts(pattern, stream("a1 c2 d3 b4", v=[None, 4, 5, None])) == []


def test_g12_a_negation_that_may_be_empty() -> None:
    """An empty trend is not a trend: NOT SEQ(C?, D?) forbids a c, a d, or both."""
    for text, count in (("a1 b4", [1]), ("a1 c2 b4", []), ("a1 d2 b4", []), ("a1 c2 d3 b4", [])):
        assert counts("SEQ(A, NOT SEQ(C?, D?), B)", stream(text)) == count


def test_g13_trailing_negation_holds_to_the_window_s_end() -> None:
    """No E after the end of the trend: all trends except {a1}. Deleting marked a's would give 7."""
    assert counts("SEQ(A+, NOT E)") == [14]


def test_g14_leading_negation_holds_from_the_window_s_start() -> None:
    """No E before the start of the trend. Deleting would give 3; a1 e2 a3 keeps a1 and (a1 a3)."""
    assert counts("SEQ(NOT E, A+)") == [12]
    assert counts("SEQ(NOT E, A+)", stream("a1 e2 a3")) == [2]


def test_g17_vertex_predicates_filter_first_and_equivalences_partition() -> None:
    """`companyID = 'IBM'` filters events; the same company for all events partitions them."""
    events = stream("s1 s2 s3 s4", company=["IBM", "X", "IBM", "X"])
    assert counts("S+ WHERE S.company = 'IBM'", events) == [3]
    assert counts("S+ WHERE [company]", events) == [6]


@pytest.mark.parametrize(("pattern", "count"), [("A+", 4), ("(SEQ(A+, B))+", 7)])
def test_g18_edge_predicates_sit_on_their_transition(pattern: str, count: int) -> None:
    """A.attr < NEXT(A).attr on 5, 6, 4: edges b -> a have no condition."""
    assert counts(f"{pattern} WHERE A.attr < NEXT(A).attr", I5) == [count]


def test_g18_a_test_on_types_that_are_never_adjacent_is_refused() -> None:
    """In SEQ(A, B, C) no C directly follows an A."""
    with pytest.raises(QueryError, match="never directly follows"):
        counts("SEQ(A, B, C) WHERE A.ts < NEXT(C).ts")


def test_g19_finer_partitions_merge_into_the_group() -> None:
    """Q1: the count of a sector is the sum over its companies; MIN, MAX and AVG merge."""
    events = stream("s1 s2 s3 s4 s5 s6", sector=list("xxxyxy"), company=[1, 2, 1, 3, 2, 3], price=[9, 8, 7, 6, 5, 4])
    items = "COUNT(*), MIN(S.price), MAX(S.price), AVG(S.price)"
    query = f"RETURN sector, {items} PATTERN S+ WHERE [company, sector] AND S.price > NEXT(S).price GROUP-BY sector"
    x, y = rows(f"{query} WITHIN 10", events)
    by_company = rows(
        "RETURN company, COUNT(*) PATTERN S+ WHERE S.price > NEXT(S).price GROUP-BY company WITHIN 10", events
    )
    assert (x["count"], y["count"]) == (6, 3)
    assert [row["count"] for row in by_company] == [3, 3, 3]
    assert (x["min_S_price"], x["max_S_price"], x["avg_S_price"]) == (5, 9, (2 * (9 + 7) + 2 * (8 + 5)) / 8)


def test_g20_a_type_with_part_of_the_key_is_broadcast() -> None:
    """Q3: an accident cuts every vehicle of its segment, and no vehicle of another segment."""
    events = pa.table(
        {
            "event_type": ["Position", "Position", "Accident", "Position", "Position"],
            "ts": [1, 1, 2, 3, 3],
            "seq": range(5),
            "segment": [1, 2, 1, 1, 2],
            "vehicle": [7, 8, None, 9, 8],
            "speed": [50, 60, None, 40, 30],
        }
    )
    query = QUERIES["3"].replace("5 minutes SLIDE 1 minute", "10")
    by_segment = {row["segment"]: row["count"] for row in rows(query, events)}
    assert by_segment == {1: 1, 2: 3}


def test_g21_disjunction_counts_the_union() -> None:
    """23 + 14 - 8, where 8 trends match both sides. The printed formula of the paper would give 13."""
    assert counts("SEQ(A+, B)") == [23]
    assert counts("SEQ(A, B+)") == [14]
    assert counts("SEQ(A+, B) OR SEQ(A, B+)") == [29]
    assert counts("SEQ(A, NOT C, B) OR SEQ(A, B)") == counts("SEQ(A, B)")


def test_g22_conjunction_counts_pairs() -> None:
    """Ci Cj + Ci Cij + Cj Cij + Cij (Cij - 1) / 2 with 15, 6 and 8; 15 trends of A+ with 2 of SEQ(C, D)."""
    assert counts("SEQ(A+, B) AND SEQ(A, B+)") == [15 * 6 + 15 * 8 + 6 * 8 + 8 * 7 // 2] == [286]
    assert counts("A+ AND SEQ(C, D)") == [30]
    assert counts("A+ AND A+") == [15 * 14 // 2]


def test_g22_aggregates_of_a_conjunction_range_over_both_sides() -> None:
    """On a1 a2 the pairs are {a1} with {a2}, and each of them with {a1 a2}: 2 + 3 + 3 occurrences."""
    [row] = rows("RETURN COUNT(*), COUNT(A), SUM(A.v), MIN(A.v) PATTERN A+ AND A+ WITHIN 9", stream("a1 a2", v=[3, 4]))
    assert (row["count"], row["count_A"], row["sum_A_v"], row["min_A_v"]) == (3, 8, 7 + 10 + 11, 3)


def test_g22_pairs_beyond_a_machine_word() -> None:
    """The number of pairs among 2^100 - 1 trends has all its digits."""
    events = stream(" ".join(f"a{i}" for i in range(100)))
    [row] = rows("RETURN COUNT(*) PATTERN A+ AND A+ WITHIN 1000", events, exact=True)
    trends = 2**100 - 1
    assert int(row["count_exact"]) == trends * (trends - 1) // 2


def test_g23_star_and_optional() -> None:
    """SEQ(A*, B) = SEQ(A+, B) or B; SEQ(A?, B) = SEQ(A, B) or B."""
    assert counts("SEQ(A*, B)") == counts("SEQ(A+, B) OR B") == [26]
    assert counts("SEQ(A?, B)") == counts("SEQ(A, B) OR B") == [11]


def test_g24_minimal_trend_length() -> None:
    """A+ of length 3 or more is unrolled to SEQ(A, A, A+). Every binding counts once."""
    assert counts("A{3,}") == counts("SEQ(A, A, A+)") == [5]
    assert counts("A{2,3}") == [6 + 4]
    assert counts("A{2}") == [6]
    assert counts("(SEQ(A, B)){2}") == [2 + 3 + 3]  # to b7, to b9 after b2, to b9 after b7


@pytest.mark.parametrize("strategy", ["strict_contiguity", "skip_till_next_match", "skip_till_any_match"])
@pytest.mark.parametrize("pattern", ["A+", "SEQ(A+, B)", "(SEQ(A+, B))+", "SEQ(A, B)", "SEQ(A{2}, B)"])
def test_g25_count_is_the_number_of_listed_matches(strategy: str, pattern: str) -> None:
    """This holds under every strategy."""
    where = f"{pattern} WHERE {strategy}"
    assert sum(counts(where)) == listed(where, window="WITHIN 100 SLIDE 100")


def test_g25_counts_become_polynomial() -> None:
    """A+ on n a's has 2^n - 1 trends under skip-till-any, and n under skip-till-next: one for each start."""
    events = stream(" ".join(f"a{i}" for i in range(12)))
    assert counts("A+", events) == [2**12 - 1]
    assert counts("A+ WHERE skip_till_next_match", events) == [12]
    assert counts("A+ WHERE strict_contiguity", events) == [12]


def test_g25_partition_contiguity() -> None:
    """Events of another key do not break a trend. Events of the same key do, whatever their type."""
    events = stream("a1 a2 c3 b4 b5", k=[1, 2, 2, 1, 2])
    assert counts("SEQ(A, B) WHERE partition_contiguity { [k] }", events) == [1]
    assert counts("SEQ(A, B) WHERE strict_contiguity { [k] }", events) == []
    assert counts("SEQ(A, B) WHERE skip_till_next_match { [k] }", events) == [2]


def test_g26_a_type_may_recur() -> None:
    """An event may take several places of the pattern, but never precedes itself. Matches are bindings."""
    events = stream("a1 b2 a3 a4 b5")
    assert counts("SEQ(A+, B, A, A+, B+)", events) == [1]
    assert counts("SEQ(A+, A+)", stream("a1 a2 a3")) == [5]
