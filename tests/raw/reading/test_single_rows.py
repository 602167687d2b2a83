"""Rules of reading, one file each: what a row, a line, a header and a value are."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, Literal

import pytest

from jobs.exits import UnreadableSource, WrongHeader
from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.file_ledger import RowLedger
from jobs.raw.reading.ranges import survey_text
from jobs.raw.reading.text_blocks import FileRange
from jobs.raw.reading.text_rows import read_text
from tests.raw.reading.bad_values import BAD_VALUES, NO_OBJECTS

TWO = {"n": "BIGINT", "key": "STRING"}


def read(
    folder: Path, data: bytes, format: Literal["csv", "json"] = "csv", name: str = "x", **form: Any
) -> tuple[list[tuple[Any, ...]], list[tuple[str, str, str]], RowLedger]:
    """Values of the good rows; rule, reason and text of the refused ones; the ledger."""
    file = folder / name
    file.write_bytes(data)
    described = TextForm(format, form.pop("columns", TWO), form.pop("header", False), **form)
    good, refused, ledger = [], [], RowLedger()
    for part in survey_text(file, described).ranges:
        for block in read_text(part, described):
            good += [tuple(row.values())[:-4] for row in block.rows.to_pylist()]
            refused += [(row["rule"], row["reason"], row["raw"]) for row in block.refused.to_pylist()]
            ledger += block.ledger
    assert ledger.balance == 0
    return good, refused, ledger


def test_what_each_line_end_means(tmp_path: Path) -> None:
    """LF, CR LF and CR alone end a line; between quotes they belong to the value; the last line needs none."""
    good, refused, ledger = read(tmp_path, b'1,a\n2,b\r\n3,c\r4,"d\r\ne\nf\rg"\n\n\r\n\r5,h')
    assert good == [(1, "a"), (2, "b"), (3, "c"), (4, "d\r\ne\nf\rg"), (5, "h")]
    assert (refused, ledger.line_ends, ledger.unended, ledger.blank, ledger.quoted) == ([], 10, 1, 3, 3)


def test_what_is_missing(tmp_path: Path) -> None:
    """The empty text, quoted or not, and the declared one; blanks are a text."""
    good, refused, _ = read(tmp_path, b'NA,NA\n"",""\n,\n1, \n2,"NA "\n', missing="NA")
    assert good == [(None, None)] * 3 + [(1, " "), (2, "NA ")]
    assert refused == []


def test_a_stray_quote_swallows_no_row(tmp_path: Path) -> None:
    """Neither one that is never closed nor one inside a field; a row with too many fields keeps its quoted lines."""
    good, refused, ledger = read(tmp_path, b'1,a\n2,"b\n3,c\n4,"d ""e"""\n5,5" pipe\n6,"f"g\n7,h\n8,"i\n9,j",k\n')
    assert good == [(1, "a"), (3, "c"), (4, 'd "e"'), (7, "h")]
    assert [raw for _, _, raw in refused] == ['2,"b', '5,5" pipe', '6,"f"g', '8,"i\n9,j",k']
    assert refused[0][1] == "a quote is not closed, or stands inside a field that does not begin with one"
    assert refused[3][1] == "the row has 3 fields, declared are 2"
    assert ledger.quoted == 1


def test_a_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """Its begin is kept; a quote that stays open for so long is refused with its first line only."""
    text = b"1," + b"x" * 98 + b"\n2," + b"x" * 99 + b'\n3,"' + b"x\n" * 60 + b'"\n4,z\n'
    good, refused, _ = read(tmp_path, text, longest=100)
    assert good == [(1, "x" * 98), (4, "z")]
    assert refused[0] == ("shape", "the row is longer than 100 bytes; its first 100 are kept", "2," + "x" * 98)
    assert refused[1][2] == '3,"x'
    assert len(refused) == 62


def test_headers(tmp_path: Path) -> None:
    """Quoted names, blanks, a byte order mark, empty lines and comments before it; once more it is a refused row."""
    text = b'\xef\xbb\xbf\n# made by hand, "x"\n"n", key\r\n1,a\nn,key\n# n\n2,b\n'
    good, refused, ledger = read(tmp_path, text, header=True, comment="#")
    assert good == [(1, "a"), (2, "b")]
    assert refused == [("shape", "the row is the header once more", "n,key")]
    assert (ledger.header, ledger.blank, ledger.comments) == (1, 1, 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"key,n\na,1\n", "the same names in another order"),
        (b"n,keys\n1,a\n", r"missing: \['key'\]; not declared: \['keys'\]"),
        (b"1,a\n", "missing"),
        (b"n,key,n\n", "the same names in another order"),
        (b"N,KEY\n", "missing"),
        (b"", "the file has no line"),
        (b"\xef\xbb\xbf\n\n", "the file has no line"),
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_another_header_stops_the_load(tmp_path: Path, data: bytes, message: str, size: int) -> None:
    """Before any row is read, with the file's name; whether the file is cut or not."""
    file = tmp_path / "x.csv"
    file.write_bytes(data)
    with pytest.raises(WrongHeader, match=rf"x\.csv is not what its source declares \({message}"):
        survey_text(file, TextForm("csv", TWO), size)


