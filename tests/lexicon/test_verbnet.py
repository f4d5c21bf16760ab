"""VerbNet's archive: members by class, and refusal of what is none."""

import zipfile

import pytest

from trope.core.errors import BadRecord, MissingData
from trope.lexicon.verbs import read_verbnet


def archive(path, files):
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


def test_members_get_the_classes_of_their_files(tmp_path):
    say = '<VNCLASS ID="say-1"><MEMBERS><MEMBER name="say" wn=""/><MEMBER wn="" name="tell"/>'
    path = archive(
        tmp_path / "vn.zip",
        {"vn/say-1.xml": say, "vn/talk-2.xml": '<MEMBER name="tell"/>', "vn/README": "text"},
    )
    assert read_verbnet(path) == {"say": ("say-1",), "tell": ("say-1", "talk-2")}


def test_other_files_are_refused(tmp_path):
    (tmp_path / "no.zip").write_text("no archive")
    with pytest.raises(BadRecord, match="is not a zip archive"):
        read_verbnet(tmp_path / "no.zip")
    with pytest.raises(BadRecord, match="no class with members"):
        read_verbnet(archive(tmp_path / "empty.zip", {"a.txt": "x"}))
    with pytest.raises(MissingData):
        read_verbnet(tmp_path / "absent.zip")
