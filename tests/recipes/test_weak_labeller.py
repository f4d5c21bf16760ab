"""The weak labeller of tweets2019: by seeds, a trained folder, or a file of scores."""

from pathlib import Path

import pytest

import hub_folder
from own_labels import score_rows, verb_rows, write_table
from trope.cli.main import run
from trope.core.errors import BadInput, BadModel, BadRecord
from trope.recipes.recipe import Context
from trope.recipes.records import Record
from trope.recipes.settings import resolve
from trope.recipes.tweets2019.labeller import score_expressions, weak_labels
from trope.recipes.tweets2019.recipe import RECIPE
from trope.scale.executors import LocalExecutor
from trope.tasks.metaphor.seed_similarity import build_abstractness, build_neighbours
from trope.tasks.metaphor.task import VerbExpression

PAIRS = [("swallow", "insult"), ("swallow", "biscuit"), ("plant", "suspicion"), ("plant", "rose")]
RECORDS = [
    Record(
        f"t{at}-1",
        f"They {verb} the {noun} today",
        {"subset": "emotional", "verb": verb, "object": noun, "start": 5, "end": 14 + len(noun)},
    )
    for at, (verb, noun) in enumerate(PAIRS)
]


def context(folder: Path, *changes: str) -> Context:
    settings = resolve(RECIPE, changes=["inventory.moh=false", "inventory.vua=[]", *changes])
    return Context(folder, settings, engine=lambda: LocalExecutor(threads=1))


def labels(found: Context) -> list[str]:
    return [record.fields["weak"] for record in weak_labels(iter(RECORDS), found)]


def test_fifty_seeds_tell_abstract_objects_of_concrete_verbs(tmp_path):
    for name in ("seed-neighbours", "seed-abstractness"):
        found = context(tmp_path, f"labeller.name={name}")
        assert labels(found) == ["metaphor", "literal", "metaphor", "literal"]
        assert found.facts["labeller"] == name


@pytest.mark.parametrize("build", [build_abstractness, build_neighbours])
def test_there_are_at_most_fifty_seeds_and_no_pair_twice(build):
    pairs = [seed.pair for seed, _ in build().seeds]
    assert len(set(pairs)) == len(pairs) <= 50


def test_seeds_in_sentences_are_the_fifty_of_neighbours():
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    pytest.importorskip("transformers")
    from trope.tasks.metaphor.transformers_detector import _IN_SENTENCES, read_seed_sentences

    with_sentences = read_seed_sentences(_IN_SENTENCES)
    labels = {(seed.pair, label) for seed, label in with_sentences}
    assert labels == {(seed.pair, label) for seed, label in build_neighbours().seeds}
    assert len(with_sentences) == len(labels) <= 50


def test_seeds_in_sentences_read_the_tweet(tmp_path):
    pytest.importorskip("transformers")
    model = hub_folder.write_encoder(tmp_path / "encoder")
    found = score_expressions(
        RECORDS, context(tmp_path, "labeller.name=seed-contexts", f"labeller.model={model}")
    )
    metaphor, literal = found.scores[0::2], found.scores[1::2]
    assert min(metaphor) >= found.threshold > max(literal)


def test_without_a_name_it_is_the_best_that_can_be_used(tmp_path):
    said: list[tuple[str, str]] = []
    found = context(tmp_path)
    found.tell = lambda name, note: said.append((name, note))
    assert labels(found) == ["metaphor", "literal", "metaphor", "literal"]
    why = "labeller.model names no encoder for seed-contexts"
    assert (found.facts["labeller"], found.facts["because"]) == ("seed-neighbours", why)
    better = "better with an encoder: pip install 'trope[hub]' and --set labeller.model=sentence-"
    [(name, note)] = said
    assert name == "weak labels"
    assert note.startswith(f"by seed-neighbours, because {why}; {better}")


def test_without_a_name_an_encoder_is_used_and_a_name_is_stronger(tmp_path):
    pytest.importorskip("transformers")
    model = hub_folder.write_encoder(tmp_path / "encoder")
    chosen = context(tmp_path, f"labeller.model={model}")
    assert labels(chosen) == ["metaphor", "literal", "metaphor", "literal"]
    assert chosen.facts["labeller"] == "seed-contexts"
    assert chosen.facts["because"] == "labeller.model names an encoder"
    assert chosen.facts["encoder"].startswith("encoder, ")
    named = context(tmp_path, f"labeller.model={model}", "labeller.name=seed-neighbours")
    labels(named)
    assert (named.facts["labeller"], named.facts["because"]) == (
        "seed-neighbours",
        "labeller.name says so",
    )
    assert "encoder" not in named.facts


def test_a_run_without_expressions_has_no_labels(tmp_path):
    assert score_expressions([], context(tmp_path)).scores == []


def test_the_threshold_of_seeds_needs_no_labels():
    detector = build_abstractness()
    pairs = [VerbExpression(verb, noun) for verb, noun in PAIRS]
    detector.adapt(pairs, share=0.5)
    scores = detector.score_expressions(pairs)
    assert sum(scores) == pytest.approx(2, abs=0.01)
    assert min(scores[0], scores[2]) >= detector.threshold > max(scores[1], scores[3])


