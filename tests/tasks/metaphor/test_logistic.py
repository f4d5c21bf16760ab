import pytest

from trope.core.errors import BadInput, BadRecord
from trope.core.records import Parse
from trope.tasks.metaphor.logistic import Logistic, build, read_concreteness
from trope.tasks.metaphor.task import VerbExpression

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)

ABSTRACT = ("idea", "theory", "doctrine", "notion", "belief", "argument")
CONCRETE = ("hammer", "axe", "spade", "knife", "rope", "bucket")
PAIRS = [VerbExpression("grasp", noun) for noun in ABSTRACT + CONCRETE]
LABELS = [True] * len(ABSTRACT) + [False] * len(CONCRETE)


def sentence(verb: str, noun: str) -> Parse:
    return Parse(
        ("We", verb, noun), ("PRON", "VERB", "NOUN"), ("PRP", "VBP", "NN"),
        ("we", verb, noun), (1, -1, 1), ("nsubj", "root", "obj"),
    )  # fmt: skip


def test_classes_carry_over_to_words_that_were_never_seen():
    detector = Logistic()
    detector.fit_expressions(PAIRS, LABELS)
    theory, tool = detector.score_expressions(
        [VerbExpression("grasp", "hypothesis"), VerbExpression("grasp", "chisel")]
    )
    assert tool < 0.5 < theory
    detector.tune(PAIRS, LABELS)
    assert tool < detector.threshold <= theory


def test_words_are_scored_by_their_object():
    detector = Logistic()
    sentences = [sentence("grasp", noun) for noun in ABSTRACT + CONCRETE]
    detector.fit_words(sentences, [(False, label, False) for label in LABELS])
    detector.tune_words(sentences, [(False, label, False) for label in LABELS])
    test = [sentence("grasp", "hypothesis"), sentence("grasp", "chisel")]
    theory, tool = detector.score_words(test)
    assert len(theory) == 3
    assert theory[1] > detector.threshold > tool[1]
    assert detector.score_sentences(test) == [theory[1], max(tool)]


def test_concreteness_is_used_where_it_is_given(tmp_path):
    path = tmp_path / "ratings.txt"
    path.write_text("Word\tBigram\tConc.M\nfrob\t0\t4.9\nblick\t0\t1.2\nwug\t0\t4.8\ndax\t0\t1.1\n")
    detector = build(concreteness=path)
    pairs = [VerbExpression("zorp", noun) for noun in ("frob", "blick")]
    detector.fit_expressions(pairs, [False, True])
    concrete, abstract = detector.score_expressions(
        [VerbExpression("zorp", noun) for noun in ("wug", "dax")]
    )
    assert abstract > concrete


@pytest.mark.parametrize(
    ("content", "line"), [("Word\tRating\n", 1), ("Word\tConc.M\nsun\t4\nmoon\tx\n", 3)]
)
def test_bad_ratings_are_named_by_their_line(tmp_path, content, line):
    path = tmp_path / "ratings.txt"
    path.write_text(content)
    with pytest.raises(BadRecord) as told:
        read_concreteness(path)
    assert told.value.line == line


def test_misuse_is_told():
    with pytest.raises(BadInput, match="was not trained on words"):
        Logistic().score_words([sentence("grasp", "idea")])
    with pytest.raises(BadInput, match="was not trained on expressions"):
        Logistic().score_expressions(PAIRS)
    with pytest.raises(BadInput, match="1 labels"):
        Logistic().fit_expressions(PAIRS, [True])
    with pytest.raises(BadInput, match="all labels are the same"):
        Logistic().fit_expressions(PAIRS[:2], [True, True])
