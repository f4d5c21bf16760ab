"""What project.toml says of the way in: faults at once, and the highlight scheme."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from projects import Clock
from visitors import annotator, confirm, field, ticking_clock, where

from trope.annotate.plan import read_plan
from trope.annotate.project import new_project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.models import StoredJudgment
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadConfig


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


FAULTY = """
title = "x"
guidelines = "y"
[[questions]]
id = "a"
kind = "choice"
text = "?"
options = [{ value = "yes" }, { value = "no" }]
[profile]
eligible = [{ question = "native", values = ["yes"] }]
[[profile.questions]]
id = "country"
kind = "choice"
text = "?"
options = [{ value = "ie" }]
[[profile.weights]]
question = "country"
values = ["uk"]
weight = 0
[training]
pass_mark = 2.0
[[training.items]]
text = "A"
highlight = "B"
answers = { a = "perhaps" }
message = " "
[demo]
items = 5
gold = 6
[selection]
by = "best"
best = 3
after = 1
pass_mark = -1.0
weights = { gold = 0, skips = 0, time = 0 }
pace = { expected = 1, too_fast = 2 }
[outside]
completion_code = "<b>"
return_url = "javascript:alert(1)"
places = -1
[reading]
pause_hours = -1
"""


def test_all_faults_of_the_way_in_come_at_once(tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    path.write_text(FAULTY, encoding="utf-8")
    with pytest.raises(BadConfig) as caught:
        read_plan(path)
    text = str(caught.value)
    for words in (
        "'native' is not a question of the profile",
        "'country' can never be 'uk'",
        "a weight must be above 0",
        "training.pass_mark",
        "the highlight 'B'",
        "needs text, answers and a message",
        "'perhaps', which is not offered",
        "demo.gold",
        "selection.after",
        "selection.pass_mark",
        "selection.weights",
        "selection.pace",
        "outside.completion_code",
        "outside.return_url",
        "outside.places",
        "reading:",
    ):
        assert words in text, words
    assert len(caught.value.faults) == 16


def test_highlight_scheme_marks_what_it_calls_a_metaphor(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "p"
    new_project(folder, "tweets2019-highlight")
    project = open_project(folder)
    connect(project, **web_settings())
    items = folder / "one.jsonl"
    items.write_text('{"id": "x", "text": "Hope drained away 😀"}\n', encoding="utf-8")
    assert CliRunner().invoke(main, ["annotate", "import", str(folder), str(items)]).exit_code == 0
    connect(project, **web_settings())
    ann = annotator("Ann")
    assert where(ann) == "/profile"
    ann.post("/profile", {"native": "yes", "country": "Ireland"})
    confirm(ann)
    sent = {"token": field(ann, "/judge", "token"), "label": "metaphor"}
    refused = ann.post("/judge", sent)
    assert refused.status_code == 422
    assert "needs 1 or more" in refused.content.decode()
    ann.post("/judge", sent | {"words": ["5-12", "13-17"]})
    assert StoredJudgment.objects.get().answers == {"label": "metaphor", "words": [[5, 17]]}
