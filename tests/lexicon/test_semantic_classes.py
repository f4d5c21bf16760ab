from trope.lexicon.wordnet import (
    CLASSES_FILE,
    NOUN_CLASSES,
    VERB_CLASSES,
    list_classes,
    semantic_classes,
)


def test_classes_come_in_the_order_of_the_senses():
    assert semantic_classes("grasp", "VERB") == ("verb.contact", "verb.cognition")
    assert semantic_classes("Dog", "NOUN")[0] == "noun.animal"
    assert semantic_classes("grasp", "ADJ") == ()
    assert semantic_classes("zzyzx", "VERB") == ()


def test_all_classes_are_in_the_list_and_have_wordnets_numbers():
    assert NOUN_CLASSES[3] == "Tops"
    assert NOUN_CLASSES[28] == "time"
    assert VERB_CLASSES[29] == "body"
    assert VERB_CLASSES[43] == "weather"
    rows = [r for r in CLASSES_FILE.read_text().splitlines() if not r.startswith("#")]
    used = {int(number) for row in rows for number in row.split()[2:]}
    assert used == set(NOUN_CLASSES) | set(VERB_CLASSES)


def test_list_is_made_of_wordnets_files(tmp_path):
    for part, number in (("noun", 5), ("verb", 38)):
        (tmp_path / f"data.{part}").write_text(
            f"  1 licence\n00000001 {number:02} n 01 x 0 000\n00000002 33 n 01 x 0 000\n"
        )
        (tmp_path / f"index.{part}").write_text(
            "  1 licence\nrun n 2 1 @ 2 1 00000002 00000001  \nrun_up n 1 0 1 0 00000001  \n"
        )
    assert list(list_classes(tmp_path)) == ["n run 33 5", "v run 33 38"]
