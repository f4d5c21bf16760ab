"""Samples of SemEval-2007: read in spite of their faults, refused by id and line, written back."""

import io
import json
import xml.dom.minidom
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.corpora.records import NameSample
from trope.corpora.semeval2007 import (
    read_company_labels,
    read_samples,
    with_company_labels,
    write_samples,
)

HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE sampletexts SYSTEM "Other.dtd">\n'


def sample(body, number=1, title="A book"):
    return (
        f'<sample id="samp{number}">\n<bnc:title> {title} </bnc:title>\n<par>\n{body}\n</par>\n'
        "</sample>\n\n"
    )


def named(attributes='reading="literal"', name="Peru", tag="location"):
    return f"<annot><{tag} {attributes}> {name} </{tag}></annot>"


def document(*samples, head=HEAD):
    return io.BytesIO(f"{head}<sampletexts>\n{''.join(samples)}</sampletexts>\n".encode())


def refused(*samples, head=HEAD):
    """What is read, and what is refused, of a document."""
    errors = []
    read = list(read_samples(document(*samples, head=head), refused=errors.append))
    return [one.id for one in read], [str(error) for error in errors]


def test_a_sample_is_read_with_exact_offsets():
    body = f"It was cold.\n &bquo; Rain fell on {named()}'s coast &equo; &mdash; again.\nThen sun."
    [one] = read_samples(document(sample(body)))
    assert one.sentences == ("It was cold.", "“ Rain fell on Peru's coast ” — again.", "Then sun.")
    assert (one.target, one.name, one.reading, one.known_at) == (1, "Peru", "literal", "fine")
    assert one.sentence[one.start : one.end] == "Peru"
    assert one.title == "A book"
    assert one.line == 4


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_samples_at_the_edge_of_a_text_have_fewer_sentences(lines):
    body = "\n".join([f"{named()} slept.", *["More text."] * (lines - 1)])
    [one] = read_samples(document(sample(body)))
    assert (len(one.sentences), one.target, one.start) == (lines, 0, 0)


def test_readings_and_patterns_in_both_spellings():
    bodies = [
        named('reading="metonymic" metotype="place-for-people" notes="OFF"'),
        named('reading="mixed"'),
        named('reading="unknown"'),
        named('reading="metonymic" metotype="org-for-members"', "Acme", "org"),
    ]
    read = list(read_samples(document(*(sample(b, n) for n, b in enumerate(bodies, start=1)))))
    assert [one.reading for one in read] == [
        "place-for-people", "mixed", "", "organisation-for-members",
    ]  # fmt: skip
    assert [one.label("coarse") for one in read] == [
        "non-literal",
        "non-literal",
        None,
        "non-literal",
    ]
    assert read[0].notes == "OFF"


def test_bare_ampersands_and_a_second_copy_without_readings_are_tolerated():
    name = named(name="AT&T", tag="org")
    body = f"R&D at {name} & Co\n</par>\n<par2>\nR&D at "
    body += "<annotorg> AT&T </annotorg> & Co\n</par2"
    text = sample(body).replace("</par2\n</par>", "</par2>")
    [one] = read_samples(document(text))
    assert one.sentences == ("R&D at AT&T & Co",)


def test_comments_are_passed_over():
    [one] = read_samples(document(sample(f"Now <!-- a <b> --> {named()} <!-- & --> sleeps.")))
    assert one.sentence == "Now  Peru  sleeps."


def test_bytes_of_latin_1_are_read():
    stream = io.BytesIO((HEAD + sample(f"Café in {named()}.")).encode("latin-1"))
    assert next(read_samples(stream)).sentence == "Café in Peru."


def test_samples_on_one_line_are_read():
    text = "".join(sample(named(), n).replace("\n", " ") for n in (1, 2))
    assert refused(text) == (["samp1", "samp2"], [])


@pytest.mark.parametrize(
    ("bad", "line", "words"),
    [
        (sample("no name here", 2), 11, "marks 0 names"),
        (sample(f"{named()} and {named()}", 2), 11, "marks 2 names"),
        (sample(named('reading="odd"'), 2), 11, "unknown reading 'odd'"),
        (sample(named('reading="metonymic"'), 2), 11, "without a metotype"),
        (sample(named('reading="literal" metotype="othermet"'), 2), 11, "has the metotype"),
        (
            sample(named('reading="metonymic" metotype="org-for-index"'), 2),
            11,
            "is not a fine reading",
        ),
        (sample(named(name=""), 2), 11, "name is empty"),
        (sample(f"{named()} &lol9;", 2), 11, "unknown entity '&lol9;'"),
        (sample(f"{named()} &#0;", 2), 11, "is not a character"),
        (sample(f"{named()} &#xD800;", 2), 11, "is not a character"),
        (sample(f"{named()} 1 < 2", 2), 11, "is not a tag"),
        (sample(f"{named()} <b>x</b>", 2), 11, "<b> does not belong in <par>"),
        (sample(f"{named()} </annot>", 2), 14, "closes an element that is not open"),
        (sample(f"{named()} <![CDATA[x]]>", 2), 11, "is not a tag"),
        (sample(f"{named()} " + "<!--" * 50_000, 2), 11, "is not a tag"),
        (sample(named(), 2).replace(" id=", f" {'a' * 20_000} id="), 11, "holds a tag of"),
        (sample(named(), 2).replace('"samp2"', '"&lol;"'), 11, "unknown entity"),
        (sample(named() + "x " * 600_000, 2), 11, "of over 1,000,000 characters"),
        (sample(named(), 1), 11, "sample 'samp1': is also in line 4"),
        (sample(named(), 2).replace(' id="samp2"', ""), 11, "has no id"),
        (sample(named(), 2).replace("</sample>", ""), 18, "begins a sample inside of another"),
        ("</sample>\n", 11, "closes a sample that was not begun"),
    ],
)
def test_broken_samples_are_refused_by_line_and_good_ones_still_load(bad, line, words):
    ids, errors = refused(sample(named()), bad, sample(named(), 3))
    assert ids == ["samp1", "samp3"]
    assert len(errors) == 1
    assert words in errors[0]
    assert errors[0].startswith(f"input:{line}: ")


