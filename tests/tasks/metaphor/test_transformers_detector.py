"""The detector `transformers` on tiny random encoders: scores, safe loading, refusals."""

import json
import pickle
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file

import hub_folder
from conftest import REPOSITORY
from trope.catalog import DETECTORS
from trope.core.errors import BadModel, BadRecord, DownloadFailed, MissingData
from trope.core.records import Parse
from trope.tasks.hub_folder import exact_name, load_tokenizer, model_path
from trope.tasks.metaphor.hub_model import DetectorNotes, word_pieces
from trope.tasks.metaphor.task import VerbExpression


def parse(text: str) -> Parse:
    words = tuple(text.split())
    size = len(words)
    return Parse(words, ("X",) * size, ("X",) * size, words, (-1,) * size, ("dep",) * size)


def build(folder: Path, **options):
    return DETECTORS.load("transformers")(model=folder, **options)


@pytest.fixture(scope="module")
def words(tmp_path_factory) -> Path:
    return hub_folder.write_encoder(tmp_path_factory.mktemp("words"), head="words")


@pytest.fixture(scope="module")
def sentences(tmp_path_factory) -> Path:
    return hub_folder.write_encoder(tmp_path_factory.mktemp("sentences"), head="sentences")


@pytest.fixture
def copy(words, tmp_path):
    for path in words.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


# scores ---------------------------------------------------------------------------------------


def test_a_model_of_words_scores_every_word_and_the_sentence_by_its_highest(words):
    detector = build(words)
    texts = [parse("the frost bites early buds"), parse("rain"), parse("we grasp the idea")]
    rows = detector.score_words(texts)
    assert [len(row) for row in rows] == [5, 1, 4]
    assert all(0 < score < 1 for row in rows for score in row)
    assert detector.score_sentences(texts) == [max(row) for row in rows]
    assert detector.threshold == 0.5
    assert detector.score_words([]) == []


def test_a_word_is_the_mean_of_its_pieces(words):
    detector = build(words)
    (whole,) = detector.score_words([parse("plans melts")])  # plan, ##s
    assert len(whole) == 2
    tokenizer = load_tokenizer(words, "words")
    (part,) = word_pieces(tokenizer, ["plans", "melts"], None, 30)
    assert part.owner == (-1, 0, 0, 1, -1)


def test_scores_do_not_depend_on_the_company(words):
    detector = build(words, batch_size=8)
    texts = [parse("the frost bites"), parse("we grasp the idea of the old mayor early")]
    together = detector.score_words(texts)
    alone = [detector.score_words([text])[0] for text in texts]
    for row, other in zip(together, alone, strict=True):
        assert row == pytest.approx(other, abs=1e-5)


def test_a_sentence_over_the_limit_is_read_in_parts_that_hold_every_word(words):
    detector = build(words)
    detector.notes = DetectorNotes("words", max_length=10)
    (row,) = detector.score_words([parse("the frost bites early buds of " * 12)])
    assert len(row) == 72
    assert None not in row


def test_an_expression_is_its_verb_in_its_sentence_or_a_text_of_two_words(words):
    detector = build(words)
    sentence = parse("the frost bites early buds")
    ((_, _, bites, _, _),) = detector.score_words([sentence])
    inside = VerbExpression("bite", "bud", 2, 4, sentence.words)
    ((grasp, _),) = detector.score_words([parse("grasp idea")])
    found = detector.score_expressions([inside, VerbExpression("grasp", "idea")])
    assert found == pytest.approx([bites, grasp], abs=1e-5)


def test_a_model_of_sentences_scores_sentences_and_no_words(sentences):
    detector = build(sentences)
    text = parse("the frost bites early buds .")
    assert detector.score_words([text]) == [(None,) * 6]
    (score,) = detector.score_sentences([text])
    assert detector.score_texts(["the frost bites early buds."]) == pytest.approx([score])
    inside = VerbExpression("bite", "bud", 2, 4, text.words)
    assert detector.score_expressions([inside]) == pytest.approx([score])
    assert detector.score_texts([]) == []


def test_notes_of_the_folder_say_threshold_and_length(copy):
    told = {"level": "words", "threshold": 0.3, "chosen_on": "toys", "max_length": 12}
    (copy / "trope.json").write_text(json.dumps(told))
    assert build(copy).threshold == 0.3
    assert build(copy, threshold=0.7).threshold == 0.7


