"""What `trendmill match` refuses: wrong arguments, logs and rows, and work without a visible end."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from tests.commands.logs import write
from tests.commands.match_log import printed


def test_what_is_wrong_ends_with_2(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An aggregation is sent to the other command; rows that are not there, and words for rows, are named."""
    assert main(["match", *files, "--why-not", "1,99"]) == 2
    assert "no event of the log is row 99" in capsys.readouterr().err
    assert main(["match", *files, "--why-not", "one"]) == 2
    assert "such as 12,15,19, not 'one'" in capsys.readouterr().err
    assert main(["match", *files, "--detect", "--why"]) == 2
    assert "finds events, not matches" in capsys.readouterr().err
    write(tmp_path / "q.cep", "PATTERN Depart+ a[] AND Arrive b WITHIN 10")
    log = write(tmp_path / "many.csv", "ts,event_type\n" + "".join(f"{ts},Depart\n" for ts in range(11)))
    assert main(["match", files[0], str(log), "--why-not", "1,2,3,4,5,6,7,8,9,10,11"]) == 2
    assert "11 events are too many to try as two matches; at most 10" in capsys.readouterr().err
    write(tmp_path / "q.cep", "RETURN COUNT(*) PATTERN Depart+ WITHIN 10")
    assert main(["match", *files]) == 2
    assert ":1:8: an aggregation query" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--lacks", "Strom.tail"], 2, "trendmill: --lacks: no event is of type 'Strom'; did you mean 'Storm'?"),
        (["--lacks", "Storm.tial"], 2, "trendmill: --lacks: no column 'tial'; did you mean 'tail'?"),
        (["--seq", "tail"], 2, "log.csv: 'tail' holds string, not whole numbers"),
        (["--parquet", "no/such/folder.parquet"], 2, "trendmill: cannot write no/such/folder.parquet: "),
    ],
)
def test_wrong_arguments_are_told(
    files: list[str], capsys: pytest.CaptureFixture[str], options: list[str], code: int, said: str
) -> None:
    """One message, no traceback."""
    assert main(["match", *files, *options]) == code
    errors = capsys.readouterr().err
    assert said in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [["match", "--limit", "-1"], ["aggregate", "--cores", "0"]])
def test_numbers_have_a_least_value(files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, *files[:2]])
    assert ended.value.code == 2
    assert "is less than" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (b"ts,ts,event_type\n1,2,A\n", 1, "it has two columns named 'ts'"),
        (b"ts,event_type,\x89x\n1,A,2\n", 1, "the names of its columns are not UTF-8"),
        (b"ts,event_type\n1,A\n9223372036854775807,A\n", 2, "moments lie between -2^62 and 2^62"),
    ],
)
def test_wrong_logs_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: bytes, code: int, said: str
) -> None:
    query, log = write(tmp_path / "q.cep", "PATTERN A a WITHIN 5"), tmp_path / "log.csv"
    log.write_bytes(text)
    assert main(["match", str(query), str(log)]) == code
    errors = capsys.readouterr().err
    assert said in errors
    assert "Traceback" not in errors


def test_a_search_without_a_visible_end_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Work is limited, told with numbers, and ends with code 1; so it is for --detect and what --why asks."""
    query = "PATTERN SEQ(A a, B+ b[]) WHERE b[i].late > max(b[..i-1].late) AND sum(b[].late) = -7 WITHIN 9 hours"
    rows = [f"2013-03-08 {8 + n // 60:02}:{n % 60:02},{'B' if n else 'A'},{37 * n % 101}" for n in range(60)]
    log = str(write(tmp_path / "log.csv", "\n".join(["time,kind,late", *rows])))
    arguments = [str(write(tmp_path / "q.cep", query)), log, "--work", "200000"]
    for more in ([], ["--detect"], ["--collapsed"], ["--csv"]):
        assert main(["match", *arguments, *more]) == 1
        refused = capsys.readouterr()
        assert (
            "trendmill: the budget of work is exhausted: 200,000 steps were not enough to try the query's"
            in refused.err
        )
        assert "5.8e17 candidates" in refused.err
        assert "Traceback" not in refused.err
    none = "PATTERN SEQ(A a, B b) WHERE b.late > 200 AND a.late > 200 WITHIN 9 hours"
    printed([str(write(tmp_path / "none.cep", none)), log, "--why"], capsys)
    hopeless = "PATTERN SEQ(A a, B+ b[]) WHERE a.late = 7 AND sum(b[].late) = -7 WITHIN 9 hours"
    out = printed([str(write(tmp_path / "less.cep", hopeless)), log, "--why", "--work", "200000"], capsys)
    assert "without a.late = 7: not known, because the budget of work is too small (--work)" in out