def test_without_a_listener_the_first_fault_is_raised():
    with pytest.raises(BadRecord, match="sample 'samp2': marks 0 names"):
        list(read_samples(document(sample(named()), sample("nothing", 2))))


def test_a_file_that_ends_inside_a_sample_says_so():
    errors = []
    stream = io.BytesIO((HEAD + sample(named()) + '<sample id="samp2">\n<par>').encode())
    assert len(list(read_samples(stream, refused=errors.append))) == 1
    assert "not closed" in str(errors[0])


LAUGHS = '<!DOCTYPE s [\n<!ENTITY a "ha">\n<!ENTITY b "&a;&a;&a;">\n]>\n'


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        (LAUGHS, 3, "made of other entities"),
        ('<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n', 1, "from another file"),
        ('<!DOCTYPE s [\n<!ENTITY\n % p "x">]>\n', 2, "made of other entities"),
        ('<!DOCTYPE s [<!ENTITY x PUBLIC "a" "http://example.org/x">]>\n', 1, "from another file"),
    ],
)
def test_hostile_declarations_end_the_reading(head, line, words):
    with pytest.raises(BadRecord, match=words) as error:
        refused(sample(named()), head=head)
    assert error.value.line == line


def test_declared_entities_are_not_expanded():
    head = '<!DOCTYPE s [\n<!ENTITY mdash "EXPANDED">\n<!ENTITY own "EXPANDED">\n]>\n'
    ids, errors = refused(sample(f"{named()} &own;"), sample(f"{named()} &mdash;", 2), head=head)
    assert ids == ["samp2"]
    assert "unknown entity '&own;'" in errors[0]


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=1
)


@given(before=st.lists(WORDS, max_size=3), name=WORDS, after=st.lists(WORDS, max_size=3))
def test_what_is_written_is_read_back_and_is_well_formed(tmp_path_factory, before, name, after):
    path = tmp_path_factory.mktemp("samples") / "samples.xml"
    left = " ".join([*before, ""]).lstrip()
    text = " ".join([left + name, *after])
    made = NameSample(
        "samp7", name, "organisation", ("One & two.", text), 1, len(left), len(left) + len(name),
        "organisation-for-product", "fine", "A <title>", 'a "note" &amp;',
    )  # fmt: skip
    if any(part != part.strip() for part in (text, name)) or len(text.split()) != len(
        [*before, name, *after]
    ):
        return
    write_samples([made], path)
    [read] = read_samples(path)
    assert replace(read, line=0) == made
    if "￾" not in text and "￿" not in text:
        xml.dom.minidom.parse(str(path))


def test_offsets_that_miss_the_name_are_refused():
    with pytest.raises(BadInput, match="'Peru' is not at 0-4"):
        NameSample("samp1", "Peru", "location", ("In Peru.",), 0, 0, 4)


def test_a_rough_reading_cannot_be_written(tmp_path):
    made = NameSample("a", "Peru", "location", ("Peru",), 0, 0, 4, "non-literal", "coarse")
    with pytest.raises(BadInput, match="no fine reading"):
        write_samples([made], tmp_path / "x.xml")


def labels_file(*rows):
    return io.BytesIO(json.dumps(rows).encode())


ROW = {"sentence": ["At", "Acme", "Co", "today"], "pos": [1, 3], "label": 1}


def test_coarse_company_labels_join_by_order():
    samples = list(read_samples(document(sample(named('reading="unknown"', "Acme Co", "org")))))
    [one] = with_company_labels(samples, read_company_labels(labels_file(ROW)), "x.json")
    assert (one.label("coarse"), one.label("fine")) == ("non-literal", None)
    with pytest.raises(BadRecord, match="has 2 labels for 1 samples"):
        with_company_labels(samples, read_company_labels(labels_file(ROW, ROW)), "x.json")
    other = {**ROW, "sentence": ["At", "Other", "Co"]}
    with pytest.raises(BadRecord, match="'Other Co' where sample 'samp1' has 'Acme Co'"):
        with_company_labels(samples, read_company_labels(labels_file(other)), "x.json")


@pytest.mark.parametrize("row", [{}, {**ROW, "pos": [3, 9]}, {**ROW, "label": 2}, 7])
def test_broken_company_labels_are_refused(row):
    with pytest.raises(BadRecord, match="item 2 needs sentence, pos"):
        read_company_labels(labels_file(ROW, row))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "samples"),
    [
        ("SemEval.train.xml", 925),
        ("SemEval.test.xml", 908),
        ("countries.test", 908),
        ("companies.test", 842),
        ("comp_toparse.train.gz", 1090),
    ],
)
def test_the_tasks_own_files_are_read_whole(shared, file, samples):
    read = list(read_samples(shared / "data" / "semeval2007" / file))
    assert len(read) == samples
    assert max(len(one.sentences) for one in read) == 4
