"""The notebooks run from beginning to end, and are kept without what they print."""

from pathlib import Path

import pytest

from conftest import REPOSITORY

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed (trope[docs])")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (trope[docs])")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (trope[docs])")

NOTEBOOKS = sorted((REPOSITORY / "examples" / "notebooks").glob("*.ipynb"))


def read(path: Path):  # type: ignore[no-untyped-def]
    return nbformat.read(path, as_version=4)


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed (trope[docs])")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY / "src"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = execute(path)
    assert any(cell.get("outputs") for cell in notebook.cells)
    if path.stem == "figures-of-a-text":
        shown = "\n".join(html_outputs(notebook))
        assert 'class="trope trope-notebook"' in shown  # the drawing
        assert ">strangles<" in shown
        assert 'class="dataframe"' in shown


def execute(path: Path):  # type: ignore[no-untyped-def]
    """The notebook with what its cells print."""
    notebook = read(path)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    return notebook


def html_outputs(notebook) -> list[str]:  # type: ignore[no-untyped-def]
    return [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_clean(path: Path) -> None:
    for cell in read(path).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
