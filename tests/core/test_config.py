"""Settings in TOML files: types, faults, and keys that were renamed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from trope.core.config import read_config, read_toml, renamed_keys
from trope.core.errors import BadConfig


@dataclass(frozen=True)
class _Crowd:
    judgments_per_item: int
    seed: int = 1


@dataclass(frozen=True)
class _Study:
    crowd: _Crowd
    waves: tuple[_Crowd, ...] = ()


RENAMES = {
    "crowd.judgments_an_item": "judgments_per_item",
    "waves.judgments_an_item": "judgments_per_item",
}


def test_old_key_is_read_with_a_warning_that_names_both_keys_and_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[crowd]\njudgments_an_item = 3\n")
    assert read_config(path, _Study, RENAMES) == _Study(_Crowd(3))
    assert capsys.readouterr().err == (
        f"trope: {path}: the setting 'crowd.judgments_an_item' is now called "
        "'judgments_per_item'; rename it\n"
    )


def test_new_key_is_read_in_silence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[crowd]\njudgments_per_item = 3\nseed = 2\n")
    assert read_config(path, _Study, RENAMES) == _Study(_Crowd(3, 2))
    assert capsys.readouterr().err == ""


def test_keys_of_a_list_of_tables_are_renamed_with_one_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        "[crowd]\njudgments_per_item = 1\n[[waves]]\njudgments_an_item = 2\n"
        "[[waves]]\njudgments_an_item = 4\n"
    )
    assert read_config(path, _Study, RENAMES).waves == (_Crowd(2), _Crowd(4))
    assert capsys.readouterr().err.count("\n") == 1


def test_both_names_of_a_setting_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[crowd]\njudgments_per_item = 1\njudgments_an_item = 2\n")
    with pytest.raises(BadConfig, match="keep 'judgments_per_item'"):
        read_config(path, _Study, RENAMES)


def test_the_given_table_is_left_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"judgments_an_item": 3}
    assert renamed_keys(data, {"judgments_an_item": "judgments_per_item"}, "plan.toml") == {
        "judgments_per_item": 3
    }
    assert data == {"judgments_an_item": 3}
    assert "plan.toml" in capsys.readouterr().err


def test_a_key_that_nobody_knows_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text("[crowd]\njudgments_per_item = 1\nsead = 2\n")
    with pytest.raises(BadConfig, match=r"unknown key 'crowd\.sead'"):
        read_config(path, _Study)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r'path = "C:\data\my.csv"', "in a string (at line 2, column 13); write paths with /"),
        (r'path = "C:\users\my.csv"', "Invalid hex value (at line 2, column 13); write paths with"),
        ("path = my.csv", "Invalid value (at line 2, column 8); write texts between quotes"),
        ("path", "(at line 2, column 5)"),
    ],
)
def test_what_is_no_toml_is_named_with_the_line_and_the_remedy(
    line: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f"[sources.tweets]\n{line}\n", encoding="utf-8")
    with pytest.raises(BadConfig) as error:
        read_toml(path)
    assert said in str(error.value)
