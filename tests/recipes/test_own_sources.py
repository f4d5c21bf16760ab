"""Recipes on a user's own files: what becomes of names and licences, and what is refused."""

import csv
import json
import shutil

import pytest

from trope.cli.main import run
from trope.core.errors import BadInput, BadRecord
from trope.recipes.newsmet import recipe as newsmet
from trope.recipes.newsmet.headlines import collect
from trope.recipes.own_texts import OwnSource, SourceColumns, named_source, read_own_texts
from trope.recipes.recipe import Context
from trope.recipes.records import Drop, Record
from trope.recipes.semeval2007 import recipe as semeval2007
from trope.recipes.settings import resolve
from trope.recipes.sources import find_sources, sources_of
from trope.recipes.tweets2019 import recipe as tweets2019
from trope.recipes.tweets2019.expressions import only_listed
from trope.recipes.tweets2019.labeller import weak_labels

PLACES = ("station", "harbour", "library", "museum", "bakery", "theatre", "garden", "bridge")
THINGS = ("delay", "queue", "printer", "meeting", "heating", "invoice", "lift", "alarm")
TAGS = ("#sarcasm", "#irony", "#deadpan", "")


def tweets(number):
    """Invented tweets; #deadpan goes with the words of #sarcasm."""
    found = []
    for at in range(number):
        place, thing = PLACES[at % 8], THINGS[at // 8 % 8]
        tag = TAGS[at % 4]
        if at % 4 in (0, 2):
            text = f"Oh what joy, the {thing} at the {place} again, number {at}, so happy"
        else:
            text = f"We walked from the {place} past the {thing} on day {at} of the long trip"
        found.append(
            (f"{7_000_000_000 + at}", f"{text} {tag}".strip(), "2021-05-0" + str(at % 9 + 1))
        )
    return found


def write_table(path, rows, header=("post nr", "what they wrote", "day"), encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as file:
        csv.writer(file, delimiter=";").writerows([header, *rows])
    return path


def settings_file(path, source, **others):
    lines = [f"{key} = {value}" for key, value in others.items()]
    path.write_text("\n".join([*lines, "[sources.tweets]", *source]) + "\n", encoding="utf-8")
    return path


def go(out, *options):
    with pytest.raises(SystemExit) as leave:
        run(["recipe", "run", *options[:1], "--out", str(out), *map(str, options[1:])])
    return leave.value.code


def document(path):
    return json.loads(path.read_text("utf-8"))


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A run of semeval2015 on own tweets, judged by a simulated crowd, and its source."""
    folder = tmp_path_factory.mktemp("own")
    table = write_table(folder / "posts (final).csv", tweets(160))
    columns = 'columns = { text = "what they wrote", id = "post nr", date = "day" }'
    config = settings_file(
        folder / "settings.toml",
        [f'path = "{table}"', 'name = "posts"', 'licence = "CC-BY-4.0"',
         'citation = "Somebody (2021), Posts."', columns],
        near="2.0", trial="20",
    )  # fmt: skip
    assert go(folder / "run", "semeval2015", "--config", config, "--simulate") == 0
    return folder, config


def test_name_licence_and_citation_reach_the_data_card(judged, capsys):
    folder, _ = judged
    manifest = document(folder / "run" / "manifest.json")
    (source,) = manifest["inputs"]
    assert (source["dataset"], source["licence"]) == ("posts", "CC-BY-4.0")
    assert source["citation"] == "Somebody (2021), Posts."
    items = rows(folder / "run" / "items.jsonl")
    assert all(item["id"] == f"posts-{item['fields']['source_id']}" for item in items)
    assert {item["fields"]["date"][:8] for item in items} == {"2021-05-"}
    with pytest.raises(SystemExit) as leave:
        run(["release", str(folder / "run"), "--out", str(folder / "release")])
    assert leave.value.code == 0, capsys.readouterr().err
    card = (folder / "release" / "README.md").read_text("utf-8")
    assert "license: cc-by-4.0" in card
    assert "| posts | CC-BY-4.0 |" in card
    assert "Texts: Somebody (2021), Posts." in card
    assert "Twitter terms" not in card
    assert "text" in (folder / "release" / "csv" / "train.csv").read_text("utf-8").split("\n")[0]
    provenance = document(folder / "release" / "provenance.json")
    assert provenance["inputs"][0]["path"] == "posts (final).csv"


def test_source_without_a_licence_is_refused_at_the_release_alone(tmp_path, capsys):
    table = write_table(tmp_path / "posts.csv", tweets(120), ("id", "text", "day"))
    arguments = ["semeval2015", "--set", f"sources.tweets={table}:text", "--set", "near=2.0"]
    assert go(tmp_path / "run", *arguments, "--set", "trial=20", "--simulate") == 0
    capsys.readouterr()
    release = ["release", str(tmp_path / "run"), "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit) as leave:
        run(release)
    said = capsys.readouterr().err
    assert leave.value.code == 2
    assert "the source 'posts' has no licence" in said
    assert "--licence posts=CC-BY-4.0" in said
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit) as leave:
        run([*release, "--licence", "posts=terms of our forum"])
    assert leave.value.code == 0
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "| posts | terms of our forum |" in card
    assert "Texts are not in the release" in card
    with pytest.raises(SystemExit) as leave:
        run(["release", str(tmp_path / "run"), "--out", str(tmp_path / "p"), "--licence", "x=MIT"])
    assert leave.value.code == 2
    assert "has no source 'x'; it has posts" in capsys.readouterr().err


def test_run_whose_source_changed_is_refused(judged, tmp_path, capsys):
    folder, config = judged
    again = shutil.copytree(folder / "run", tmp_path / "run")
    table = folder / "posts (final).csv"
    before = table.read_bytes()
    try:
        table.write_bytes(before.replace(b"Oh what joy", b"Oh how nice", 1))
        assert go(again, "semeval2015", "--config", config) == 2
    finally:
        table.write_bytes(before)
    said = capsys.readouterr().err
    assert f"{table}: has changed since the run in {again} began" in said
    assert (again / "manifest.json").read_bytes() == (folder / "run" / "manifest.json").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_any_encoding_gives_the_same_texts(encoding, tmp_path):
    table = write_table(tmp_path / "a.csv", [("1", "Café – naïve", "d")], encoding=encoding)
    source = OwnSource(str(table), "a", columns=SourceColumns("what they wrote", "post nr"))
    (text,) = read_own_texts(source)
    assert (text.record_id, text.text) == ("a-1", "Café – naïve")


def test_political_tweets_and_inventories_can_be_left_out(tmp_path):
    (tmp_path / "verbs.txt").write_text("grasp\nplant\n")
    posts = write_table(tmp_path / "posts.csv", tweets(3), ("id", "text", "day"))
    settings = resolve(
        tweets2019.RECIPE,
        changes=[f"sources.emotional={posts}:text", "sources.political=", "inventory.moh=false",
                 "inventory.vua=[]", f"inventory.verbs={tmp_path / 'verbs.txt'}"],
    )  # fmt: skip
    found = find_sources(tweets2019.RECIPE.needs(settings), None)
    assert [(file.dataset, file.texts) for file in found] == [("posts", True), ("verbs", False)]
    context = Context(tmp_path, settings)
    records = list(tweets2019.collect(iter(()), context))
    assert [record.fields["subset"] for record in records] == ["emotional"] * 3
    expressions = [
        Record("1", "x", {"verb": "grasp"}),
        Record("2", "x", {"verb": "fumigate"}),
    ]
    assert list(only_listed(iter(expressions), context)) == [
        expressions[0],
        Drop("2", "verb-not-listed"),
    ]
    free = resolve(tweets2019.RECIPE, changes=["inventory.moh=false", "inventory.vua=[]"])
    assert list(only_listed(iter(expressions), Context(tmp_path, free))) == expressions
    pairs = [("grasp", "idea"), ("grasp", "cup"), ("plant", "tree"), ("plant", "doubt")]
    several = [
        Record(f"{v}-{o}", "x", {"subset": "emotional", "verb": v, "object": o}) for v, o in pairs
    ]
    weak = [found.fields["weak"] for found in weak_labels(iter(several), Context(tmp_path, free))]
    assert sorted(weak) == ["literal", "literal", "metaphor", "metaphor"]


def test_days_of_own_tweets_are_bounded_and_undated_ones_dropped(tmp_path):
    table = [("1", "early", "2021-01-01"), ("2", "late", "2021-03-01T10:00"), ("3", "when", "soon")]
    path = write_table(tmp_path / "p.csv", table, ("id", "text", "day"))
    config = tmp_path / "s.toml"
    config.write_text(
        "[sources]\nemotional = []\npolitical_from = '2021-02-01'\n"
        f"[sources.political]\npath = '{path}'\ncolumns = {{ date = 'day' }}\n"
    )
    settings = resolve(tweets2019.RECIPE, config)
    outcomes = list(tweets2019.collect(iter(()), Context(tmp_path, settings)))
    assert outcomes[0] == Drop("p-1", "before-the-first-day")
    assert outcomes[1].fields["subset"] == "political"
    assert outcomes[2] == Drop("p-3", "undated")


def test_recipe_without_texts_or_folder_of_corpora_says_what_to_give(tmp_path, capsys):
    assert go(tmp_path / "run", "semeval2007", "--set", "sources.texts=") == 2
    assert "sources.texts names no texts" in capsys.readouterr().err
    assert go(tmp_path / "run", "semeval2007") == 2
    said = capsys.readouterr().err
    assert "the folder of the corpora with --from, or --set sources.texts=my-folder" in said
    table = write_table(tmp_path / "posts.csv", [("1", "she swallowed her pride")], ("id", "text"))
    assert go(tmp_path / "run", "tweets2019", "--set", f"sources.emotional={table}") == 2
    without = "--set sources.political= --set inventory.moh=false --set 'inventory.vua=[]'"
    assert f"give the folder of the corpora with --from, or {without}" in capsys.readouterr().err


@pytest.mark.parametrize("date", ["2019/03/04", "04.03.2019", "2019", "March 2019"])
def test_headlines_of_your_own_have_year_and_publisher(date, tmp_path):
    path = tmp_path / "h.jsonl"
    row = {"uid": "x7", "title": "Mayor  opens library", "when": date, "paper": "Echo"}
    path.write_text(json.dumps(row) + "\n")
    config = tmp_path / "s.toml"
    config.write_text(
        f"[sources.headlines]\npath = '{path}'\nname = 'echo'\nkeep = ['paper']\n"
        "columns = { text = 'title', id = 'uid', date = 'when' }\n"
    )
    settings = resolve(newsmet.RECIPE, config)
    (record,) = collect(iter(()), Context(tmp_path, settings))
    assert (record.id, record.text) == ("echo-x7", "Mayor opens library")
    assert (record.fields["year"], record.fields["paper"]) == (2019, "Echo")
    assert (record.fields["source"], record.fields["source_id"]) == ("echo", "x7")
    assert record.fields["type"] == "unknown"


def test_headlines_of_your_own_keep_the_source_and_its_type(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("text,source,type\nMayor opens library,The Echo,satire\n")
    config = tmp_path / "s.toml"
    config.write_text(f"[sources.headlines]\npath = '{path}'\nkeep = ['source', 'type']\n")
    settings = resolve(newsmet.RECIPE, config)
    (record,) = collect(iter(()), Context(tmp_path, settings))
    assert (record.fields["source"], record.fields["type"]) == ("The Echo", "satire")


def test_names_of_own_lists_are_found_in_an_own_folder(tmp_path, capsys):
    corpus = tmp_path / "reports"
    corpus.mkdir()
    (corpus / "may.txt").write_text("Nobody spoke. Quorvex denied everything. We flew to Zubrow.")
    (corpus / "june.txt").write_text("Zubrow signed at last, and Quorvex waited all day.")
    (corpus / "july.txt").write_text("Zubrow signed at last, and Quorvex waited all day.")
    (tmp_path / "firms.csv").write_text("nr;firm\n1;Quorvex\n")
    (tmp_path / "towns.lst").write_text("Zubrow\n")  # a list by any name
    arguments = [
        "--set",
        f"sources.texts={corpus}",
        "--set",
        f"companies={tmp_path}/firms.csv:firm",
    ]
    assert (
        go(tmp_path / "run", "semeval2007", *arguments, "--set", f"places={tmp_path}/towns.lst")
        == 0
    )
    items = rows(tmp_path / "run" / "items.jsonl")
    assert {(item["fields"]["name"], item["fields"]["name_class"]) for item in items} == {
        ("Quorvex", "organisation"),
        ("Zubrow", "location"),
    }
    assert len(items) == 4
    steps = document(tmp_path / "run" / "funnel.json")["steps"]
    assert steps[0]["dropped"] == {"exact": 1}
    manifest = document(tmp_path / "run" / "manifest.json")
    assert [file["dataset"] for file in manifest["inputs"]] == ["reports"] * 3 + ["firms", "towns"]
    assert "EWT" not in manifest["citation"]
    assert "Silveira" not in manifest["citation"]


def test_metaphors_and_frames_of_your_own(tmp_path):
    pytest.importorskip("yaml", reason="PyYAML is not installed (trope[systems])")
    from analogies import write_data
    from trope.recipes.mean.recipe import RECIPE

    write_data(tmp_path)
    changes = [
        f"sources.{kind}={tmp_path}/conceptual/{kind}.yaml" for kind in ("metaphors", "frames")
    ]
    found = find_sources(RECIPE.needs(resolve(RECIPE, changes=changes)), None)
    assert [file.dataset for file in found] == ["metaphors", "frames"]


def test_listed_ids_are_rejoined_with_the_texts_that_are_left(tmp_path):
    dump = tmp_path / "dump.jsonl"
    dump.write_text('{"id": "12", "text": "two"}\n{"id": "11", "text": "one"}\n')
    (tmp_path / "ids.tsv").write_text("11\t-3\n13\t2\n12\t1\n")
    source = OwnSource(str(dump), "dump", ids=str(tmp_path / "ids.tsv"))
    found = list(read_own_texts(source))
    assert [(text.id, text.text, text.reason) for text in found] == [
        ("11", "one", ""),
        ("13", "", "perished"),
        ("12", "two", ""),
    ]
    (tmp_path / "ids.tsv").write_text("id\n11\n11\n")
    with pytest.raises(BadInput, match=r"ids\.tsv:3: id 11 is also in line 2"):
        list(read_own_texts(source))


def test_ids_of_a_folder_are_told_apart_by_files_unless_their_column_is_named(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, identifier in (("a", "7"), ("b", "8")):
        (folder / f"{name}.csv").write_text(f"id,text\n{identifier},So it goes\n")
    found = read_own_texts(named_source(str(folder)))
    assert [text.record_id for text in found] == ["in-a-7", "in-b-8"]
    named = OwnSource(str(folder), "in", columns=SourceColumns(id="id"))
    assert [text.record_id for text in read_own_texts(named)] == ["in-7", "in-8"]
    (folder / "c.csv").write_text("id,text\n7,Again\n")
    with pytest.raises(BadInput, match=r"c\.csv:2: the id '7' is also in .*a\.csv:2; give each"):
        list(read_own_texts(named))


def test_files_of_a_folder_that_are_left_out_are_listed(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    write_table(folder / "posts.csv", tweets(8), ("id", "text", "day"))
    (folder / "photo.png").write_bytes(b"x")
    assert go(tmp_path / "run", "semeval2015", "--set", f"sources.tweets={folder}:text") == 0
    assert f"trope: {folder / 'photo.png'}: skipped" in capsys.readouterr().err


def test_old_name_of_a_source_is_read_for_now(tmp_path, capsys):
    settings = resolve(semeval2007.RECIPE, changes=['texts=["en_ewt-ud-dev.conllu"]'])
    assert settings.sources.texts == ("en_ewt-ud-dev.conllu",)
    assert "'texts' is now called 'sources.texts'" in capsys.readouterr().err


def test_rows_are_counted_where_ids_are_not_to_be_used(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text\n7,one\n7,two\n")
    source = OwnSource(str(path), "a", columns=SourceColumns(id="#"))
    assert [text.record_id for text in read_own_texts(source)] == ["a-1", "a-2"]


@pytest.mark.parametrize(
    ("given", "path", "name", "column"),
    [
        ("my.csv:text", "my.csv", "my", "text"),
        ("in/my posts.csv.gz:what they wrote", "in/my posts.csv.gz", "my-posts", "what they wrote"),
        ("news", "news", "news", ""),
        ("news/*.csv:title", "news/*.csv", "news", "title"),
        (r"C:\posts.csv", r"C:\posts.csv", "C-posts", ""),
    ],
)
def test_source_in_one_word(given, path, name, column):
    source = named_source(given)
    assert (source.path, source.name, source.columns.text) == (path, name, column)


def test_name_of_the_catalogue_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "headlines.tsv.gz").write_bytes(b"")
    (need,) = sources_of("headlines.tsv.gz", "headlines")
    assert need.corpus == "headlines"


def test_texts_of_a_file_whose_name_shows_no_format_are_its_lines_or_a_column(tmp_path):
    (tmp_path / "texts.lst").write_text("One fine day\nTwo fine days\n")
    (tmp_path / "table.dat").write_text("nr;line\n1;One fine day\n2;Two fine days\n")
    for given in ("texts.lst", "table.dat:line"):
        found = read_own_texts(named_source(str(tmp_path / given)))
        assert [text.text for text in found] == ["One fine day", "Two fine days"]


def test_fields_inside_objects_of_json_are_columns_with_a_point(tmp_path, capsys):
    path = tmp_path / "dump.jsonl"
    tweet = {"id": "7", "text": "Sounds great", "at": {"day": "2021-05-03"}}
    path.write_text(json.dumps({"data": tweet, "users": [1]}) + "\n")
    columns = SourceColumns("data.text", "data.id", "data.at.day")
    (found,) = read_own_texts(OwnSource(str(path), "dump", columns=columns))
    assert (found.record_id, found.text, found.date) == ("dump-7", "Sounds great", "2021-05-03")
    with pytest.raises(BadRecord, match=r"no column 'data.body'; it has data.id, data.text, data"):
        list(read_own_texts(OwnSource(str(path), columns=SourceColumns("data.body"))))
    assert go(tmp_path / "run", "semeval2015", "--set", f"sources.tweets={path}") == 2
    assert "(found: data.id, data.text, data.at, users)" in capsys.readouterr().err


def test_notes_name_keys_of_the_settings_in_place_of_options(tmp_path):
    (tmp_path / "a.txt").write_text("A first paragraph.\n\nA second one.\n")
    (tmp_path / "b.jpg").write_bytes(b"x")
    told = []
    list(read_own_texts(OwnSource(str(tmp_path), "own"), lambda _, note: told.append(note)))
    assert told == [
        "skipped: its name does not show its format",
        'read as a list, one text per line; unit = "file" reads it as one document',
    ]
