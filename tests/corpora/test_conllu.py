import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.core.records import ROOT
from trope.corpora.conllu import (
    ConlluSentence,
    ConlluWord,
    SurfaceToken,
    read_conllu,
)

SENTENCE = """\
# newdoc id = d1
# sent_id = d1-1
# text = Don't panic!
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
2.1\tyou\tyou\tPRON\t_\t_\t_\t_\t3:nsubj\t_
3\tpanic\tpanic\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4\t!\t!\tPUNCT\t.\t_\t3\tpunct\t_\tGloss=x|SpaceAfter=No

"""


def read(text, **options):
    return list(read_conllu(io.BytesIO(text.encode()), **options))


def rows(*words):
    """CoNLL-U of words given as (id, head)."""
    return "".join(f"{i}\tw\tw\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in words) + "\n"


def test_a_sentence_keeps_words_surface_and_comments():
    (sentence,) = read(SENTENCE)
    assert (sentence.id, sentence.text, sentence.line) == ("d1-1", "Don't panic!", 1)
    assert [word.form for word in sentence.words] == ["Do", "n't", "panic", "!"]
    assert [word.head for word in sentence.words] == [2, 2, ROOT, 2]
    assert [word.space_after for word in sentence.words] == [True, True, False, False]
    assert sentence.words[0].feats == "Mood=Imp"
    assert sentence.multiword == (SurfaceToken("Don't", 0, 2),)
    assert sentence.empty_nodes == 1
    assert sentence.comments == ("# newdoc id = d1",)


def test_surface_tokens_align_with_the_raw_text():
    (sentence,) = read(SENTENCE)
    assert [(t.form, t.start, t.end) for t in sentence.tokens] == [
        ("Don't", 0, 2),
        ("panic", 2, 3),
        ("!", 3, 4),
    ]
    assert sentence.surface == sentence.text
    assert [sentence.text[a:b] for a, b in sentence.token_spans()] == ["Don't", "panic", "!"]


def test_tokens_of_another_text_are_refused():
    (sentence,) = read(SENTENCE.replace("text = Don't panic!", "text = Do not panic!"))
    with pytest.raises(BadInput, match='token "Don\'t" is not at character 0'):
        sentence.token_spans()


def test_the_tree_alone_is_a_parse():
    parse = read(SENTENCE)[0].to_parse()
    assert parse.words == ("Do", "n't", "panic", "!")
    assert parse.heads == (2, 2, ROOT, 2)
    assert parse.deprels == ("aux", "advmod", "root", "punct")
    assert (parse.upos[2], parse.xpos[2], parse.lemmas[1]) == ("VERB", "VB", "not")


def test_tweets_go_by_their_tweet_id():
    text = SENTENCE.replace("sent_id", "tweet_id")
    assert read(text)[0].id == "d1-1"


def test_packed_files_and_missing_last_blank_line_are_read(tmp_path):
    path = tmp_path / "x.conllu.gz"
    path.write_bytes(gzip.compress((SENTENCE + SENTENCE).rstrip("\n").encode()))
    first, second = read_conllu(path)
    assert (first.words, second.line) == (second.words, 11)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1\tone\ttwo\n", 1, "columns is 3, not 10"),
        (SENTENCE.replace("\t3:nsubj\t_", "\t3:nsubj"), 7, "columns is 9, not 10"),
        (SENTENCE.replace("\tnot\t", "\t\t"), 6, "column 3 is empty"),
        (rows((1, 0), (3, 1)), 2, "word id is '3' where 2 follows"),
        (rows((0, 0)), 1, "word id is '0' where 1 follows"),
        (rows((1, "_")), 1, "head is '_'"),
        (rows((1, "-1")), 1, "head is '-1'"),
        (rows((1, "²")), 1, "head is '²'"),
        (rows((1, 0), (2, 3)), 2, "head is 3, but the sentence has 2 words"),
        (rows((1, 2), (2, 3), (3, 1)), 1, "a cycle"),
        (rows((1, 0), (2, 2)), 2, "word 2 is its own ancestor"),
        (rows((1, 0), ("3-4", 0), (2, 1)), 2, "multiword range is '3-4'"),
        (rows((1, 0), ("2-x", 0), (2, 1)), 2, "multiword range is '2-x'"),
        (rows(("1-3", 0), (1, 0), (2, 1)), 3, "covers words that do not follow"),
        (rows(("1-2", 0), (1, 0), ("2-3", 0), (2, 1), (3, 1)), 3, "overlaps"),
        ("# sent_id = lonely\n\n", 1, "comments without a sentence"),
        (SENTENCE.replace("3\tpanic", "# late\n3\tpanic"), 8, "columns is 1, not 10"),
        ("\n\n", 1, "holds no sentence"),
        (rows(("0.1", 0)), 1, "begins a sentence without words"),
    ],
)
def test_faults_are_refused_at_their_line(text, line, problem):
    with pytest.raises(BadRecord) as caught:
        read(text)
    assert problem in caught.value.problem
    assert caught.value.line == line


