"""The readers of metaphor sets, on small files in every format, sound and unsound."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.corpora.newsmet import read_newsmet, read_newsmet_test
from trope.corpora.verb_corpora import (
    read_adjective_nouns,
    read_lcc,
    read_moh,
    read_moh_formatted,
    read_moh_x,
    read_svo,
    read_svo_sentences,
    read_trofi,
    read_trofi_formatted,
)
from trope.corpora.vua import (
    read_vua_key,
    read_vua_verbs,
    read_vua_words,
    read_vuamc,
    repair_word,
    sentence_words,
)

VUA_HEADER = "txt_id,sen_ix,sentence,label_seq,pos_seq,labeled_sentence,genre\n"
TAGS = "\"['NOUN', 'VERB', 'NOUN']\""
VUA_ROW = f't1,4,Rain ate roads,"[0, 1, 0]",{TAGS},Rain M_ate roads,news\n'
VERB_HEADER = "text_idx,sentence_idx,verb,sentence,verb_idx,label\n"
MOH_HEADER = (
    "Number of terms: 1\nNumber of instances: 1\nterm\tsense\tsentence\tclass\tconfidence\n"
)
TABLE_HEADER = "verb,sentence,verb_idx,label\n"
NEWSMET_HEADER = "Text,label,sample_type\n"


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name: str = "set.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def newsmet(verbs="bites chews eats finds gets hears", label=0, accepted=2) -> str:
    rows = [f"Frost nips early buds,{label},gold"]
    for number, verb in enumerate(verbs.split()):
        given = 1 - label if number < accepted else label
        rows.append(f"Frost {verb} early buds,{given},gold_plus")
    return NEWSMET_HEADER + "\n".join([*rows, "Town sleeps on,1,gold"]) + "\n"


# what is read ---------------------------------------------------------------------------------


def test_vua_words_have_labels_tags_and_no_marks(write):
    (sentence,) = read_vua_words(write(VUA_HEADER + VUA_ROW))
    assert sentence.id == "t1_4"
    assert sentence.words == ("Rain", "ate", "roads")
    assert sentence.labels == (False, True, False)
    assert sentence.upos == ("NOUN", "VERB", "NOUN")
    assert (sentence.genre, sentence.line) == ("news", 2)


def test_vua_mark_inside_a_word_goes_and_a_real_one_stays(write):
    row = "t,1,M_x weM_ll,\"[0, 0]\",\"['X', 'X']\",M_x weM_ll,news\n"
    spelt = row.replace('weM_ll,"[', 'well,"[')
    (sentence,) = read_vua_words(write(VUA_HEADER + spelt))
    assert sentence.words == ("M_x", "well")


def test_vua_file_that_is_no_utf8_is_repaired_word_by_word(write):
    damaged = "£5".encode().decode("cp1252").encode("mac_roman")
    row = VUA_ROW.encode().replace(b"M_ate", b"M_" + damaged)
    (sentence,) = read_vua_words(write(VUA_HEADER.encode() + row))
    assert sentence.words == ("Rain", "£5", "roads")


@given(st.text("abc£–éèêâñ×", min_size=1, max_size=8))
def test_repair_undoes_the_damage(word):
    damaged = word.encode().decode("cp1252").encode("mac_roman").decode("latin-1")
    assert repair_word(damaged) == word


def test_vua_verbs_take_their_words_from_the_sequences(write):
    words = sentence_words(read_vua_words(write(VUA_HEADER + VUA_ROW)))
    path = write(VERB_HEADER + "t1,4,eat,R?in ate roads,1,1\n", "verbs.csv")
    (verb,) = read_vua_verbs(path, words=words)
    assert (verb.id, verb.words[0], verb.verb, verb.metaphor) == ("t1_4_1", "Rain", "eat", True)
    (verb,) = read_vua_verbs(path)
    assert verb.words[0] == "R?in"


@pytest.mark.parametrize("header", ["id,label\n", ""])
def test_key_counts_tokens_from_nought(write, header):
    tokens = list(read_vua_key(write(header + "a-f02_45_1,0\na-f02_67a_12,1")))
    assert [(t.sentence, t.position, t.metaphor) for t in tokens] == [
        ("a-f02_45", 0, False),
        ("a-f02_67a", 11, True),
    ]


def test_list_of_ids_has_no_verdicts(write):
    (token,) = read_vua_key(write("a_1_1\n"))
    assert token.metaphor is None


def test_vuamc_takes_marks_off_and_repairs_bytes(write):
    header = b"txt_id,sentence_id,sentence_txt\n"
    path = write(header + b't,1,"Rates M_bite \xe4\xf3\xee \x8c\xa35"\nt,2,\n')
    first, second = read_vuamc(path)
    assert first.words == ("Rates", "bite", "—", "£5")
    assert first.labels == (False, True, False, False)
    assert second.words == ()


def test_moh_marks_become_a_span(write):
    row = "melt\tmelt#v#2\tHis <b>anger melted</b> away.\tmetaphorical\t0.9\n"
    (sense,) = read_moh(write(MOH_HEADER + row, "set.txt"))
    assert sense.text == "His anger melted away."
    assert sense.text[sense.start : sense.end] == "anger melted"
    assert (sense.metaphor, sense.confidence, sense.line) == (True, 0.9, 4)


@pytest.mark.parametrize("read", [read_moh_formatted, read_trofi_formatted])
def test_verb_table(write, read):
    (verb,) = read(write(TABLE_HEADER + 'melt,"Ice , too , melts .",4,0\n'))
    assert (verb.words[verb.target], verb.verb, verb.metaphor) == ("melts", "melt", False)


def test_moh_x_has_arguments_of_which_one_may_be_empty(write):
    path = write("arg1,arg2,verb,sentence,verb_idx,label\nhope,,melt,Hopes melted .,1,1\n")
    (verb,) = read_moh_x(path)
    assert (verb.subject, verb.object, verb.target) == ("hope", "", 1)


TROFI = """***melt***
*nonliteral cluster*
wsj02:2251\tU\tTheir hopes melted away ./.
wsj02:2252\tN\tFears were melting ./.
*literal cluster*
wsj02:2251\tL\tThe ice , he said , melts ?/.
********************

