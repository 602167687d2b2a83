"""The page of a propositional policy: causes of its longest episodes, and the formula part by part."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from cep_core.language.settings import Settings
from jobs.reports.day_report import report_day
from jobs.reports.pages import day as day_page
from jobs.reports.pages import query as query_page
from jobs.reports.questions import questions_of
from jobs.reports.site import write_pages
from jobs.workload.declaration import Workload, load_workload
from tests.reports.lake.policy_days import policy_tables
from tests.reports.lake.reading import Document, read
from tests.reports.lake.small_days import DAY
from tests.reports.lake.small_schemas import EVENTS
from tests.reports.lake.small_workload import write_workload

TEXT = """-- for each: line
-- Did each line arrive within two hours?
Depart IMPLIES EVENTUALLY[0,2h] Arrive
"""
FRAME = {"workload_name": "w", "workload_title": "w", "day_title": "d", "trail": [], "pages": []}
STEPS = [
    (1, "Depart", "x"),
    (3, "Depart", "y"),
    (4, "Depart", "y"),
    (5, "Depart", "y"),
    (8, "Depart", "x"),
    (9, "Arrive", "x"),
    (20, "Arrive", "y"),
]


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    home = tmp_path_factory.mktemp("propositional") / "lines"
    write_workload(home, queries={}, policies={"lost.mtl": TEXT})
    return load_workload(home)


def page(workload: Workload, folder: Path, **settings: int) -> Document:
    start = workload.operating_days.interval(DAY)[0]
    rows = [
        {"event_type": kind, "ts": start + 3600 * hour, "seq": seq, "line": line, "station": "p", "delay_min": seq}
        | {"day": DAY, "run_id": "run"}
        for seq, (hour, kind, line) in enumerate(STEPS)
    ]
    questions = questions_of(workload)
    days = (DAY, DAY + timedelta(days=1))
    tables = policy_tables(workload, questions[0], pa.Table.from_pylist(rows, EVENTS), days, Settings(**settings))
    made = report_day(workload, questions, tables, DAY, "run")
    write_pages(folder, [query_page.page(made, made.queries[0]), day_page.page(made)], FRAME)
    return read(folder / "query-lost.html")


def test_the_longest_episodes_have_one_explanation_each(workload: Workload, tmp_path: Path) -> None:
    document = page(workload, tmp_path)
    assert document.text("p", class_="finding") == [
        "There were 4 violations in 2 episodes on 8 March 2013; line y had the most, 3."
    ]
    [causes] = [text for text in document.text("p") if text.startswith("Of all 2 episodes:")]
    assert "the events that prove the first violation" in causes
    proofs = document.text("pre")
    assert proofs[0].endswith("The same for 3 points of the first 3 of this episode.")
    assert "of this episode" not in proofs[1]
    assert "Why the longest episodes began." in " ".join(document.text("figcaption"))


def test_the_longest_episodes_have_their_share_of_the_points(workload: Workload, tmp_path: Path) -> None:
    """Line y has four points on the day, and three of them are in its episode."""
    document = page(workload, tmp_path)
    assert "share of points" in document.text("th")
    assert {"75 %", "33 %"} <= set(document.text("td"))
    [file] = tmp_path.rglob("lost-longest-episodes.csv")
    assert [line.split(",")[-1] for line in file.read_text().splitlines()] == ["share", "0.75", "0.3333333333333333"]


def test_the_formula_part_by_part(workload: Workload, tmp_path: Path) -> None:
    page(workload, tmp_path)
    [file] = tmp_path.rglob("lost-truths.csv")
    assert file.read_text().splitlines() == [
        "node,parent,formula,points_true,points",
        '0,,"Depart IMPLIES (EVENTUALLY[0,7200] Arrive)",3,7',
        "1,0,Depart,5,7",
        '2,0,"EVENTUALLY[0,7200] Arrive",3,7',
        "3,2,Arrive,2,7",
    ]
