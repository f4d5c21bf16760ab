"""`trope evaluate syntax` with a pipeline that answers from the gold trees, or wrongly."""

import gzip
import hashlib
import json
from dataclasses import replace

import pytest
from gold_pipeline import (
    FILES,
    HEADLINE,
    TREEBANK,
    TWEET,
    GoldPipeline,
    WrongRelations,
    digest,
    span,
)

from trope.cli.main import run
from trope.core.errors import BadInput, BadRecord, MissingData, UnknownName
from trope.core.records import Parse, Relation, SentenceSpan
from trope.corpora.conllu import read_conllu
from trope.evaluate import syntax, syntax_relations
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.results import read_results
from trope.evaluate.syntax import join_document, split_at_blanks, split_documents


@pytest.fixture
def data(tmp_path, monkeypatch):
    root = tmp_path / "data"
    for file in FILES.values():
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(TREEBANK)
    (root / "headlines").mkdir()
    with gzip.open(root / "headlines/headlines.tsv.gz", "wt") as file:
        file.write(f"id\theadline\tsource\tlabel\turl_or_date\nh7\t{HEADLINE}\tx\ty\tz\n")  # type: ignore[attr-defined]
    (root / "tweets-emotion/semeval2018-ec").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        text = f"ID\tTweet\tanger\n{split}-1\t{TWEET if split == 'dev' else 'no'}\t0\n"
        (root / f"tweets-emotion/semeval2018-ec/2018-E-c-En-{split}.txt").write_text(text)
    directory = tmp_path / "gold"
    directory.mkdir()
    write_gold(directory)
    monkeypatch.setattr(syntax_relations, "GOLD", directory)
    return root


def write_gold(directory, headline=None, tweet=None):
    h = {
        "id": "h7",
        "sha256": digest(HEADLINE),
        "root": span(HEADLINE, "crush"),
        "focus": span(HEADLINE, "crush"),
        "svo": [[span(HEADLINE, word) for word in ("Rates", "crush", "shops")]],
    }
    t = {
        "id": "dev-1",
        "source": "semeval2018-ec",
        "sha256": digest(TWEET),
        "vo": [[span(TWEET, "fix"), span(TWEET, "trains")]],
    }
    (directory / "headlines.jsonl").write_text(json.dumps(h | (headline or {})) + "\n")
    (directory / "tweets.jsonl").write_text(json.dumps(t | (tweet or {})) + "\n")


def figures(data, reader, **options):
    evaluation = syntax.evaluate(EvaluationOptions(data=data, **options), reader)
    return {figure.name: figure for figure in evaluation.figures}


def test_gold_answers_have_perfect_scores_under_the_published_names(data):
    found = figures(data, GoldPipeline(data))
    names = [
        *(f"syntax.{b}.test.{s}" for b in FILES for s in ("upos", "uas", "las", "obj_f")),
        *("syntax.ewt.test.lemma", "syntax.ewt.test.las_full", "syntax.gum.test.las_full"),
        *(f"syntax.ewt.raw.{s}" for s in ("upos", "uas", "las", "words_f", "sentences_f")),
        *("syntax.headlines.svo_f", "syntax.headlines.verb_object_f"),
        *("syntax.headlines.root_accuracy", "syntax.tweets.vo_f"),
    ]
    assert {name: found[name].value for name in names} == dict.fromkeys(names, 1.0)


def test_figures_are_signed(data):
    evaluation = syntax.evaluate(EvaluationOptions(data=data, tier="small"), GoldPipeline(data))
    assert (evaluation.task, evaluation.tier, evaluation.model_sha256) == (
        "syntax",
        "small",
        "feed",
    )
    ewt = next(f for f in evaluation.figures if f.name == "syntax.ewt.test.las")
    checksum = hashlib.sha256(TREEBANK.encode()).hexdigest()
    assert (ewt.data.name, ewt.data.split, ewt.data.sha256) == ("ewt", "test", checksum)
    assert ewt.n == 11


def test_controls_stand_beside_the_scores_and_are_worse(data):
    found = figures(data, GoldPipeline(data))
    endings = ("constant", "right_branching", "form", "blanks", "tags_only")
    controls = [name for name in found if name.endswith(endings)]
    scored = {name.rsplit(".", 1)[0] for name in controls}
    published = ("upos", "uas", "las", "obj_f", "lemma", "svo_f", "vo_f", "words_f", "sentences_f")
    assert scored >= {name for name in found if name.endswith(published)}
    assert found["syntax.ewt.test.upos.constant"].value == pytest.approx(2 / 11)
    # right: the full stop, "barns", both words of "Odd!", "Go"
    assert found["syntax.ewt.test.uas.right_branching"].value == pytest.approx(5 / 11)
    assert found["syntax.ewt.raw.words_f.blanks"].value < 1


def test_wrong_heads_lower_the_tree_scores_and_nothing_else(data):
    class Rootless(GoldPipeline):
        def parse(self, sentences):
            return [replace(p, heads=(-1,) * len(p)) for p in super().parse(sentences)]

    found = figures(data, Rootless(data), parts=("ewt",))
    assert found["syntax.ewt.test.upos"].value == 1
    assert found["syntax.ewt.test.uas"].value == pytest.approx(4 / 11)
    assert found["syntax.ewt.test.obj_f"].value == 0


