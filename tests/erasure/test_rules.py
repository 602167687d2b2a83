"""Rules leave out what fits their conditions, held against the plain values, and tell none of them."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from jobs.erasure.condition import Condition
from jobs.erasure.key import FILE, KEY, erasure_key, key_id
from jobs.erasure.rules import BEGUN, Erasure, Suppression, rule_of, suppression_of
from jobs.erasure.value_hashes import value_hash
from jobs.exits import WrongWorkload
from jobs.lake.tables.creating import create
from jobs.lake.tables.erasure_tables import ERASURES
from jobs.tasks.forgetting.erase import record, retire
from tests.leases import leased

K = b"k" * 32
KINDS = {"n": AttributeType.INT, "x": AttributeType.FLOAT, "s": AttributeType.STRING, "b": AttributeType.BOOL}
ints, floats = st.sampled_from([0, 1, 17, -17, 170]), st.sampled_from([0.0, -0.0, 1.5, 17.0])
texts = st.sampled_from(["a", "A", "Ann Lee", "17", ""])
columns = {"n": ints, "x": floats, "s": texts, "b": st.booleans()}
conditions = st.fixed_dictionaries({}, optional=columns).filter(bool)
events = st.lists(st.fixed_dictionaries({name: st.none() | of for name, of in columns.items()}), max_size=8)


def condition_of(values: dict[str, object]) -> Condition:
    return Condition(values, {name: KINDS[name] for name in values})  # type: ignore[arg-type]


@given(st.lists(conditions, max_size=3), events)
def test_an_event_is_left_out_if_it_fits_a_condition(
    chosen: list[dict[str, object]], rows: list[dict[str, object]]
) -> None:
    kinds = {"n": pa.int64(), "x": pa.float64(), "s": pa.string(), "b": pa.bool_()}
    table = pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()})
    suppression = Suppression(K, tuple(rule_of(K, condition_of(values)) for values in chosen))
    fits = [any(all(row[name] == value for name, value in values.items()) for values in chosen) for row in rows]
    assert suppression.events(table).tolist() == fits
    for values in chosen:
        own = [all(row[name] == value for name, value in values.items()) for row in rows]
        assert condition_of(values).fits(table).tolist() == own


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("3,Start,17,Ann Lee,x", True),
        ('{"who":"ANN  lee","n":"017"}', True),
        ("17.0;ann,lee", True),
        ("Ann Lee,170", False),
        ("Ann Lee,A17", False),
        ("Ann,17,Lee", False),
        ("Lee Ann 17", False),
        ("", False),
    ],
)
def test_a_refused_row_is_left_out_if_its_text_holds_all_values(text: str, holds: bool) -> None:
    rule = rule_of(K, condition_of({"n": 17, "s": "Ann Lee"}))
    assert Suppression(K, (rule,)).texts(pa.array([text])).tolist() == [holds]


def test_hashes_need_the_key_and_differ_by_column() -> None:
    assert value_hash(K, "n", 17) != value_hash(b"j" * 32, "n", 17)
    assert value_hash(K, "n", 17) != value_hash(K, "m", 17)
    assert value_hash(K, "n", 17) != value_hash(K, "n", "17")
    assert not re.search(r"\b17\b|Ann", str(asdict(rule_of(K, condition_of({"n": 17, "s": "Ann"})))))
    assert "kkk" not in repr(Suppression(K))


def test_without_its_key_nothing_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost key, another one, a short one, one beside the lake; the environment's comes before the file's. Nor when
    a rule's column has another type or is gone, until the rule is given up."""
    lake, workload = tmp_path / "lake", SimpleNamespace(name="trips")
    monkeypatch.setenv("TRENDMILL_LAKE", str(lake))
    monkeypatch.setenv(FILE, str(lake / "erasure.key"))
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(WrongWorkload, match="lies in the lake"):
        erasure_key(make=True)
    monkeypatch.setenv(FILE, str(tmp_path / "erasure.key"))
    assert erasure_key() is None
    key = erasure_key(make=True)
    assert key is not None
    assert key == erasure_key()
    assert (tmp_path / "erasure.key").stat().st_mode & 0o777 == 0o600
    assert suppression_of(lake, "trips") is None
    rule = rule_of(key, condition_of({"n": 17}))
    with leased(lake, "trips"):
        create("trips", [ERASURES], lake)
        record([Erasure("e", rule, key_id(key), BEGUN, datetime.now(UTC), done_by="me")], "trips", "run")
    suppression = suppression_of(lake, "trips")
    assert suppression is not None
    assert suppression.rules == (rule,)
    for text in ("j" * 32, None):
        (tmp_path / "erasure.key").unlink(missing_ok=True)
        if text:
            monkeypatch.setenv(KEY, text)
        else:
            monkeypatch.delenv(KEY)
        with pytest.raises(WrongWorkload, match="the key of 1 erasures of 'trips' is not there"):
            suppression_of(lake, "trips")
    monkeypatch.setenv(KEY, key.decode())
    for kind, refused in ((AttributeType.INT, ""), (AttributeType.STRING, "was int and is string"), (None, "no more")):
        schema = LogSchema({"Trip": {"n": Attribute("n", kind)} if kind else {}})
        with pytest.raises(WrongWorkload, match=refused) if refused else nullcontext():
            suppression_of(lake, "trips", schema)
    with leased(lake, "trips"):
        with pytest.raises(WrongWorkload, match="called x"):
            retire(workload, "run", "x")
        assert retire(workload, "run", "e") == 1
    assert suppression_of(lake, "trips", LogSchema({})) is None
    monkeypatch.setenv(KEY, "short")
    with pytest.raises(WrongWorkload, match="shorter than 32"):
        erasure_key()
