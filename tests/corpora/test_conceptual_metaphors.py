"""Conceptual metaphors, frames and families from YAML, with the line of what is wrong."""

import pytest

from analogies import FRAMES, METAPHORS
from trope.core.errors import BadRecord
from trope.corpora.conceptual_metaphors import read_frames, read_metaphors


def write(tmp_path, text):
    path = tmp_path / "file.yaml"
    path.write_text(text, "utf-8")
    return path


def test_metaphors_have_topic_and_vehicle(tmp_path):
    first, second, _, last = read_metaphors(write(tmp_path, METAPHORS))
    assert first.domains == ("IDEA", "SEED")
    assert (first.topic_frame, first.vehicle_frame) == ("thinking", "planting")
    assert first.mappings[0].topic_role == "thinker"
    assert first.mappings[0].vehicle_role == "seed_sower"
    assert (first.line, first.families, first.examples) == (2, ("Mind",), ("The plan took root.",))
    assert second.domains == ("DEBTS", "WEIGHTS")
    assert last.domains is None
    assert last.mappings == ()


def test_frames_have_roles_and_units(tmp_path):
    frames = {frame.name: frame for frame in read_frames(write(tmp_path, FRAMES))}
    assert frames["planting"].roles == ("seed_sower", "sprout", "seed_seller")
    assert "sow.v" in frames["planting"].lexical_units


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("metaphors: [\n", 2, "is not YAML"),
        ("frames: []\n", 1, "has no list called metaphors"),
        ("metaphors: many\n", 1, "is not a list of records"),
        ("metaphors:\n  - name: A_IS_B\n    source_frame: b\n", 2, "'target_frame' is missing"),
        (
            "metaphors:\n  - name: A_IS_B\n    source_frame: b\n    target_frame: a\n"
            "    mappings:\n      - source_role: x\n",
            6,
            "'target_role' is missing",
        ),
        (
            "metaphors:\n  - name: A_IS_B\n    source_frame: b\n    target_frame: a\n"
            "    examples: one\n",
            2,
            "'examples' is not a list",
        ),
    ],
)
def test_faults_are_named_by_line(tmp_path, text, line, says):
    with pytest.raises(BadRecord, match=says) as caught:
        list(read_metaphors(write(tmp_path, text)))
    assert caught.value.line == line


def test_a_file_cannot_run_anything(tmp_path):
    with pytest.raises(BadRecord, match="is not YAML"):
        list(read_metaphors(write(tmp_path, "metaphors: !!python/object/apply:os.getcwd []\n")))


@pytest.mark.shared
def test_the_research_data_has_its_counts(shared):
    folder = shared / "data/conceptual"
    metaphors = list(read_metaphors(folder / "metaphors.yaml"))
    frames = list(read_frames(folder / "frames.yaml"))
    assert (len(metaphors), sum(len(m.mappings) for m in metaphors)) == (1184, 2819)
    assert (len(frames), sum(len(f.roles) for f in frames)) == (637, 1989)
