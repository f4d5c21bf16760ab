"""`trope analyze` with metaphors: tasks, thresholds, summaries, plots."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders import FakePipeline
from trope.cli import analyze as command
from trope.cli.main import main
from trope.core.errors import BadInput, BadRecord, MissingExtra

TABLE = """id,text,genre
1,Rain ate roads.,news
2,Wind bent trees. Sun shone.,news
3,Sun shone.,chat
4,Rain fell.,chat
"""


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: FakePipeline(metaphor=True))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text(TABLE)
    return path


def trope(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["analyze", *map(str, arguments)], catch_exceptions=False)


def test_json_has_scores_by_default() -> None:
    data = json.loads(trope("Rain ate roads.", "--json").stdout)
    assert [token["metaphor"] for token in data["tokens"]] == [0.02, 0.93, 0.02, 0.02]


def test_only_metaphor_asks_the_pipeline_for_nothing_else() -> None:
    data = json.loads(trope("Rain ate roads.", "--json", "--only", "metaphor").stdout)
    assert set(data["tokens"][0]) == {*("text", "start", "end", "metaphor", "noticed", "novelty")}
    assert "relations" not in data
    assert "0.93" not in trope("Rain ate roads.", "--only", "syntax").stdout


def test_threshold_moves_the_marks() -> None:
    assert "*bent*" in trope("Wind bent trees.").stdout
    assert "*bent*" not in trope("Wind bent trees.", "--threshold", "0.8").stdout
    data = json.loads(trope("Wind bent.", "--json", "--threshold", "0.8").stdout)
    assert data["threshold"] == 0.8


def test_threshold_without_metaphors_is_a_slip() -> None:
    with pytest.raises(BadInput, match="--threshold is for metaphors"):
        trope("Rain.", "--only", "syntax", "--threshold", "0.5")


@pytest.mark.parametrize("options", [("--only", "metaphor"), ("--threshold", "0.5")])
def test_a_model_without_the_head_says_so_when_asked(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: FakePipeline())
    assert "ate" in trope("Rain ate roads.").stdout
    with pytest.raises(BadInput, match="has no head for 'metaphor'"):
        trope("Rain ate roads.", *options)


def test_summary_counts_by_the_column_that_is_named(table: Path) -> None:
    data = json.loads(trope(table, "--summary", "--by", "genre", "--json").stdout)
    assert (data["texts"], data["sentences"], data["tokens"]) == (4, 5, 17)
    news, chat = data["metaphor"]["groups"]
    assert (news["name"], news["texts"], news["words"], news["metaphors"]) == ("news", 2, 8, 2)
    assert (chat["name"], chat["metaphors"], chat["figurative"]) == ("chat", 0, 0)
    assert news["rate"]["value"] == 0.25
    assert news["rate"]["low"] < 0.25 < news["rate"]["high"]
    assert (news["sentences"], news["figurative"]) == (3, 2)
    assert data["metaphor"]["total"]["words"] == 12
    assert data["metaphor"]["verbs"][0]["lemma"] == "ate"
    assert data["metaphor"]["verbs"][0]["objects"] == [
        {"lemma": "roads", "count": 1, "metaphors": 1}
    ]


def test_files_are_the_groups_of_a_summary_unless_told(tmp_path: Path) -> None:
    for name, text in (("a.txt", "Rain ate roads."), ("b.txt", "Sun shone.")):
        (tmp_path / name).write_text(text)
    data = json.loads(trope(tmp_path / "a.txt", tmp_path / "b.txt", "--summary", "--json").stdout)
    names = [Path(group["name"]).name for group in data["metaphor"]["groups"]]
    assert names == ["a.txt", "b.txt"]


def test_summary_as_text_fits_a_terminal(table: Path) -> None:
    shown = trope(table, "--by", "genre").stdout
    assert "25.0 % (" in shown
    assert "ate" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_summary_without_the_head_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, table: Path
) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: FakePipeline())
    shown = trope(table, "--summary").stdout
    assert "4 texts" in shown
    assert "no metaphor head" in shown
    data = json.loads(trope(table, "--summary", "--json").stdout)
    assert "metaphor" not in data


def test_a_column_to_group_by_that_is_not_there_is_named(table: Path) -> None:
    with pytest.raises(BadRecord, match=r"texts\.csv:2: has no column 'source' to group by"):
        trope(table, "--by", "source")


def test_a_summary_is_no_page(table: Path) -> None:
    with pytest.raises(BadInput, match="text or json, not html"):
        trope(table, "--summary", "--format", "html")


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_plot_is_drawn_the_same_every_time(table: Path, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    plots = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for plot in plots:
        assert trope(table, "--by", "genre", "--plot", plot).exit_code == 0
    first, second = (plot.read_bytes() for plot in plots)
    assert first == second
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])
    if suffix == "svg":
        for word in (b"news (8 words)", b"chat (4 words)", b"ate (1 of 1)"):
            assert word in first


def test_plot_of_texts_without_metaphors(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "none.svg"
    assert trope("Sun shone.", "--plot", plot).exit_code == 0
    assert b"no verb is a metaphor" in plot.read_bytes()


def test_plots_that_cannot_be_drawn_are_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, table: Path
) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: pytest.fail("too late"))
    with pytest.raises(
        BadInput, match=r"rates\.doc: is not the name of a plot; give one that ends in \.svg"
    ):
        trope(table, "--plot", "rates.doc")
    monkeypatch.setattr("trope.render.plots.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[plots\]'"):
        trope(table, "--plot", "rates.svg")
