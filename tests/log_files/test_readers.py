"""Files as people have them: several, in folders, from a pipe, ragged, nested. Nothing is left out unseen."""

from __future__ import annotations

import gzip
import io
import os
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.frame_columns import flat
from jobs.cli import main
from jobs.exits import RunError, UnreadableSource, WrongWorkload
from jobs.log_files.reading.log_file import FORMS, FileOptions
from jobs.log_files.reading.named_files import named_files
from jobs.log_files.reading.opened_file import opened
from jobs.log_files.reading.several_files import open_log
from tests.counts import few

QUERY = "PATTERN SEQ(A a, B b) WITHIN 9"
ROWS = "ts,event_type,x\n1,A,1\n2,B,2\n3,A,3\n"


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def read(*texts: str | Path, options: FileOptions | None = None) -> tuple[pa.Table, list[str]]:
    log = open_log([str(text) for text in texts], options or FileOptions())
    return log.read(log.sample.column_names, quiet)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_files_are_one_log(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    """By name, as a folder, as a pattern: all rows in the order of the files; those without rows are told by name."""
    folder = tmp_path_factory.mktemp("logs")
    rows, files = 0, []
    for number, size in enumerate(sizes):
        file = folder / f"{number}.csv"
        file.write_text("ts,x\n" + "".join(f"{rows + row},{number}\n" for row in range(size)))
        rows, files = rows + size, [*files, file]
    for texts in (files, [folder], [folder / "*.csv"]):
        if not rows:
            with pytest.raises(UnreadableSource, match=rf"{len(sizes) - 1}\.csv: it has no rows"):
                read(*texts)
        else:
            table, notes = read(*texts)
            assert table["ts"].to_pylist() == list(range(rows))
            empty = ", ".join(f"{number}.csv" for number, size in enumerate(sizes) if not size)
            assert notes[1:] == ([f"without rows: {empty}"] if empty else [])
            assert bool(notes) == (len(sizes) > 1)


def test_what_a_folder_holds_beside_files_is_told(tmp_path: Path) -> None:
    """Folders in it, and hidden files; names of nothing are an error."""
    (tmp_path / "day").mkdir()
    (tmp_path / ".part").write_text("x")
    (tmp_path / "a.csv").write_text(ROWS)
    named = named_files([str(tmp_path)])
    assert [path.name for path in named.paths] == ["a.csv"]
    assert ".part, day" in named.notes[0]
    for text in (tmp_path / "day", tmp_path / "*.json", tmp_path / "none.csv"):
        with pytest.raises(RunError, match=r"no (such )?file"):
            named_files([str(text)])


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    """A column that one lacks, and one that is a text there; whole numbers and fractions fit."""
    for name, text in (("a", ROWS), ("b", "ts,event_type\n4,A\n"), ("c", ROWS.replace("x\n1,A,1", "x\n1,A,one"))):
        (tmp_path / f"{name}.csv").write_text(text)
    (tmp_path / "d.csv").write_text(ROWS.replace(",1\n", ",1.5\n"))
    with pytest.raises(UnreadableSource, match=r"b\.csv: it has no column 'x', which .*a\.csv has"):
        read(tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(UnreadableSource, match=r"c\.csv: its column 'x' is string, in .*a\.csv it is int64"):
        read(tmp_path / "a.csv", tmp_path / "c.csv")
    assert read(tmp_path / "a.csv", tmp_path / "d.csv")[0]["x"].to_pylist() == [1, 2, 3, 1.5, 2, 3]


@pytest.mark.parametrize("packed", ["", "gz", "zst"])
@pytest.mark.parametrize("form", [*FORMS, "stream"])
def test_every_form_gives_the_same_rows(tmp_path: Path, form: str, packed: str) -> None:
    """As a file by its suffix, and from standard input by its first bytes."""
    table = pa.csv.read_csv(io.BytesIO(ROWS.encode()))
    plain = tmp_path / f"log.{'arrow' if form == 'stream' else form}"
    if form == "csv":
        plain.write_text(ROWS)
    elif form == "json":
        plain.write_text(
            "".join(
                f'{{"ts":{t},"event_type":"{e}","x":{x}}}\n'
                for t, e, x in zip(*table.to_pydict().values(), strict=True)
            )
        )
    elif form == "parquet":
        pa.parquet.write_table(table, plain)
    else:
        writer = pa.ipc.new_stream if form == "stream" else pa.ipc.new_file
        with writer(str(plain), table.schema) as sink:
            sink.write_table(table)
    file = plain
    if packed:
        file = plain.with_name(f"{plain.name}.{packed}")
        with pa.output_stream(str(file), compression="gzip" if packed == "gz" else "zstd") as out:
            out.write(plain.read_bytes())
    assert read(file)[0].to_pydict() == table.to_pydict()
    named = named_files(["-"], io.BytesIO(file.read_bytes()))
    assert read(*named.paths)[0].to_pydict() == table.to_pydict()


def test_standard_input_is_one_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A query on the command line, a log from a pipe; the copy of it is gone afterwards; an empty one is told."""

    class Pipe:
        buffer = io.BytesIO(gzip.compress(ROWS.encode()))

    monkeypatch.setattr("sys.stdin", Pipe)
    assert main(["match", "-e", QUERY, "-", "--csv"]) == 0
    assert [line.split(",")[-2:] for line in capsys.readouterr().out.splitlines()] == [["a", "b"], ["1", "2"]]
    named = named_files(["-"], io.BytesIO(ROWS.encode()))
    [copy] = named.paths
    assert copy.exists()
    del named
    assert not copy.exists()
    with pytest.raises(UnreadableSource, match="standard input: it has no rows"):
        named_files(["-"], io.BytesIO(b""))
    with pytest.raises(RunError, match="one log by itself"):
        named_files(["-", "a.csv"], io.BytesIO(b"x"))


SEPARATED = 'time;x y;note\n1;1,5;a, b\n2;2,5;"c;\nd"\n'


def test_what_a_csv_file_looks_like_is_told(tmp_path: Path) -> None:
    """What separates fields, UTF-16; names that queries can say; line breaks between quotes, also in long files."""
    expected = {"time": [1, 2], "x_y": ["1,5", "2,5"], "note": ["a, b", "c;\nd"]}
    file = tmp_path / "log.csv"
    for mark, said in ((";", "';'"), ("\t", "tabs"), ("|", "'|'")):
        file.write_text(SEPARATED.replace(";", mark))
        table, notes = read(file)
        assert table.to_pydict() == expected | {"note": ["a, b", f"c{mark}\nd"]}
        assert notes == [f"{said} taken for what separates its fields (--sep)"]
        assert read(file, options=FileOptions(separator=mark))[1] == []
    file.write_text("\ufeff" + SEPARATED, encoding="utf-16-le")
    table, [note, _] = read(file)
    assert (table.to_pydict(), note) == (expected, "its text is UTF-16, as its first bytes say")
    for order in ("utf-16-le", "utf-16-be"):
        file.write_text(SEPARATED, encoding=order)
        table, [note, _] = read(file)
        assert table.to_pydict() == expected
        assert note == f"its text is taken for UTF-16 ({order}), as every second byte is zero (--encoding)"
    file.write_text("ts,note\n" + "".join(f'{row},"{"x" * 300}\n\n, ""{row}"""\n' for row in range(9000)))
    assert read(file)[0]["note"].to_pylist()[-1] == f'{"x" * 300}\n\n, "8999"'


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_a_file_is_open_as_long_as_arrow_reads_it(tmp_path: Path, name: str) -> None:
    """Closed before, its descriptor went to the file opened next, whose first bytes a thread reading ahead took."""
    file = tmp_path / name
    with pa.output_stream(str(file), compression="detect") as out:
        out.write(b"ts\n" + b"1\n" * 9000)
    with opened(file) as stream:
        reader = pyarrow.csv.open_csv(stream, pyarrow.csv.ReadOptions(block_size=64))
    del stream
    assert _descriptors(file) == 1
    assert reader.read_all().num_rows == 9000
    del reader
    end = time.monotonic() + 10
    while _descriptors(file) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _descriptors(file)


def _descriptors(path: Path) -> int:
    """How many of this process are of the file."""
    return sum(os.path.realpath(link) == str(path) for link in Path("/proc/self/fd").iterdir())


def test_bytes_that_are_no_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, and values that a query needs, end the command with the option that reads them."""
    for text in ("ts,event_type,größe\n1,A,x\n2,B,y\n", "ts,event_type,x\n1,A,ö\n2,B,y\n"):
        (tmp_path / "log.csv").write_text(text, encoding="latin-1")
        name = text.splitlines()[0].split(",")[2]
        log = ["-e", f"PATTERN SEQ(A a, B b) WHERE a.{name} != b.{name} WITHIN 9", str(tmp_path / "log.csv")]
        assert main(["match", *log]) == 1
        assert "not UTF-8; --encoding says what its text is" in capsys.readouterr().err
        assert main(["match", *log, "--encoding", "latin-1"]) == 0
        assert "1 match" in capsys.readouterr().out
    assert main(["match", *log, "--encoding", "klingon"]) == 2


def test_a_field_that_only_later_lines_have(tmp_path: Path) -> None:
    """It was no column, once, where it came after the first million bytes."""
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f'{{"ts":{row},"note":"{"x" * 100}"}}\n' for row in range(12_000)) + '{"ts":12000,"y":7}\n')
    assert log.stat().st_size > 1 << 20
    assert read(log)[0]["y"].to_pylist()[-2:] == [None, 7]


@pytest.mark.parametrize("first", ["2024-01-31 08:00:00,A,3", "A,7.5", "A,1706688000", "3,08:00"])
def test_a_first_line_that_is_a_row_is_refused(tmp_path: Path, first: str) -> None:
    """Its event was gone, once, with exit code 0. Whoever names the columns gets it; short numbers are told."""
    (tmp_path / "log.csv").write_text(f"{first}\n{first}\n")
    with pytest.raises(WrongWorkload, match=r"looks like a row, not like names of columns: .*--names A,B,"):
        read(tmp_path / "log.csv")
    names = tuple("abc"[: first.count(",") + 1])
    assert read(tmp_path / "log.csv", options=FileOptions(names=names))[0].num_rows == 2
    (tmp_path / "log.csv").write_text("kind,2024\nA,5\n")
    assert "it has '2024'; --names A,B,... names the 2 columns, and it is a row" in read(tmp_path / "log.csv")[1][0]


def test_a_list_of_json_objects(tmp_path: Path) -> None:
    """As lines of them; what is none of both is told."""
    file = tmp_path / "log.json"
    file.write_text('\ufeff[\n {"ts": 1, "user": {"id": "a"}},\n {"ts": 2, "user": {"id": "b\\nc"}}\n]\n')
    assert read(file)[0].to_pydict() == {"ts": [1, 2], "user_id": ["a", "b\nc"]}
    for text, said in (('[{"ts": 1}, 7]', "item 2 of its list is no object: 7"), ('[{"ts": 1}', "begins as a list")):
        file.write_text(text)
        with pytest.raises(UnreadableSource, match=said):
            read(file)


RAGGED = "kind,job\nA,1,10\nB,1,11\nA\nB,2,12,13,14\nA,3,15\n"


def test_ragged_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    """Only as many as the user allows; names stand for a header, and a header of some of them is no row."""
    (tmp_path / "log.csv").write_text(RAGGED)
    names = FileOptions(names=("kind", "job", "ts"), skip_bad=2)
    table, notes = read(tmp_path / "log.csv", options=names)
    assert table.to_pydict() == {"kind": ["A", "B", "A"], "job": [1, 1, 3], "ts": [10, 11, 15]}
    assert notes == ["2 rows are left out (--skip-bad), the first has 1 field for 3 columns: A"]
    for options in (
        FileOptions(names=("kind", "job", "ts")),
        FileOptions(names=names.names, skip_bad=1),
    ):
        with pytest.raises(UnreadableSource, match=r"line 4 has 1 field .* --skip-bad 2 leaves these out"):
            read(tmp_path / "log.csv", options=options)
    with pytest.raises(UnreadableSource, match=r"line 2 has 3 fields for 2 columns: .* names 3 columns"):
        read(tmp_path / "log.csv")


@few(30)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=30), st.integers(2, 4))
def test_the_number_of_ragged_rows_is_told(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], columns: int
) -> None:
    """Whoever types it gets the other rows; where most rows have more or fewer fields, names are advised."""
    file = tmp_path_factory.mktemp("ragged") / "log.csv"
    file.write_text("".join(",".join(["x"] * size) + "\n" for size in [columns, *sizes]))
    names = tuple("abcde"[:columns])
    ragged = Counter(size for size in sizes if size != columns)
    if not ragged:
        assert read(file, options=FileOptions(names=names))[0].num_rows == len(sizes) + 1
        return
    with pytest.raises(UnreadableSource) as refused:
        read(file, options=FileOptions(names=names))
    most = ragged.most_common(1)[0][1]
    fitting = len(sizes) + 1 - ragged.total()
    assert f"of {len(sizes) + 1} rows" in str(refused.value)
    assert f"line {next(line for line, size in enumerate(sizes, 2) if size != columns)} has" in str(refused.value)
    if most > fitting:
        ways = [size for size, rows in ragged.items() if rows == most]
        assert any(f"names {size} columns" in str(refused.value) for size in ways)
    else:
        assert f"--skip-bad {ragged.total()} leaves" in str(refused.value)
        table, _ = read(file, options=FileOptions(names=names, skip_bad=ragged.total()))
        assert table.num_rows == fitting


def test_nested_fields_are_columns(tmp_path: Path) -> None:
    """Of records in records; where a column has the name already the dot stays; a record that is null has no fields."""
    (tmp_path / "log.json").write_text(
        '{"at":{"ts":1},"user":{"id":"u","in":{"x":1}},"user_id":7}\n{"at":{"ts":2},"user":null,"user_id":8}\n'
    )
    table, _ = read(tmp_path / "log.json")
    assert table.to_pydict() == {
        "at_ts": [1, 2],
        "user.id": ["u", None],
        "user_in_x": [1, None],
        "user_id": [7, 8],
    }
    assert flat(table)[0].column_names == table.column_names