def test_several_roots_are_refused_only_on_request():
    text = rows((1, 0), (2, 0))
    assert len(read(text)) == 1
    with pytest.raises(BadRecord, match="input:2: the sentence has 2 roots"):
        read(text, single_root=True)


def test_sentences_before_a_fault_are_yielded():
    sentences = read_conllu(io.BytesIO((SENTENCE + "1\tbroken\n").encode()))
    assert next(sentences).id == "d1-1"
    with pytest.raises(BadRecord):
        next(sentences)


def test_ten_thousand_words_in_a_chain_are_checked_without_recursion():
    text = rows(*((i, i - 1) for i in range(1, 10_001)))
    assert len(read(text)[0].words) == 10_000


def conllu_lines(sentence):
    """The lines of one sentence without their ends."""
    yield from (f"# {key} = {value}" for key, value in
                (("sent_id", sentence.id), ("text", sentence.text)) if value)  # fmt: skip
    yield from sentence.comments
    covering = {token.start: token for token in sentence.multiword}
    for index, word in enumerate(sentence.words):
        if token := covering.get(index):
            yield "\t".join([f"{token.start + 1}-{token.end}", token.form, *"_" * 7, token.misc])
        columns = [str(index + 1), word.form, word.lemma, word.upos, word.xpos, word.feats]
        yield "\t".join([*columns, str(word.head + 1), word.deprel, word.deps, word.misc])


line_text = st.text(
    st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), max_size=12
)
column = line_text.filter(lambda s: s and "\t" not in s)


@st.composite
def sentences(draw):
    size = draw(st.integers(1, 8))
    # every word hangs below one that was placed before it, so that the tree has no cycle
    order = draw(st.permutations(range(size)))
    heads = [ROOT] * size
    for rank, word in enumerate(order):
        if rank:
            heads[word] = draw(st.sampled_from([ROOT, *order[:rank]]))
    words = tuple(
        ConlluWord(*(draw(column) for _ in range(4)), heads[i], *(draw(column) for _ in range(4)))  # type: ignore[call-arg]
        for i in range(size)
    )
    multiword, at = [], 0
    while at < size:
        end = draw(st.integers(at + 1, size))
        if draw(st.booleans()):
            multiword.append(SurfaceToken(draw(column), at, end, draw(column)))
        at = end
    comments = tuple(
        f"# note {draw(line_text)}".replace("=", ":") for _ in range(draw(st.integers(0, 2)))
    )
    return ConlluSentence(draw(line_text), draw(line_text), words, tuple(multiword), comments)


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_what_is_written_is_read_again(written):
    found = read("".join("\n".join(conllu_lines(sentence)) + "\n\n" for sentence in written))
    for one, other in zip(written, found, strict=True):
        assert (one.id, one.text, one.comments) == (other.id, other.text, other.comments)
        assert (one.words, one.multiword) == (other.words, other.multiword)
        assert one.tokens == other.tokens
        covered = [i for token in other.tokens for i in range(token.start, token.end)]
        assert covered == list(range(len(other.words)))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_or_refused_with_its_line(text):
    try:
        read(text)
    except BadRecord as error:
        assert error.line is not None
