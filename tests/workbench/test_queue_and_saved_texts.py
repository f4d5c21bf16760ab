"""Who is next at the model, and what is kept."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.workbench.requests import RequestRefused
from trope.workbench.text_view import SavedTexts, title
from trope.workbench.web import state
from trope.workbench.web.state import ModelQueue, WorkbenchOptions


def test_one_works_one_waits_and_the_third_is_refused() -> None:
    queue = ModelQueue(waiting=1, seconds=60)
    gate = threading.Event()
    results: Queue[bool | RequestRefused] = Queue()

    def ask() -> None:
        try:
            results.put(queue.run(gate.wait))
        except RequestRefused as refused:
            results.put(refused)

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for each in asking:
        each.start()
    refused = results.get()
    assert isinstance(refused, RequestRefused)
    assert (refused.status, refused.code) == (503, "busy")
    gate.set()
    assert [results.get(), results.get()] == [True, True]
    for each in asking:
        each.join()
    assert queue.run(lambda: "later") == "later", "places are free again"


def test_work_that_takes_too_long_keeps_its_place_until_it_ends() -> None:
    queue = ModelQueue(waiting=0, seconds=0.05)
    gate = threading.Event()
    with pytest.raises(RequestRefused, match=r"no answer within 0\.05 seconds"):
        queue.run(gate.wait)
    with pytest.raises(RequestRefused, match="are waiting; try again"):
        queue.run(lambda: None)
    gate.set()


def test_error_of_the_work_is_told_and_frees_the_place() -> None:
    queue = ModelQueue(waiting=0, seconds=60)
    for _ in range(2):
        with pytest.raises(TimeoutError, match="its own"):
            queue.run(lambda: (_ for _ in ()).throw(TimeoutError("its own")))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_found_again_as_it_was(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        texts = SavedTexts(Path(folder))
        assert texts.read(texts.save(text)) == text


def test_foreign_files_are_neither_listed_nor_deleted(tmp_path: Path) -> None:
    foreign = tmp_path / "diary.txt"
    foreign.write_text("mine", encoding="utf-8")
    texts = SavedTexts(tmp_path)
    texts.save("A text.")
    assert [each.title for each in texts] == ["A text."]
    assert texts.clear() == 1
    assert list(tmp_path.iterdir()) == [foreign]
    for name in ("diary", "../secret", "", "*"):
        with pytest.raises(RequestRefused, match="no text with that name"):
            texts.read(name)


def test_title_is_the_beginning_in_one_line() -> None:
    assert title("One\n two.") == "One two."
    assert title("word " * 100).endswith("word …")
    assert len(title("x" * 500)) < 75


def test_pages_of_texts_do_not_wait_for_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = pytest.importorskip("trope.workbench.corpus.corpus")
    begun, answered = threading.Event(), threading.Event()

    def build(folder: Path, **options: object) -> SimpleNamespace:
        begun.set()
        assert answered.wait(60), "a page waits for the index"
        return SimpleNamespace(folder=folder, view="noticed")

    monkeypatch.setattr(corpus, "open_corpus", build)
    monkeypatch.setattr(state, "Pipeline", lambda **options: "the model")
    state.begin(WorkbenchOptions(corpus=tmp_path))
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(state.the_corpus)
        assert begun.wait(60)
        assert state.the_pipeline() == "the model"
        answered.set()
        assert opening.result().folder == tmp_path
    state.begin(WorkbenchOptions())
