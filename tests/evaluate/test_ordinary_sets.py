"""`trope evaluate ordinary` on public corpora: counts by hand, and reasons to leave a part out."""

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from trope import Pipeline
from trope.core.errors import BadInput, BadModel, MissingData
from trope.core.records import Analysis, Figure, Name, Parse, SentenceSpan, Sentiment, Token
from trope.evaluate.options import EvaluationOptions
from trope.evaluate.ordinary import SETS, evaluate, why_not
from trope.train.encoder.folds import FoldPredictions, FoldRow, predictions_file

NEW = {"leap": 0.9, "swim": 0.7, "flow": 0.2, "rise": 0.1}
MARKED = {"leap", "drowning", "with"}
CITIES = {"Oslo", "Lima"}


class Knowing:
    """Answers by lists of words: how new, which are metaphors, which are places."""

    tasks = ("syntax", "relations", "metaphor", "metonymy", "sentiment")

    def __init__(self, **labels: Any) -> None:
        known = {"figures": object(), "sentiment": ("score", "valence"), "names": ("O", "B-LOC")}
        self.heads = SimpleNamespace(labels=SimpleNamespace(**(known | labels)))

    def check_tasks(self, tasks: Iterable[str]) -> None:
        assert {*tasks} <= {*self.tasks}

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        return [
            Parse(
                tuple(words), ("NOUN",) * len(words), (), tuple(words), (), (),
                novelty=tuple(NEW.get(word, 0.5) for word in words),
            )
            for words in sentences
        ]  # fmt: skip

    def analyze_many(
        self, texts: Iterable[str], *, kind: str = "plain", tasks: Sequence[str] = ()
    ) -> Iterator[Analysis]:
        for text in texts:
            words = list(re.finditer(r"\w+|[^\w\s]", text))
            tokens = tuple(
                Token(w[0], *w.span(), "ADP" if w[0] == "with" else "VERB", "", w[0], -1, "dep",
                      metaphor=float(w[0] in MARKED))
                for w in words
            )  # fmt: skip
            shown = tuple(
                Figure("metaphor", t.start, t.end, (at,), 0.9)
                for at, t in enumerate(tokens)
                if t.text in MARKED and t.upos == "VERB"
            )
            yield Analysis(
                text, tokens, (SentenceSpan(0, len(text), 0, len(tokens)),), (), figures=shown,
                names=tuple(Name(t.start, t.end, "location") for t in tokens if t.text in CITIES),
                sentiment=Sentiment(2.5 if "good" in text else 0.0, 0, "prose"),
            )  # fmt: skip


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def figures(data: Path, part: str, **options: Any) -> dict[str, Any]:
    pipeline: Any = Knowing()
    chosen = EvaluationOptions(data, parts=(part,), **options)
    return {figure.name: figure for figure in evaluate(chosen, pipeline).figures}


def test_novelty_by_genre_and_beside_the_word_alone(tmp_path: Path) -> None:
    head = "txt_id,sentence_id,sentence_txt\n"
    write(tmp_path / "naacl2018/vuamc_corpus_train.csv", head + "c,1,Prices M_rise and M_leap\n")
    write(
        tmp_path / "naacl2018/vuamc_corpus_test.csv",
        head + "a,1,Prices M_leap and M_flow\nb,1,They M_swim and M_rise\n",
    )
    scores = ["0,0,1,0.8", "0,0,3,-0.6", "1,0,1,0.4", "1,0,3,-0.8", "2,0,1,-0.8", "2,0,3,0.8"]
    write(
        tmp_path / "novelty/vuamc_novelty.csv",
        "\n".join(['"text id","sentence id","token id","score"', *scores, ""]),
    )
    rows = ["txt_id,sen_ix,sentence,label_seq,pos_seq,labeled_sentence,genre"]
    rows += [
        f"{text},1,So,[0],['X'],So,{genre}" for text, genre in (("a", "news"), ("b", "fiction"))
    ]
    write(tmp_path / "vua18/VUA_seq_formatted_test.csv", "\n".join([*rows, ""]))
    found = figures(tmp_path, "novelty")
    assert found["novelty.vua.test.pearson"].value == pytest.approx(1)
    assert found["novelty.vua.test.spearman"].value == pytest.approx(1)
    assert found["novelty.vua.test.auc"].value == 1
    assert found["novelty.vua.test.auc"].n == 4
    assert found["novelty.vua.test.genre.news.pearson"].n == 2
    assert found["novelty.vua.test.genre.fiction.pearson"].value == pytest.approx(1)
    assert 0 < found["novelty.vua.test.word_alone.pearson"].value < 1  # flow, swim are unknown