def test_a_parser_that_loses_a_sentence_is_noticed(data):
    class Forgetful(GoldPipeline):
        def parse(self, sentences):
            return super().parse(sentences)[:-1]

    with pytest.raises(BadInput, match="4 sentences were given but 3 parses"):
        figures(data, Forgetful(data), parts=("gum",))


def test_raw_documents_are_put_together_as_they_were(data):
    sentences = list(read_conllu(data / FILES["ewt"]))
    first, second = (join_document(group) for group in split_documents(sentences))
    assert first[0] == "We don't nap.Storms wreck barns\n\nOdd!"
    assert second[0] == "Go"
    words, spans = first[1].words, first[1].sentences
    assert [first[0][w.start : w.end] for w in words[:4]] == ["We", "don't", "don't", "nap"]
    assert [w.head for w in words] == [3, 3, 3, -1, 3, 6, -1, 6, -1, 8]
    assert spans == ((0, 13), (13, 31), (33, 37))


def test_the_control_splits_at_blanks_and_empty_lines():
    text = "One two\n\nthree"
    placed = split_at_blanks(text)
    assert [text[w.start : w.end] for w in placed.words] == ["One", "two", "three"]
    assert [w.head for w in placed.words] == [-1, 0, -1]
    assert placed.sentences == ((0, 7), (9, 14))
    assert split_at_blanks("  ").words == ()


@pytest.mark.parametrize(
    ("reason", "pairs"),
    [("", 2), ("too-long", 2), ("pronoun-object", 1), ("not-a-noun", 1), ("object-before-verb", 1)],
)
def test_only_noun_objects_count_on_tweets(data, reason, pairs):
    extra = Relation("vo", 1, None, 4, 1, 5, root=True, kept=not reason, reason=reason)
    found = figures(data, WrongRelations(data, extra), parts=("tweets",))
    assert found["syntax.tweets.vo_precision"].value == 1 / pairs
    assert found["syntax.tweets.vo_recall"].value == 1


def test_triplets_are_no_pairs_of_tweets(data):
    triplet = Relation("svo", 1, 0, 4, 1, 5, root=True, kept=False, reason="several-triplets")
    found = figures(data, WrongRelations(data, triplet), parts=("tweets",))
    assert found["syntax.tweets.vo_f"].value == 1


def test_the_root_is_the_one_a_relation_names_else_that_of_the_tree(data):
    class Raising(GoldPipeline):
        """The tree's root is another word than that of the relation."""

        def relate(self, text):
            analysis = super().relate(text)
            tokens = [replace(t, head=-1 if at == 0 else 0) for at, t in enumerate(analysis.tokens)]
            return replace(analysis, tokens=tuple(tokens))

    class Bare(Raising):
        def relate(self, text):
            return replace(super().relate(text), relations=())

    right, wrong = (figures(data, kind(data), parts=("headlines",)) for kind in (Raising, Bare))
    assert right["syntax.headlines.root_accuracy"].value == 1
    assert wrong["syntax.headlines.root_accuracy"].value == 0
    assert wrong["syntax.headlines.svo_f"].value == 0
    assert wrong["syntax.headlines.svo_precision"].value is None


def test_only_the_first_sentence_of_a_headline_has_the_root(data):
    class TwoSentences(GoldPipeline):
        """ "Rates" alone is the first sentence; the relation is in the second."""

        def relate(self, text):
            analysis = super().relate(text)
            tokens = (replace(analysis.tokens[0], head=-1), *analysis.tokens[1:])
            sentences = SentenceSpan(0, 5, 0, 1), SentenceSpan(6, len(text), 1, len(tokens))
            return replace(analysis, tokens=tokens, sentences=sentences)

    found = figures(data, TwoSentences(data), parts=("headlines",))
    assert found["syntax.headlines.root_accuracy"].value == 0


def test_rejected_triplets_count_on_headlines(data):
    extra = Relation("svo", 1, 2, 3, 1, 4, root=True, kept=False, reason="too-many")
    found = figures(data, WrongRelations(data, extra), parts=("headlines",))
    assert found["syntax.headlines.svo_f"].value == pytest.approx(2 / 3)
    assert found["syntax.headlines.verb_object_f"].value == 1


def test_a_text_that_is_not_the_annotated_one_is_refused(data, tmp_path):
    write_gold(tmp_path / "gold", headline={"sha256": "0" * 16})
    with pytest.raises(BadRecord, match=r"headlines\.jsonl:1: the text of 'h7' has the checksum"):
        figures(data, GoldPipeline(data))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "dev-9"}, "no text has the id 'dev-9'"),
        ({"source": "elsewhere"}, "source 'elsewhere' is unknown"),
        ({"vo": [[[0, 3], [20, 99]]]}, r"span \[20, 99\] does not lie in a text of 24"),
        ({"vo": [[[3, 3], [4, 5]]]}, r"span \[3, 3\]"),
        ({"vo": "none"}, "correct the row"),
    ],
)
def test_a_bad_row_is_named_with_its_line(data, tmp_path, changes, problem):
    write_gold(tmp_path / "gold", tweet=changes)
    with pytest.raises(BadRecord, match=rf"tweets\.jsonl:1: .*{problem}"):
        syntax_relations.read_tweets(tmp_path / "gold/tweets.jsonl", data)


