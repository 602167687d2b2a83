"""What holds of every page that is published, whatever the data: links, words for figures, escaping, no network."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.reports.lake.reading import read
from tests.reports.lake.small_days import DAY, EMPTY, HOSTILE, INCOMPLETE, SCRIPT


def pages(site: Path) -> list[Path]:
    files = sorted(site.rglob("*.html"))
    assert len(files) == 3 * 8 + 2 + 2 + 3
    return files


def test_every_link_resolves_inside_the_site(site: Path) -> None:
    """A link, image or stylesheet names a file of the site; a fragment names an element of its page."""
    for page in pages(site):
        document = read(page)
        identifiers = {element.attributes["id"] for element in document.elements if "id" in element.attributes}
        for element in document.elements:
            for name in ("href", "src", "srcset"):
                target = element.attributes.get(name)
                if target is None:
                    continue
                assert not re.match(r"[a-z]+:|//", target), (page, target)
                file, _, fragment = target.partition("#")
                if file:
                    where = (page.parent / file).resolve()
                    assert where.is_file(), (page, target)
                    assert where.is_relative_to(site.resolve())
                if fragment and not file:
                    assert fragment in identifiers, (page, target)


def test_nothing_is_loaded_or_run(site: Path) -> None:
    """No script, no handler, no form or frame; no file of the site refers to a network, namespaces of SVG aside."""
    for page in pages(site):
        for element in read(page).elements:
            assert element.tag not in {"script", "iframe", "object", "embed", "form", "base", "video", "audio"}
            assert not [name for name in element.attributes if name.startswith("on") or name == "style"]
    for file in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        text = re.sub(r'xmlns(:\w+)?="http://www\.w3\.org/[^"]*"', "", file.read_text(encoding="utf-8"))
        assert "http:" not in text, file
        assert "https:" not in text, file
        assert not re.search(r"url\((?!#)|@import|<script|<image|<foreignObject", text), file


def test_pages_are_well_formed(site: Path) -> None:
    """Every element is closed in order; a page has one heading of the first level, a language and a viewport."""
    for page in pages(site):
        document = read(page)
        assert not document.unbalanced, page
        assert not document.open, page
        assert len(document.all("h1")) == 1, page
        assert document.all("html", lang="en")
        assert document.all("meta", name="viewport")


def test_every_file_has_its_ledger(site: Path) -> None:
    """By its name, without its folder on this machine; with its digest and the equation of its rows."""
    cells = read(site / "lines" / str(DAY) / "quality.html").text("td")
    begin = cells.index("0123456789ab")
    size_and_counts = ["1,234", "0123456789ab", "52", "1", "51", "40", "4", "7", "0"]
    assert cells[begin - 1 : begin + 8] == size_and_counts
    assert "/data/private" not in cells[begin - 2]


def test_every_figure_is_told_in_words_and_numbers(site: Path) -> None:
    """A figure has an alternative text, a caption with its n, drawings at two widths and its numbers as CSV."""
    figures = 0
    for page in pages(site):
        document = read(page)
        captions = document.all("figcaption")
        images = document.all("img")
        assert len(images) == len(captions) == len(document.all("figure"))
        for image, caption in zip(images, captions, strict=True):
            figures += 1
            assert len(image.attributes["alt"]) > 30
            assert re.search(r"\d", caption.text), caption.text
            stem = image.attributes["src"].removesuffix(".svg")
            for file in (f"{stem}.svg", f"{stem}-narrow.svg", f"{stem}.csv"):
                assert (page.parent / file).stat().st_size > 0, file
            header, *rows = csv.reader((page.parent / f"{stem}.csv").open(encoding="utf-8", newline=""))
            assert rows
            assert {len(row) for row in rows} == {len(header)}
    automata, histories = 3 * 3, 3
    assert figures == (8 + 1 + 11) + 1 + (7 + 1) + 1 + automata + histories


def test_hostile_data_stays_text(site: Path) -> None:
    """Markup in values, questions, titles, reasons and raw rows is shown, never interpreted."""
    day = site / "lines" / DAY.isoformat()
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<img src=x" not in text
        assert "\u202e" not in text, "a mark that turns the direction of writing reached the page"
    assert "highest delay <b>in</b> minutes of D" in read(day / "query-late_chains.html").text("th")
    for name in ("query-late_chains.html", "query-snowball.html"):
        cells = read(day / name).text("td")
        assert HOSTILE[0] in cells
        assert HOSTILE[1] in cells
        assert any("\\u202eevil" in cell for cell in cells)
    assert SCRIPT in read(day / "quality.html").text("pre")
    assert read(day / "index.html").text("h3")[1] == "How far does <b>lateness</b> spread & stay?"
    for drawing in day.glob("*.svg"):
        text = drawing.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<img" not in text


def test_values_keep_their_bytes_in_files(site: Path) -> None:
    """A CSV file holds the value itself, quoted: whoever computes with it needs what the table has."""
    rows = list(
        csv.DictReader((site / "lines" / DAY.isoformat() / "late_chains.csv").open(encoding="utf-8", newline=""))
    )
    assert {row["line"] for row in rows} == {"Red", "Blue", *HOSTILE}
    assert len(rows) == 15


def test_tables_have_headings(site: Path) -> None:
    """Every table's head has one cell, with a scope, for each cell of its rows."""
    for page in pages(site):
        document = read(page)
        assert all(cell.attributes["scope"] == "col" for cell in document.all("th"))
        assert len(document.all("table")) == len(document.all("thead"))