def test_weights_of_16_bits_are_read_as_32(tmp_path):
    import torch

    folder = hub_folder.write_encoder(tmp_path, head="words", half=True)
    assert next(build(folder)._model.parameters()).dtype == torch.float32


# refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["pytorch_model.bin", "extra.pkl", "training_args.pt", "deep/er/optimizer.pth", "x.CKPT"],
)
def test_a_folder_with_a_pickle_is_refused_by_file(copy, name):
    path = copy / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"anything")
    with pytest.raises(BadModel, match=f"{path.name}: may be a pickle"):
        build(copy)


def test_a_pickle_under_another_name_is_refused_and_never_run(copy):
    class Bomb:
        def __reduce__(self):
            return (Path.touch, (copy / "ran",))

    (copy / "notes.txt").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(BadModel, match=r"notes\.txt: may be a pickle"):
        build(copy)
    assert not (copy / "ran").exists()


def test_an_archive_of_pickles_is_refused_under_any_name(copy):
    import torch

    torch.save({"x": torch.zeros(1)}, copy / "vocabulary.dat")
    with pytest.raises(BadModel, match=r"vocabulary\.dat: may be a pickle"):
        build(copy)


def test_an_archive_that_cannot_be_looked_into_is_refused(copy):
    with zipfile.ZipFile(copy / "vocabulary.dat", "w") as archive:
        archive.writestr("a.txt", "x")
    altered = bytearray((copy / "vocabulary.dat").read_bytes())
    altered[altered.index(b"PK\1\2") + 6] = 0xFF  # the version that is needed to unpack it
    (copy / "vocabulary.dat").write_bytes(altered)
    with pytest.raises(BadModel, match=r"vocabulary\.dat: may be a pickle"):
        build(copy)


def test_only_safe_files_are_fetched_from_the_hub(words, monkeypatch):
    asked = {}

    def download(name, *, revision, allow_patterns):
        asked[name] = revision, allow_patterns
        return str(words)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert build("someone/detector@abc123").notes.level == "words"
    assert asked == {
        "someone/detector": ("abc123", ["*.json", "*.txt", "*.model", "*.safetensors"])
    }


def test_models_that_we_name_come_at_a_fixed_commit(words, monkeypatch):
    asked = {}

    def download(name, *, revision, allow_patterns):
        asked[name] = revision
        return str(words)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    presets = (REPOSITORY / "src/trope/train/hub/presets").glob("*.toml")
    ours = {tomllib.loads(preset.read_text("utf-8"))["model"] for preset in presets}
    for name in {*ours, "roberta-base", "FacebookAI/roberta-base"}:
        model_path(name)
        assert re.fullmatch("[0-9a-f]{40}", asked[name.partition("@")[0]]), name
    model_path("roberta-base@v1.0")
    assert asked["roberta-base"] == "v1.0", "who asks for another gets it"
    model_path("someone/detector")
    assert asked["someone/detector"] == "main"


