"""Who is next at the model, and what is kept."""

import threading
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.workbench.kept import KeptTexts, title
from trope.workbench.refused import Refused
from trope.workbench.turns import Turns


def test_one_works_one_waits_and_the_third_is_refused() -> None:
    turns = Turns(waiting=1, seconds=60)
    gate = threading.Event()
    results: Queue[bool | Refused] = Queue()

    def ask() -> None:
        try:
            results.put(turns.take(gate.wait))
        except Refused as refused:
            results.put(refused)

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for each in asking:
        each.start()
    refused = results.get()
    assert isinstance(refused, Refused)
    assert (refused.status, refused.code) == (503, "busy")
    gate.set()
    assert [results.get(), results.get()] == [True, True]
    for each in asking:
        each.join()
    assert turns.take(lambda: "later") == "later", "places are free again"


def test_work_that_takes_too_long_keeps_its_place_until_it_ends() -> None:
    turns = Turns(waiting=0, seconds=0.05)
    gate = threading.Event()
    with pytest.raises(Refused, match=r"no answer within 0\.05 seconds"):
        turns.take(gate.wait)
    with pytest.raises(Refused, match="are before this one"):
        turns.take(lambda: None)
    gate.set()


def test_error_of_the_work_is_told_and_frees_the_place() -> None:
    turns = Turns(waiting=0, seconds=60)
    for _ in range(2):
        with pytest.raises(TimeoutError, match="its own"):
            turns.take(lambda: (_ for _ in ()).throw(TimeoutError("its own")))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_found_again_as_it_was(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        texts = KeptTexts(Path(folder))
        assert texts.read(texts.keep(text)) == text


def test_foreign_files_are_neither_listed_nor_deleted(tmp_path: Path) -> None:
    foreign = tmp_path / "diary.txt"
    foreign.write_text("mine", encoding="utf-8")
    texts = KeptTexts(tmp_path)
    texts.keep("A text.")
    assert [each.title for each in texts] == ["A text."]
    assert texts.clear() == 1
    assert list(tmp_path.iterdir()) == [foreign]
    for name in ("diary", "../secret", "", "*"):
        with pytest.raises(Refused, match="no text of that name"):
            texts.read(name)


def test_title_is_the_beginning_in_one_line() -> None:
    assert title("One\n two.") == "One two."
    assert title("word " * 100).endswith("word …")
    assert len(title("x" * 500)) < 75