@pytest.mark.parametrize("kind", BAD_VALUES)
def test_every_bad_text_is_refused(tmp_path: Path, kind: str) -> None:
    """One by one, with the column's name and type."""
    lines = [f'1,"{text}"' for text in BAD_VALUES[kind]]
    good, refused, _ = read(tmp_path, "\n".join(lines).encode(), columns={"n": "BIGINT", "value": kind})
    assert good == []
    assert refused == [("type", f"value is no {kind}", line) for line in lines]


@pytest.mark.parametrize("line", NO_OBJECTS)
def test_every_line_that_is_no_object_is_refused(tmp_path: Path, line: str) -> None:
    columns = {"id": "BIGINT", "key": "STRING", "x": "DOUBLE"}
    good, refused, _ = read(tmp_path, f"{{}}\n{line}\n".encode(), "json", columns=columns)
    assert good == [(None, None, None)]
    assert [(rule, raw) for rule, _, raw in refused] == [("shape", line)]


def test_what_json_values_are(tmp_path: Path) -> None:
    """Texts, numbers and nested values as they stand; absent keys and null are missing; other keys are passed over."""
    lines = [
        '{"n": 1, "key": "a"}',
        '{"key": 1.50, "n": "2"}',
        '{"key": {"b": [1e400, "\\u00e9"]}, "n": null}',
        '{"key": true, "more": {"n": 5}}',
        '{"key": "\\u00e9\\n\\ud83d\\ude00"}',
        "{}",
        '{"n": 5.0}',
        '{"n": true}',
        '{"n": {"n": 1}}',
    ]
    good, refused, _ = read(tmp_path, "\r\n".join(lines).encode(), "json")
    texts = ["a", "1.50", '{"b": [1e400, "\\u00e9"]}', "true", "é\n😀", None]
    assert good == list(zip([1, 2, None, None, None, None], texts, strict=True))
    assert [reason for _, reason, _ in refused] == ["n is no BIGINT"] * 3


def test_options_of_csv(tmp_path: Path) -> None:
    """Other separators and quotes; no quote at all."""
    assert read(tmp_path, b"1;'a;''b'\n", separator=";", quote="'")[0] == [(1, "a;'b")]
    assert read(tmp_path, b'1\t"a\n', separator="\t", quote="")[0] == [(1, '"a')]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """A row with a NUL byte or bytes that are not UTF-8 is refused alone; its raw text is shown with escapes."""
    good, refused, _ = read(tmp_path, b"1,\xc3\xa9\n2,\xe9\n3,\0\n4,\xf0\x9f\x98\x80\n")
    assert good == [(1, "é"), (4, "😀")]
    assert refused == [
        ("utf8", "the row's bytes are not UTF-8", "2,\\xe9"),
        ("shape", "the row holds a NUL byte", "3,\0"),
    ]


def test_a_file_of_two_gzip_streams(tmp_path: Path) -> None:
    """Is read to its end; one that is cut off names the byte; one that changed since the load began stops it."""
    data = gzip.compress(b"1,a\n2") + gzip.compress(b",b\n")
    assert read(tmp_path, data, name="x.csv.gz")[0] == [(1, "a"), (2, "b")]
    with pytest.raises(UnreadableSource, match=r"x\.csv\.gz at byte \d+: the gzip stream ends early"):
        read(tmp_path, data[:-5], name="x.csv.gz")
    with pytest.raises(UnreadableSource, match="when the load began"):
        list(read_text(FileRange(tmp_path / "x.csv.gz", 0, 5, 5), TextForm("csv", TWO)))


def test_a_count_that_the_scanner_did_not_make(tmp_path: Path) -> None:
    """A ledger whose scanner lost a line, or made one up, is out of balance."""
    _, _, ledger = read(tmp_path, b"1,a\n2,b\n")
    assert ledger.balance == 0
    assert RowLedger(line_ends=2, rows=1).balance == 1
    assert RowLedger(line_ends=2, rows=3).balance == -1