***grasp***
*nonliteral cluster*
wsj01:7\tL\tShe had a firm hold ./.
"""


def test_trofi_base_keeps_both_verdicts_and_finds_the_verb(write):
    sentences = list(read_trofi(write(TROFI, "base.txt")))
    assert [s.metaphor for s in sentences] == [None, True, False, False]
    assert [s.cluster for s in sentences] == ["nonliteral", "nonliteral", "literal", "nonliteral"]
    assert [s.label for s in sentences] == [True, True, False, False]
    assert [s.target for s in sentences] == [2, 2, 6, None]
    assert sentences[0].words == ("Their", "hopes", "melted", "away", ".")
    assert sentences[2].words[-1] == "?"
    assert (sentences[3].verb, sentences[3].line) == ("grasp", 11)


def test_trofi_without_what_nobody_judged(write):
    path = write(TROFI, "base.txt")
    assert all(s.metaphor is not None for s in read_trofi(path, annotated_only=True))


def test_trofi_passes_over_headings_blank_lines_and_windows_line_ends(write):
    heading = "Example base, second edition\n\n  \nCollected by hand\n"
    path = write((heading + TROFI.replace("cluster*\n", "cluster*  \n\n")).replace("\n", "\r\n"))
    plain = list(read_trofi(write(TROFI, "plain.txt")))
    found = list(read_trofi(path))
    assert [s.words for s in found] == [s.words for s in plain]
    assert found[0].line > plain[0].line


def test_trofi_cluster_may_be_empty_and_a_sentence_may_end_without_a_tag(write):
    base = "***melt***\n*nonliteral cluster*\n*literal cluster*\nw:1\tU\tIce melts and/or drips\n"
    (sentence,) = read_trofi(write(base))
    assert sentence.words == ("Ice", "melts", "and/or", "drips")
    assert (sentence.label, sentence.metaphor) == (False, None)


def test_trofi_lists_a_sentence_once_for_every_time_that_it_has_the_verb(write):
    row = "wsj1:1\tN\tHopes melted as the snow melted ./.\n"
    base = "***melt***\n*nonliteral cluster*\n"
    assert [s.target for s in read_trofi(write(base + row * 2))] == [1, 5]
    with pytest.raises(BadRecord, match=r"set\.csv:5: id 'wsj1:1' is also in line 3"):
        list(read_trofi(write(base + row * 3)))


def test_trofi_of_another_age_is_read_as_windows_text(write):
    base = "***melt***\n*literal cluster*\nw:1\tL\tIce melts in the café ./.\n"
    (sentence,) = read_trofi(write(base.encode("cp1252")))
    assert "café" in sentence.words


@given(st.lists(st.text("abc'", min_size=1, max_size=5), min_size=1, max_size=8))
def test_trofi_words_come_back_whatever_they_are(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("trofi") / "base.txt"
    path.write_text(f"***run***\n*literal cluster*\nw:1\tL\t{' '.join(words)} ./.\n")
    (sentence,) = read_trofi(path)
    assert sentence.words == (*words, ".")


@pytest.mark.parametrize("missing", ["", " "])
def test_moh_x_with_commas_quotes_and_a_blank_argument(write, missing):
    header = "arg1,arg2,verb,sentence,verb_idx,label\r\n"
    row = f'{missing},"hope, faith",melt,"He said , "" hopes melt "" .",5,1\r\n'
    (verb,) = read_moh_x(write(header + row))
    assert (verb.subject, verb.object) == ("", "hope, faith")
    assert verb.words[verb.target] == "melt"


def test_tsv_lists(write):
    (pair,) = read_adjective_nouns(write("bitter quarrel\n"), metaphor=True)
    assert (pair.words, pair.metaphor) == (("bitter", "quarrel"), True)
    (triplet,) = read_svo(write("*person run *none\n"), metaphor=False)
    assert triplet.words == ("*person", "run", "")
    path = write("arg1,arg2,verb,sentence,verb_stem,label\nbus,,arrive,The bus arrived.,arriv,0\n")
    (told,) = read_svo_sentences(path)
    assert (told.words, told.sentence) == (("bus", "arrive", ""), "The bus arrived.")


def test_lcc_span_is_over_blank_separated_words(write):
    (span,) = read_lcc(write('text,span1,label\nTaxes choke trade,"[1, 2]",Metaphor\n'))
    assert (span.words[span.start : span.end], span.metaphor) == (("choke",), True)


def test_newsmet_joins_candidates_with_their_headline(write):
    headlines = list(read_newsmet(write(newsmet())))
    assert [h.accepted for h in headlines] == [None, True, True, *[False] * 4, None]
    assert [h.group for h in headlines] == ["1"] * 7 + ["8"]
    assert [h.target for h in headlines] == [1] * 7 + [None]
    assert [h.gold for h in headlines] == [True, *[False] * 6, True]


def test_newsmet_without_rejected_candidates(write):
    headlines = list(read_newsmet(write(newsmet()), reading="accepted_only"))
    assert [h.metaphor for h in headlines] == [False, True, True, True]


@pytest.mark.parametrize("column", ["id", "Unnamed: 0"])
def test_newsmet_test_sets(write, column):
    (text,) = read_newsmet_test(write(f"{column},Text,label\n77,Town sleeps,1\n"))
    assert (text.id, text.metaphor, text.gold) == ("77", True, True)


# what is refused ------------------------------------------------------------------------------

ADJECTIVES = {"metaphor": True}
BAD = {
    "words and labels": (
        read_vua_words, VUA_HEADER + VUA_ROW.replace("[0, 1, 0]", "[0, 1]"), 2, "3 words", {}),
    "words and tags": (
        read_vua_words, VUA_HEADER + VUA_ROW.replace("'VERB', ", ""), 2, "2 tags", {}),
    "labelled words": (
        read_vua_words, VUA_HEADER + VUA_ROW.replace("M_ate ", ""), 2, "labelled: 2", {}),
    "no list": (read_vua_words, VUA_HEADER + VUA_ROW.replace("[0, 1, 0]", "0"), 2, "list", {}),
    "list label": (
        read_vua_words, VUA_HEADER + VUA_ROW.replace("[0, 1, 0]", "[0, 2, 0]"), 2, "label 2", {}),
    "doubled sentence": (read_vua_words, VUA_HEADER + VUA_ROW * 2, 3, "line 2", {}),
    "no genre": (read_vua_words, VUA_HEADER + VUA_ROW.replace(",news", ","), 2, "'genre'", {}),
    "verb outside": (
        read_vua_verbs, VERB_HEADER + "t1,4,eat,Rain ate,2,1\n", 2, "not a position", {}),
    "verb label": (
        read_vua_verbs, VERB_HEADER + "t1,4,eat,Rain ate,1,yes\n", 2, "label 'yes'", {}),
    "unknown sentence": (
        read_vua_verbs, VERB_HEADER + "t1,4,eat,Rain ate,1,1\n", 2, "'t1_4'", {"words": {}}),
    "other length": (
        read_vua_verbs, VERB_HEADER + "t1,4,eat,Rain ate,1,1\n", 2, "2 words, but 1",
        {"words": {"t1_4": ("Rain",)}}),
    "key id": (read_vua_key, "id,label\na_1_0,1\n", 2, "not an id", {}),
    "key label": (read_vua_key, "a_1_1,M\n", 1, "label 'M'", {}),
    "key twice": (read_vua_key, "a_1_1,1\na_1_2,0\na_1_1,1\n", 3, "line 1", {}),
    "key fields": (read_vua_key, "a_1_1,1,7\n", 1, "3 fields", {}),
    "corpus id twice": (
        read_vuamc, "txt_id,sentence_id,sentence_txt\nt,1,Hot\nt,1,Cold\n", 3, "'t_1'", {}),
    "corpus byte": (
        read_vuamc, b"txt_id,sentence_id,sentence_txt\nt,1,Hot\nt,2,\xff\n", 3, "0xff", {}),
    "moh class": (read_moh, MOH_HEADER + "a\ta#1\t<b>A</b>\tmaybe\t1\n", 4, "'maybe'", {}),
    "moh mark": (read_moh, MOH_HEADER + "a\ta#1\tA\tliteral\t1\n", 4, "<b>", {}),
    "moh share": (read_moh, MOH_HEADER + "a\ta#1\t<b>A</b>\tliteral\t70\n", 4, "'70'", {}),
    "empty verb": (read_moh_formatted, TABLE_HEADER + ",Ice melts,1,0\n", 2, "'verb' is empty", {}),
    "empty sentence": (read_trofi_formatted, TABLE_HEADER + "melt, ,1,0\n", 2, "'sentence'", {}),
    "negative position": (
        read_trofi_formatted, TABLE_HEADER + "melt,Ice melts,-1,0\n", 2, "'-1'", {}),
    "no argument column": (read_moh_x, TABLE_HEADER + "melt,Ice melts,1,0\n", 2, "'arg1'", {}),
    "moh-x verb outside": (
        read_moh_x, "arg1,arg2,verb,sentence,verb_idx,label\na,b,melt,Ice melts,2,0\n", 2,
        "not a position in a sentence of 2", {}),
    "moh-x label": (
        read_moh_x, "arg1,arg2,verb,sentence,verb_idx,label\na,b,melt,Ice melts,1,M\n", 2,
        "unknown label 'M'", {}),
    "moh-x empty sentence": (
        read_moh_x, "arg1,arg2,verb,sentence,verb_idx,label\na,b,melt,,1,0\n", 2,
        "'sentence' is empty", {}),
    "trofi row before a verb": (read_trofi, "Head\nw:1\tN\tIce melts\n", 2, "not in a cluster", {}),
    "trofi mark": (read_trofi, TROFI.replace("\tN\t", "\tM\t"), 4, "mark 'M'", {}),
    "trofi cluster": (read_trofi, "***melt***\nw:1\tN\tIce melts\n", 2, "not in a cluster", {}),
    "trofi verb": (read_trofi, "*literal cluster*\nw:1\tN\tIce melts\n", 2, "not in a cluster", {}),
    "trofi tabs": (read_trofi, TROFI.replace("\tN\t", " N "), 4, "1 fields", {}),
    "trofi twice": (read_trofi, TROFI + TROFI.splitlines()[-1], 12, "line 11", {}),
    "trofi empty": (read_trofi, TROFI.replace("She had a firm hold ./.", " "), 11, "fields", {}),
    "pair size": (read_adjective_nouns, "bitter old quarrel\n", 1, "3 words", ADJECTIVES),
    "pair twice": (read_adjective_nouns, "a b\nc d\na b\n", 3, "line 1", ADJECTIVES),
    "triplet size": (read_svo, "bus arrive\n", 1, "2 words", ADJECTIVES),
    "span outside": (
        read_lcc, 'text,span1,label\nTaxes choke,"[1, 3]",Metaphor\n', 2, "outside", {}),
    "span backwards": (
        read_lcc, 'text,span1,label\nTaxes choke,"[1, 1]",Metaphor\n', 2, "outside", {}),
    "span label": (read_lcc, 'text,span1,label\nTaxes,"[0, 1]",metaphor\n', 2, "'metaphor'", {}),
    "newsmet type": (read_newsmet, NEWSMET_HEADER + "Town sleeps,1,silver\n", 2, "'silver'", {}),
    "newsmet text twice": (
        read_newsmet, NEWSMET_HEADER + "Town sleeps,1,gold\n" * 2, 3, "line 2", {}),
    "candidate of none": (read_newsmet, newsmet("a b c d e f-g").replace(
        "Frost f-g early", "Frost f g early"), 8, "not a headline", {}),
    "candidate without gold": (
        read_newsmet, NEWSMET_HEADER + "Town sleeps,1,gold_plus\n", 2, "not a headline", {}),
    "newsmet id twice": (read_newsmet_test, "id,Text,label\n1,Hot,1\n1,Cold,0\n", 3, "'1'", {}),
}  # fmt: skip


@pytest.mark.parametrize(("read", "content", "line", "words", "options"), BAD.values(), ids=BAD)
def test_fault_is_named_by_file_and_line(write, read, content, line, words, options):
    path = write(content, "bad.csv" if read is not read_moh else "bad.txt")
    with pytest.raises(BadRecord, match=words) as told:
        list(read(path, **options))
    assert (told.value.path, told.value.line) == (str(path), line)


# the research data ----------------------------------------------------------------------------


@pytest.mark.shared
def test_vua_repair_changes_the_known_number_of_words(shared):
    folder = shared / "data" / "vua18"
    found = {}
    for split in ("train", "val", "test"):
        path = folder / f"VUA_seq_formatted_{split}.csv"
        sentences = list(read_vua_words(path))
        found[split] = sum(len(s.words) for s in sentences)
        strange = {c for s in sentences for w in s.words for c in w if not c.isascii()}
        assert split == "test" or strange <= set("£–éèêâñü×")
    assert found == {"train": 116622, "val": 38628, "test": 50175}


@pytest.mark.shared
def test_every_token_of_the_key_is_in_the_corpus_with_its_label(shared):
    folder = shared / "data" / "naacl2018"
    corpus = {s.id: s for s in read_vuamc(folder / "vuamc_corpus_test.csv")}
    key = list(read_vua_key(folder / "all_pos_tokens_test_gold_labels.csv"))
    assert len(key) == 22196
    assert all(corpus[t.sentence].labels[t.position] == t.metaphor for t in key)


@pytest.mark.shared
def test_vua_verbs_fit_the_sequences(shared):
    folder = shared / "data" / "vua18"
    words = {}
    for split in ("train", "val", "test"):
        words |= sentence_words(read_vua_words(folder / f"VUA_seq_formatted_{split}.csv"))
    verbs = list(read_vua_verbs(folder / "VUA_formatted_train.csv", words=words))
    assert (len(verbs), sum(v.metaphor for v in verbs)) == (15516, 4329)


@pytest.mark.shared
def test_newsmet_read_both_ways(shared):
    counts = {"all_six": 0, "accepted_only": 0}
    for split in ("train", "val", "test"):
        for reading in counts:
            path = shared / "data" / "newsmet" / f"{split}_goldplus.csv"
            counts[reading] += len(list(read_newsmet(path, reading=reading)))
    assert counts == {"all_six": 5471, "accepted_only": 2669}
