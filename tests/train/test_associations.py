"""Verbs and what stands around them: learnt from trees, read back, asked."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from trope.cli.main import main
from trope.core.errors import BadModel
from trope.lexicon.associations import read_associations, verb_contexts
from trope.pipeline import Pipeline
from trope.train.rewriting.verb_vectors import TREES, learn_associations, write_associations


def test_what_is_seen_together_goes_together(tmp_path: Path) -> None:
    eaten, built = ["obj=bread", "frame=obj"], ["obj=bridge", "frame=obj"]
    seen = [("eat", eaten), ("build", built)] * 8 + [("rare", ["obj=bread"])]
    assert learn_associations(seen, tmp_path / "learnt.npz") == (2, 3)
    learnt = read_associations(tmp_path / "learnt.npz")
    bread = learnt.vectors(["eat", "build"]) @ learnt.query(["obj=bread"], "obj")
    assert bread[0] > bread[1] + 0.1
    assert (learnt.count("eat"), learnt.count("rare")) == (8, 0)


def test_surroundings_of_a_verb_are_named_by_its_tree() -> None:
    (parse,) = Pipeline(threads=1).parse([["The", "court", "rejected", "the", "plan", "."]], TREES)
    assert verb_contexts(parse, 2) == ["subj=court", "obj=plan", "frame=obj"]


def test_headlines_are_drawn_by_the_seed(tmp_path: Path) -> None:
    pipeline = Pipeline(threads=1)
    headlines = [["Court", verb, "plan"] for verb in ("rejects", "approves", "delays")] * 6

    def made(folder: str, seed: int) -> bytes:
        out = tmp_path / folder
        return write_associations(
            headlines, pipeline, out, number=12, seed=seed, say=lambda message: None
        ).read_bytes()

    assert made("a", 1) == made("b", 1)
    assert len({made(f"seed-{seed}", seed) for seed in range(4)}) > 1
    drawn = read_associations(tmp_path / "a" / "associations.npz")
    assert sum(drawn.count(verb) for verb in ("reject", "approve", "delay")) <= 12


def test_the_command_reads_the_headlines_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "headlines"
    folder.mkdir(parents=True)
    objects = ("plan", "law", "deal", "budget", "treaty", "merger", "tax", "ban")
    lines = [f"{n}\tThe court rejects the {what} of the town" for n, what in enumerate(objects)]
    lines += [f"b{n}\tThe mayor praises the {what} of the town" for n, what in enumerate(objects)]
    with gzip.open(folder / "headlines.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(["id\theadline", *lines]) + "\n")
    command = ["train", "associations", "--from", str(tmp_path / "data"), "--out", str(tmp_path)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    learnt = read_associations(tmp_path / "associations.npz")
    assert learnt.count("reject") == 8
    rejects, praises = learnt.vectors(["reject", "praise"]) @ learnt.query(["subj=court"], "subj")
    assert rejects > praises + 0.1  # trees were read


def test_a_file_without_associations_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, verbs=np.zeros(3))
    with pytest.raises(BadModel, match="holds no associations"):
        read_associations(path)
