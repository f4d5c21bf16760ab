"""BNC words with tags, stand-off names, hand-made roles."""

import io

import pytest

from trope.core.errors import BadRecord
from trope.corpora.records import NameSample
from trope.corpora.semeval2007_layers import read_roles, read_standoff, read_tagged, roles_of

WORD = '<bnc:w id="{id}" bnc:type="{tag}"> {text} </bnc:w>'


def word(text, tag="NN1", number=1, sample="samp1"):
    return WORD.format(id=f"{sample}-bncX-s1-w{number}", tag=tag, text=text)


TAGGED = f"""<sampletexts>
<sample id="samp1">
<bncsource> <bnc:title> Book </bnc:title> </bncsource>
<par>
<bnc:s id="s1"> {word("It")} <bnc:c bnc:type="PUN"> . </bnc:c> </bnc:s>
<bnc:s id="s2"> {word("In")} <annot><location reading="unknown"> {word("New", "NP0", 2)}
{word("Peru", "NP0", 3)} </location></annot> {word("&pound;5", "NN0", 4)} </bnc:s>
</par>
</sample>
<sample id="samp2">
<par>
<bnc:s id="s1"> {word("Nothing")} </bnc:s>
</par>
</sample>
</sampletexts>
"""


def stream(text):
    return io.BytesIO(text.encode())


def test_words_and_tags_of_a_sample():
    errors = []
    [one] = read_tagged(stream(TAGGED), refused=errors.append)
    assert [[w.text for w in sentence] for sentence in one.sentences] == [
        ["It", "."],
        ["In", "New", "Peru", "£5"],
    ]
    assert [(w.text, w.tag) for w in one.name] == [("New", "NP0"), ("Peru", "NP0")]
    assert [str(error) for error in errors] == [
        "input:10: sample 'samp2': marks 0 names instead of one"
    ]


def test_standoff_names_without_a_root_element():
    one = (
        f'<annot>\n<location reading="unknown">\n{word("Peru", "NP0", 3)}\n</location>\n</annot>\n'
    )
    names = list(read_standoff(stream(f"{one}\n{one.replace('samp1', 'samp2')}")))
    assert [(name.sample, name.words[0].text, name.line) for name in names] == [
        ("samp1", "Peru", 1),
        ("samp2", "Peru", 7),
    ]
    errors = []
    empty = "<annot>\n<location>\n</location>\n</annot>\n"
    found = list(read_standoff(stream(f"{empty}{one}<annot>"), refused=errors.append))
    assert len(found) == 1
    assert ["no words" in str(errors[0]), "without an end" in str(errors[1])] == [True, True]


def test_roles_are_read_and_broken_lines_refused():
    errors = []
    text = (
        "samp1|deny|Peru|subj|unknown\nsamp2|NONE|Iran|nohead|unknown\nsamp3|x|Iran|boss|u\nodd\n"
    )
    rows = list(read_roles(stream(text), refused=errors.append))
    assert [(row.sample, row.lemma, row.role) for row in rows] == [
        ("samp1", "deny", "subj"),
        ("samp2", "", "nohead"),
    ]
    assert "input:3: sample 'samp3': unknown role 'boss'" in str(errors[0])
    assert "input:4: is not a line id|lemma|name|role|reading" in str(errors[1])


def test_roles_must_fit_their_samples():
    samples = [NameSample("samp1", "PERU", "location", ("PERU",), 0, 0, 4)]
    rows = list(read_roles(stream("samp1|a|Peru|gen|u\nsamp1|b|Peru|subj|u\n")))
    assert roles_of(samples, rows) == {"samp1": (("gen", "a"), ("subj", "b"))}
    with pytest.raises(BadRecord, match="'Chile' does not occur in its text"):
        roles_of(samples, read_roles(stream("samp1|a|Chile|gen|u\n")))
    with pytest.raises(BadRecord, match="'samp9' is not among the samples"):
        roles_of(samples, read_roles(stream("samp9|a|Peru|gen|u\n")))
    with pytest.raises(BadRecord, match="no role for sample 'samp1'"):
        roles_of(samples, [])


@pytest.mark.shared
@pytest.mark.parametrize(("name", "samples"), [("countries", 908), ("companies", 842)])
def test_layers_of_the_task_agree_with_each_other(shared, name, samples):
    folder = shared / "data" / "semeval2007"
    tagged = list(read_tagged(folder / "BNCtagged" / f"{name}.test.BNCtagged.gz"))
    path = folder / "BNCtagged-standoff" / f"{name}.test.BNCtagged.annotation"
    standoff = list(read_standoff(path))
    assert len(tagged) == len(standoff) == samples
    assert [one.name for one in tagged] == [
        tuple(type(w)(w.text, w.tag, w.id) for w in one.words) for one in standoff
    ]