def test_seeds_call_the_same_share_metaphorical_in_any_corpus():
    detector = build_neighbours()
    for nouns in ("pill rose bread coin door chair lamp fence", "pride doubt hope blame idea fear"):
        verbs = ("swallow", "plant", "break", "carry", "open", "burn", "kill", "lift", "throw")
        pairs = [VerbExpression(verb, noun) for verb in verbs for noun in nouns.split()]
        detector.adapt(pairs)
        called = sum(score >= detector.threshold for score in detector.score_expressions(pairs))
        assert called / len(pairs) == pytest.approx(0.54, abs=0.02)  # as the page says


def test_a_file_of_scores_and_what_is_wrong_with_one(tmp_path):
    good = [(record.id, ("0,2", "0,83")[at % 2]) for at, record in enumerate(RECORDS)]
    path = write_table(tmp_path / "scores.csv", ("id", "score"), good)
    assert labels(context(tmp_path, f"labeller.name={path}")) == ["literal", "metaphor"] * 2
    for rows, message in (
        (good[1:], "1 of 4 expressions have no score, such as 't0-1'"),
        ([*good, ("t9-1", "1")], "scores.csv:6: scores 't9-1', which is no expression of this run"),
        ([*good, good[0]], "scores.csv:6: scores 't0-1' again"),
        ([("t0-1", "high")], "scores.csv:2: has the score 'high'; write a number from 0 to 1"),
        ([("t0-1", "nan")], "scores.csv:2: has the score 'nan'; write a number from 0 to 1"),
        ([("t0-1", "83")], "scores.csv:2: has the score '83'; write a number from 0 to 1"),
        ([("t0-1", "1,83")], "scores.csv:2: has the score '1,83'; write a number from 0 to 1"),
    ):
        write_table(path, ("id", "score"), rows)
        with pytest.raises(BadRecord) as error:
            labels(context(tmp_path, f"labeller.name={path}"))
        assert message in str(error.value)


def test_a_trained_folder_and_one_of_another_task(tmp_path):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    for task, header, rows, more in (
        ("metaphor", ("text", "verb", "label"), verb_rows(), ["--target", "verb"]),
        ("sentiment", ("text", "score"), score_rows(), []),
    ):
        table = write_table(tmp_path / f"{task}.csv", header, rows)
        command = ["train", task, "--on", str(table), *more, "--out", str(tmp_path / task)]
        with pytest.raises(SystemExit) as leave:
            run(command)
        assert not leave.value.code
    found = score_expressions(RECORDS, context(tmp_path, f"labeller.name={tmp_path / 'metaphor'}"))
    assert all(score is not None for score in found.scores)
    with pytest.raises(BadModel, match="is a system for sentiment, not for metaphor"):
        labels(context(tmp_path, f"labeller.name={tmp_path / 'sentiment'}"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("labeller.name={folder}", "is a system for sentiment, not for metaphor; give a folder"),
        ("labeller.name=seed-neighbor", "'seed-neighbor' is no labeller (seed-neighbours, "),
        ("labeller.name=logistic", "learns from MOH and VUA; switch on"),
        ("labeller.name={table}", "days.csv:2: has no columns id and score, but text, score; ren"),
        ("labeller.seeds={folder}/README.md", "is no seed"),
        ("labeller.vectors={folder}/none", "none: not found"),
        ("compiling.review={folder}/none", "none: not found"),
    ],
)
def test_a_labeller_of_no_use_is_refused_before_anything_is_written(change, said, tmp_path, capsys):
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    table = write_table(tmp_path / "days.csv", ("text", "score"), score_rows())
    folder = tmp_path / "system"
    with pytest.raises(SystemExit):
        run(["train", "sentiment", "--on", str(table), "--out", str(folder)])
    changes = [f"sources.emotional={table}:text", "sources.political=", "inventory.moh=false",
               "inventory.vua=[]", change.format(folder=folder, table=table)]  # fmt: skip
    arguments = [word for one in changes for word in ("--set", one)]
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", "tweets2019", "--out", str(tmp_path / "run"), *arguments])
    assert leave.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_encoder_reads_the_verb_in_its_tweet(tmp_path):
    found = score_expressions(RECORDS, context(tmp_path, "labeller.name=encoder"))
    assert found.scores[0] > found.scores[1]


def test_an_unknown_labeller_and_bad_seeds(tmp_path):
    with pytest.raises(BadInput, match="'seeds' is no labeller"):
        labels(context(tmp_path, "labeller.name=seeds"))
    with pytest.raises(BadInput, match="learns from MOH and VUA"):
        labels(context(tmp_path, "labeller.name=logistic"))
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# mine\nsow doubt metaphor\ncut bread\n")
    with pytest.raises(BadRecord, match=r"seeds\.txt:3: is no seed"):
        labels(context(tmp_path, f"labeller.seeds={seeds}"))