def test_an_id_is_annotated_once(data, tmp_path):
    path = tmp_path / "gold/headlines.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(BadRecord, match=r"headlines\.jsonl:2: id 'h7' is there twice"):
        syntax_relations.read_headlines(path, data)


def test_missing_data_make_undefined_figures_unless_they_were_asked_for(data):
    (data / FILES["gum"]).unlink()
    found = figures(data, GoldPipeline(data))
    assert found["syntax.gum.test.las"].value is None
    assert found["syntax.gum.test.las"].note == f"not run: {FILES['gum']} not found"
    with pytest.raises(MissingData):
        figures(data, GoldPipeline(data), parts=("gum",))


def test_no_data_at_all_are_an_error(data, tmp_path, monkeypatch):
    reader = GoldPipeline(data)
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingData):
        figures(tmp_path / "empty", reader)


def test_an_unknown_part_is_refused(data):
    with pytest.raises(UnknownName, match="Did you mean 'tweebank'"):
        figures(data, GoldPipeline(data), parts=("tweebnk",))


@pytest.fixture
def command(data, monkeypatch, capsys):
    monkeypatch.setattr("trope.pipeline.Pipeline", lambda **_: GoldPipeline(data))

    def call(*arguments):
        with pytest.raises(SystemExit) as leave:
            run(["evaluate", "syntax", "--from", str(data), *arguments])
        return leave.value.code, capsys.readouterr().out

    return call


def test_the_command_prints_one_json_document(command):
    status, output = command("--json", "--part", "ewt, tweets")
    names = {figure["name"].split(".")[1] for figure in json.loads(output)["figures"]}
    assert (status, names) == (0, {"ewt", "tweets"})


def test_the_table_fits_eighty_columns(command):
    lines = command()[1].splitlines()
    assert max(map(len, lines)) <= 80
    assert any("ewt.test.las " in line and "1.0000" in line for line in lines)


def test_missed_bounds_end_with_status_one(command, data, tmp_path):
    bounds = tmp_path / "limits.toml"
    bounds.write_text('[at_least]\n"syntax.ewt.test.las" = 0.9\n')
    assert command("--part", "ewt", "--bounds", str(bounds))[0] == 0
    bounds.write_text('[at_most]\n"syntax.ewt.test.las" = 0.9\n')
    status, output = command("--part", "ewt", "--bounds", str(bounds))
    assert (status, "missed" in output) == (1, True)


def test_only_the_released_model_says_how_it_was_chosen(data, tmp_path):
    def chosen_on(**options):
        options = EvaluationOptions(data=data, parts=("ewt",), quiet=True, **options)
        return {figure.chosen_on for figure in syntax.evaluate(options, GoldPipeline(data)).figures}

    (said,) = chosen_on()
    assert "no other seed was trained" in said
    assert chosen_on(tier="base") == {said}
    assert chosen_on(model=tmp_path) == {""}


def test_write_records_the_figures(command, tmp_path):
    file = tmp_path / "figures.json"
    assert command("--json", "--part", "ewt", "--write", str(file))[0] == 0
    recorded = {figure.name: figure for figure in read_results(file).figures}
    las = recorded["syntax.ewt.test.las"]
    assert (las.value, las.n, las.tier, las.model_sha256) == (1.0, 11, "small", "feed")
    assert command("--json", "--part", "ewt", "--write", str(tmp_path / "page.md"))[0] == 2


@pytest.mark.shared
def test_the_treebanks_are_read_whole_and_rebuilt(shared):
    class FromGold(GoldPipeline):
        def __init__(self, path):
            sentences = list(read_conllu(path))
            self.answers = [s.to_parse() for s in sentences]

        def parse(self, sentences):
            assert [tuple(words) for words in sentences] == [p.words for p in self.answers]
            return self.answers

    sizes = {"ewt": 25094, "tweebank": 19095, "gum": 28397}
    for part, words in sizes.items():
        reader = FromGold(shared / "data" / FILES[part])
        found = figures(shared / "data", reader, parts=(part,))
        assert (found[f"syntax.{part}.test.las"].value, found[f"syntax.{part}.test.las"].n) == (
            1,
            words,
        )


@pytest.mark.shared
def test_raw_documents_score_perfectly_against_themselves(shared):
    data = shared / "data"
    found = figures(data, GoldPipeline(data), parts=("raw",))
    assert found["syntax.ewt.raw.words_f"].value == 1
    assert found["syntax.ewt.raw.words_f"].n == 25094
    assert found["syntax.ewt.raw.sentences_f"].value == 1


def test_a_parse_of_the_gold_pipeline_is_a_parse(data):
    assert isinstance(GoldPipeline(data).parse([["Go"]])[0], Parse)
