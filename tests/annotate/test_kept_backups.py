"""Backups as cron makes them: a folder, rotation, a lock, one line, an exit status."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from projects import START, add_items, make_project

from trope.annotate.store.backup import backup_into, restore
from trope.cli.main import main
from trope.core.errors import BadInput


def dated(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_folder_of_backups_keeps_the_newest(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    folder = tmp_path / "backups"
    folder.mkdir()
    foreign = ["notes.txt", "other-20260101T000000Z.zip", "p-2026.zip", "p-x-20260101T000000Z.zip"]
    for name in foreign:
        (folder / name).write_text("mine")
    times = [START + timedelta(days=day) for day in range(4)]
    kept = [backup_into(folder, project, now=now, keep=2) for now in times]
    assert [len(one.removed) for one in kept] == [0, 0, 1, 1]
    mine = ["p-20260304T090000Z.zip", "p-20260305T090000Z.zip"]
    assert dated(folder) == sorted([*foreign, *mine])
    late = backup_into(folder, project, now=START - timedelta(days=1), keep=1)
    assert late.file.exists(), "the clock was set back, and yet the new one stays"
    assert [path.name for path in late.removed] == mine[::-1]
    restore(late.file, tmp_path / "again")


def test_two_backups_of_a_project_do_not_overlap(tmp_path: Path) -> None:
    from trope.core.run_folder import lock_file

    project = make_project(tmp_path / "p")
    running = lock_file(project.folder / "backup.lock")
    with pytest.raises(BadInput, match="another backup is running"):
        backup_into(tmp_path / "b", project, now=START)
    assert not (tmp_path / "b").exists()
    running.release()
    assert backup_into(tmp_path / "b", project, now=START).file.exists()


def test_backups_of_one_second_have_different_names(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    kept = [backup_into(tmp_path / "b", project, now=START) for _ in range(2)]
    assert [one.file.name for one in kept] == ["p-20260302T090000Z.zip", "p-20260302T090001Z.zip"]


def test_rest_of_a_backup_that_was_killed_is_removed(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    half = tmp_path / "b" / ".p-20260301T090000Z.zip.abc123"
    half.mkdir(parents=True)
    (half / "backup").write_bytes(b"half")
    other = tmp_path / "b" / ".other"
    other.mkdir()
    backup_into(tmp_path / "b", project, now=START, keep=1)
    assert dated(tmp_path / "b") == [".other", "p-20260302T090000Z.zip"]


def test_backup_as_cron_runs_it(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    add_items(project, 2)
    command = ["annotate", "backup", str(project.folder), "--to", str(tmp_path / "b")]
    result = CliRunner().invoke(main, [*command, "--keep", "7"])
    assert result.exit_code == 0, result.output
    (written,) = (tmp_path / "b").iterdir()
    said = f"{written}: 2 items, 0 people, 0 judgments; 0 older removed\n"
    assert result.output == said
    (tmp_path / "file").write_text("")
    blocked = [*command[:-1], str(tmp_path / "file" / "b")]  # no folder can be made there
    failed = subprocess.run(
        [sys.executable, "-m", "trope", *blocked], capture_output=True, text=True, check=False
    )
    assert (failed.returncode, failed.stdout) == (2, "")
    assert len(failed.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "options",
    [[], ["FILE", "--to", "FOLDER"], ["FILE", "--keep", "3"], ["--to", "b", "--keep", "0"]],
)
def test_backup_that_names_no_single_place_is_refused(options: list[str], tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    result = CliRunner().invoke(main, ["annotate", "backup", str(project.folder), *options])
    assert result.exit_code == 2
