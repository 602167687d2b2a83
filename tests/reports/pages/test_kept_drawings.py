"""A drawing is made again if, and only if, something that it shows has changed: a value, the file, the program."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes

from jobs.reports.figures.drawing import identity
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.drawing.identity import identity_of
from jobs.reports.publish import publish
from jobs.reports.words.quantities import Magnitude
from jobs.workload.declaration import load_workload
from tests.reports.lake.small_days import DAY

PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.floats(-1, 1, width=16),
    st.sampled_from(["", "a", "1", "\udc80"]),
    st.sampled_from([date(2013, 3, 8), Decimal(1), Magnitude.of(1), Magnitude.of(2)]),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    ),
    max_leaves=5,
)


def figure_of(value: Any, name: str = "f", height: tuple[float, float] = (1.0, 1.0)) -> Figure:
    def label() -> str:
        return str(value)

    def draw(axes: Axes, narrow: bool) -> None:
        axes.set_title(label())

    draw.__module__ = label.__module__ = "jobs.reports.figures"
    return Figure(name, "", "", [], [], draw, height)


@given(VALUES, VALUES)
def test_equal_drawings_have_equal_identities(one: Any, other: Any) -> None:
    """Values of another type, sign of zero, order or nesting are others, also where a function within looks at them."""
    assert identity_of(figure_of(one)) is not None
    assert (identity_of(figure_of(one)) == identity_of(figure_of(other))) == (repr(one) == repr(other))


def test_what_is_unknown_is_always_drawn() -> None:
    """An object of any class, a library's function, and what contains itself have no identity."""
    endless: list[object] = []
    endless.append(endless)
    assert [identity_of(figure_of(value)) for value in (object(), json.dumps, endless)] == [None] * 3
    assert len({identity_of(figure_of(1)), identity_of(figure_of(1, "g")), identity_of(figure_of(1, "f", (1, 2)))}) == 3


def test_a_report_draws_what_has_changed(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published again nothing is drawn; a damaged file is, and everything if the program or the record is another."""
    drawn: list[str] = []

    def draw(figure: Figure, *, narrow: bool) -> str:
        drawn.append(figure.name)
        return f"<svg>{figure.name} {narrow}</svg>"

    def published() -> set[str]:
        drawn.clear()
        publish(load_workload("lines"), DAY, DAY, "a-run")
        assert {path.name: path.read_text() for path in folder.glob("*.svg")} == (texts or texts_of(folder))
        assert json.loads((folder / "run.json").read_text())["drawn"] == len(drawn) / 2
        return set(drawn)

    def texts_of(folder: Path) -> dict[str, str]:
        return {path.name: path.read_text() for path in folder.glob("*.svg")}

    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path))
    monkeypatch.setattr("jobs.reports.figures.drawing.figure.drawn", draw)
    folder, texts = tmp_path / "lines" / str(DAY), dict[str, str]()
    everything = published()
    texts.update(texts_of(folder))
    assert {f"{name}{width}.svg" for name in everything for width in ("", "-narrow")} == set(texts)
    assert published() == set()
    (folder / "trailing-days-narrow.svg").write_text("something else")
    (folder / "results-by-hour.svg").unlink()
    assert published() == {"trailing-days", "results-by-hour"}
    for damage in ("{", "[]", '{"drawings": 1}', "{}"):
        (folder / "run.json").write_text(damage)
        assert published() == everything
    monkeypatch.setattr(identity, "_program", lambda: "another program")
    assert published() == everything
    assert published() == set()