def test_record_of_a_run_says_which_commit_was_fetched(tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "models--someone--detector" / "snapshots" / commit
    assert exact_name(cached) == f"someone/detector@{commit}"
    assert exact_name(tmp_path / "my-encoder") == "my-encoder"
    assert exact_name(tmp_path / "snapshots" / "mine") == "mine"


def test_a_name_that_the_hub_does_not_give(monkeypatch):
    def fail(name, *, revision, allow_patterns):
        raise OSError("no route to host\nand more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(DownloadFailed, match=r"has no such model \(no route to host\); check"):
        build("someone/detektor")


def test_a_model_that_cannot_be_fetched_is_no_unknown_one(monkeypatch):
    from huggingface_hub.errors import LocalEntryNotFoundError

    def fail(name, *, revision, allow_patterns):
        raise LocalEntryNotFoundError("Name or service not known")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    said = (
        r"could not be fetched from the Hub \(Name or service not known\); connect to the network"
    )
    with pytest.raises(DownloadFailed, match=said):
        build("someone/detector")


def test_an_encoder_without_a_head_is_refused(tmp_path):
    folder = hub_folder.write_encoder(tmp_path)
    with pytest.raises(BadModel, match=r"config\.json: names no head .*BertModel"):
        build(folder)
    (folder / "trope.json").write_text('{"level": "words"}')
    with pytest.raises(BadModel, match=r"model\.safetensors: has no classifier\.bias"):
        build(folder)


def test_weights_of_another_shape_are_named_by_file(copy):
    weights = load_file(copy / "model.safetensors")
    weights["classifier.weight"] = weights["classifier.weight"][:, :8].contiguous()
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        BadModel, match=r"model\.safetensors: classifier\.weight has the shape \(2, 8\), not"
    ):
        build(copy)


def test_lost_weights_are_named(copy):
    weights = load_file(copy / "model.safetensors")
    del weights["bert.encoder.layer.0.output.dense.bias"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadModel, match=r"has no bert\.encoder\.layer\.0\.output\.dense\.bias"):
        build(copy)


def test_damaged_weights_and_settings_are_named(copy):
    good = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(good[:100])
    with pytest.raises(BadModel, match=r"model\.safetensors: is not a valid safetensors file"):
        build(copy)
    (copy / "model.safetensors").unlink()
    with pytest.raises(BadModel, match=r"holds no \*\.safetensors"):
        build(copy)
    (copy / "model.safetensors").write_bytes(good)
    (copy / "trope.json").write_text('{"level": "verses"}')
    with pytest.raises(BadModel, match=r"trope\.json: has the level 'verses'"):
        build(copy)
    (copy / "trope.json").write_text('{"niveau": 1}')
    with pytest.raises(BadModel, match=r"trope\.json: was not written by trope train"):
        build(copy)
    (copy / "trope.json").unlink()
    (copy / "config.json").write_text("{")
    with pytest.raises(BadModel, match=r"config\.json: is not JSON"):
        build(copy)


def test_a_folder_that_is_not_there_is_no_name_of_the_hub(tmp_path):
    with pytest.raises(MissingData, match="nowhere: not found"):
        build(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingData, match=r"config\.json"):
        build(tmp_path / "empty")


# seeds in sentences -----------------------------------------------------------------------------

SEEDS = """# invented
grasp idea metaphor we *grasp* the idea
melt hope metaphor the tax *melts* hopes
grasp rope literal we *grasp* the rope
melt ice literal the fire *melts* the ice
"""


@pytest.fixture
def seeds(tmp_path) -> Path:
    path = tmp_path / "seeds.txt"
    path.write_text(SEEDS, encoding="utf-8")
    return path


def in_sentence(verb: str, noun: str, text: str, at: int) -> VerbExpression:
    return VerbExpression(verb, noun, verb_at=at, words=tuple(text.split()))


def test_a_seed_in_its_sentence_has_its_own_label(words, seeds):
    detector = DETECTORS.load("seed-contexts")(model=words, seeds=seeds)
    scores = detector.score_expressions([seed for seed, _ in detector.seeds])
    assert min(scores[:2]) > max(scores[2:])


def test_the_sentence_around_a_verb_changes_its_score_and_its_neighbours_do_not(words, seeds):
    detector = DETECTORS.load("seed-contexts")(model=words, seeds=seeds)
    some = [
        in_sentence("grasp", "plan", "they grasp the old plan .", 1),
        in_sentence("grasp", "plan", "the mayor of the town , they grasp the plan", 6),
        in_sentence("grasp", "plan", "rain , " * 60 + "they grasp the plan", 121),
        VerbExpression("grasp", "plan"),
    ]
    together = detector.score_expressions(some)
    assert len(set(together)) == len(some)
    assert together == pytest.approx([detector.score_expressions([one])[0] for one in some])
    assert len(detector.without([detector.seeds[0][0]]).seeds) == 3


def test_the_seeds_that_ship_are_those_of_seed_neighbours_each_in_a_sentence(words):
    detector = DETECTORS.load("seed-contexts")(model=words)
    known = DETECTORS.load("seed-neighbours")().seeds
    assert [(seed.pair, label) for seed, label in detector.seeds] == [
        (seed.pair, label) for seed, label in known
    ]


@pytest.mark.parametrize("line", ["grasp idea metaphor we grasp it", "grasp idea", "a b c *a* d"])
def test_a_bad_seed_is_named_with_its_line(words, seeds, line):
    seeds.write_text(SEEDS + line + "\n", encoding="utf-8")
    with pytest.raises(BadRecord, match=r"seeds\.txt.*6.*is no seed"):
        DETECTORS.load("seed-contexts")(model=words, seeds=seeds)