def tagged(*sentences: str) -> str:
    """Sentences whose metaphors have a star: one token and tag per line."""
    blocks = []
    for number, sentence in enumerate(sentences):
        rows = [
            f"{word.replace('*', '')}\t{'B-METAPHOR' if '*' in word else 'O'}"
            for word in sentence.split()
        ]
        blocks.append("\n".join([f"# id = s{number}", *rows]))
    return "\n\n".join(blocks) + "\n"


def test_noticed_words_are_found_with_the_punctuation_that_sticks_to_them(tmp_path: Path) -> None:
    dev = tagged("Prices *leap, she said.", "We are *drowning with *debt.", "Cats sleep.")
    write(tmp_path / "meta4xnli/dev.tsv.gz", dev)
    write(tmp_path / "meta4xnli/train.tsv.gz", tagged("Sweet *debt."))
    found = figures(tmp_path, "meta4xnli")
    prefix = "metaphor.meta4xnli.dev"
    assert found[f"{prefix}.noticed.precision"].value == 1
    assert found[f"{prefix}.noticed.recall"].value == pytest.approx(2 / 3)
    assert found[f"{prefix}.noticed.f1"].n == 11
    assert found[f"{prefix}.content.f1"].value == pytest.approx(0.8)
    assert found[f"{prefix}.all.f1"].value == pytest.approx(4 / 6)  # "with" is marked too
    assert found[f"{prefix}.word_alone.f1"].value == pytest.approx(0.5)


def test_valence_of_prose_beside_always_zero(tmp_path: Path) -> None:
    rows = [
        "a,dev,4,3,3,fiction,,a good day", "b,dev,3,3,3,fiction,,a day", "c,dev,3.2,3,3,blog,,so",
        "d,train,1,3,3,blog,,not read", "e,dev,5,3,3,blog,,good",
    ]  # fmt: skip
    table = "\n".join(["id,split,V,A,D,genre,subgenre,text", *rows, ""])
    write(tmp_path / "emobank/emobank-train-dev.csv.gz", table)
    found = figures(tmp_path, "emobank")
    assert found["sentiment.emobank.dev.pearson"].n == 4
    assert found["sentiment.emobank.dev.pearson"].value > 0.8
    assert found["sentiment.emobank.dev.mae"].value == pytest.approx((0 + 0 + 0.5 + 2.5) / 4)
    assert found["sentiment.emobank.dev.constant.mae"].value == pytest.approx(8 / 4)
    assert found["sentiment.emobank.dev.genre.fiction.mae"].value == 0


def test_names_need_exact_spans(tmp_path: Path) -> None:
    rows = ["# sent_id = u1", "# text = Oslo, not Lima Airport.", "1\tOslo\tB-LOC\t-\t-",
            "2\t,\tO\t-\t-", "3\tnot\tO\t-\t-", "4\tLima\tB-LOC\t-\t-", "5\tAirport\tI-LOC\t-\t-",
            "6\t.\tO\t-\t-", ""]  # fmt: skip
    write(tmp_path / "names/uner-ewt-test.iob2.gz", "\n".join(rows))
    found = figures(tmp_path, "uner")
    assert found["names.uner.test.loc.f"].value == 0.5
    assert found["names.uner.test.loc.recall"].n == 2
    assert found["names.uner.test.per.f"].value is None


EPIE = """id\tidiom\tlabel\twords\ttags
e1\tspill [pron] beans\t1\tThey spilled the beans .\tO B-IDIOM I-IDIOM I-IDIOM O
e2\tspill [pron] beans\t0\tThey spilled the beans twice .\tO B-IDIOM I-IDIOM I-IDIOM O O
"""
MAGPIE = "id\tidiom\tlabel\tspan\twords\nm1\tbreak the ice\tidiomatic\t1:4\tShe broke the ice .\n"
FOLDS = FoldPredictions(
    "idiom-sentences", "small", 0, [0.4] * 5,
    [
        FoldRow("e1", 0, [0.0, 0.9, 0.9, 0.9, 0.0]),
        FoldRow("e2", 0, [0.0, 0.1, 0.1, 0.1, 0.1, 0.0]),
        FoldRow("m1", 1, [0.9, 0.0, 0.0, 0.0, 0.0]),
    ],
)  # fmt: skip