@pytest.mark.parametrize("day", [DAY, EMPTY, INCOMPLETE])
def test_every_page_is_in_the_menu_of_every_other(site: Path, day: object) -> None:
    """From each page of a day's report a reader reaches all others."""
    folder = site / "lines" / str(day)
    files = {page.name for page in folder.glob("*.html")}
    assert {"index.html", "slicing.html", "quality.html", "catalogue.html", "run.html"} <= files
    for name in files:
        assert files <= {element.attributes["href"] for element in read(folder / name).all("a")}


def test_the_run_page_tells_settings_and_versions(site: Path) -> None:
    """A run's tasks may have had settings for inputs of different sizes: each with its stages."""
    text = " ".join(read(site / "lines" / DAY.isoformat() / "run.html").text("p"))
    assert "Spark's settings: for small inputs (ingest); for large inputs (validate, evaluate)." in text
    assert "Computed with: numba 0.60." in text


def test_the_run_page_of_each_day_has_the_slices_of_its_run(site: Path) -> None:
    """A run evaluates its days together and keeps its slices with the last: they are on the pages of all its days."""
    pages = {day: read(site / "lines" / day.isoformat() / "run.html") for day in (DAY, INCOMPLETE, EMPTY)}
    of_slices = {day: [cell for cell in page.text("td") if cell.endswith(" MB")] for day, page in pages.items()}
    assert of_slices[DAY] == of_slices[INCOMPLETE] == ["256 MB"] * 2
    cells = pages[DAY].text("td")
    apart, together = (cells[cells.index(query) :] for query in ("late_chains", "snowball"))
    assert (apart[1:3], together[1:3]) == (["4", "4"], ["4", "1"])
    assert (apart[8] == "–", together[8] == "–") == (False, True)  # the slowest slice is known if each was alone
    assert not of_slices[EMPTY]
    assert "No slice was evaluated by this run." in pages[EMPTY].text("p")


def test_rows_of_matches_have_the_numbers_of_their_details(site: Path) -> None:
    """Titles of details are alike where matches are: the number tells which is whose."""
    detailed = 0
    for page in pages(site):
        document = read(page)
        numbers = [text.partition(".")[0] for text in document.text("summary") if re.match(r"\d+\. ", text)]
        if numbers:
            html = page.read_text(encoding="utf-8")
            [table] = re.findall(r'<th scope="col" class="number">no\.</th>.*?</table>', html, re.DOTALL)
            assert re.findall(r'<tr><td class="number">(\d+)</td>', table) == numbers
            detailed += 1
    assert detailed