@pytest.fixture
def idioms(tmp_path: Path) -> Path:
    write(tmp_path / "idiom-sentences/epie-formal.tsv.gz", EPIE)
    write(tmp_path / "idiom-sentences/magpie-typebased-dev.tsv.gz", MAGPIE)
    write(tmp_path / "idiom-sentences/leaks.tsv", "file\tid\tagainst\n")
    return tmp_path


def test_idioms_by_lexicon_and_by_folds(idioms: Path, shipped: Pipeline) -> None:
    predictions_file(idioms, "idiom-sentences").write_bytes(msgspec.json.encode(FOLDS))
    options = EvaluationOptions(idioms, parts=("idioms",), predictions=idioms)
    found = {figure.name: figure for figure in evaluate(options, shipped).figures}
    assert found["idiom.epie.f"].value == found["idiom.epie.literal_kept"].value == 1
    assert found["idiom.epie.lexicon.literal_kept"].value == 0
    assert found["idiom.magpie.lexicon.f"].value == 1
    assert found["idiom.magpie.f"].value == 0  # the network of its fold says no
    assert found["idiom.magpie.head.f"].value == 0
    assert found["idiom.epie.f"].n == 3
    without = evaluate(EvaluationOptions(idioms, parts=("idioms",)), shipped).figures
    assert {figure.name.split(".")[2] for figure in without} == {"lexicon"}


def test_relocar_is_judged_by_networks_that_did_not_learn_it(tmp_path: Path) -> None:
    samples = [
        '<sample number="1">In <loc reading="lit">Oslo</loc> it rains.</sample>',
        '<sample number="2"><loc reading="met">Lima</loc> refused.</sample>',
        '<sample number="3"><loc reading="met">Rome</loc> fell.</sample>',
    ]
    write(tmp_path / "metonymy/ReLocaR_Train.xml", f"<samples>{''.join(samples)}</samples>")
    write(tmp_path / "metonymy/leaks.tsv", "file\tid\tagainst\n")
    rows = [FoldRow("1", 0, [0.8]), FoldRow("2", 1, [0.1]), FoldRow("3", 1, [0.9])]
    told = FoldPredictions("relocar", "small", 0, [0.5] * 5, rows)
    predictions_file(tmp_path, "relocar").write_bytes(msgspec.json.encode(told))
    found = figures(tmp_path, "relocar", predictions=tmp_path)
    assert found["metonymy.relocar.cv_accuracy"].value == pytest.approx(2 / 3)
    assert found["metonymy.relocar.constant.cv_accuracy"].value == pytest.approx(2 / 3)
    with pytest.raises(BadModel, match="by the tier small, not of relocar by base"):
        figures(tmp_path, "relocar", predictions=tmp_path, tier="base")


@pytest.mark.parametrize(
    ("part", "labels", "reason"),
    [
        ("novelty", {"figures": None}, "no head for novelty"),
        ("meta4xnli", {"figures": None}, "no head for noticed metaphors"),
        ("emobank", {"sentiment": ("score",)}, "no head for the valence of prose"),
        ("uner", {"names": ()}, "no head for names"),
        ("relocar", {}, "trope train encoder --folds"),
    ],
)
def test_a_part_without_a_head_is_left_out_with_its_reason(
    tmp_path: Path, part: str, labels: dict[str, Any], reason: str
) -> None:
    pipeline: Any = Knowing(**labels)
    assert reason in why_not(part, pipeline, EvaluationOptions(tmp_path))
    with pytest.raises(BadInput, match=f"part {part} cannot be measured: .*{reason}"):
        evaluate(EvaluationOptions(tmp_path, parts=(part,)), pipeline)


def test_without_research_data_all_public_corpora_are_left_out(
    shipped: Pipeline, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation = evaluate(EvaluationOptions(Path()), shipped)
    assert {figure.name.split(".")[0] for figure in evaluation.figures} == {"ordinary"}
    said = capsys.readouterr().err
    assert all(f"part {part} is skipped: it needs the research data" in said for part in SETS)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="emobank-train-dev"):
        figures(tmp_path, "emobank")
