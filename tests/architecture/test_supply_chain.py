"""What is installed, downloaded and loaded: pinned, checked, and never a pickle."""

import ast
import re
import tomllib

import pytest

from conftest import REPOSITORY

SOURCES = sorted((REPOSITORY / "src").rglob("*.py"))
NEVER = {"torch.load", "pickle.load", "pickle.loads", "joblib.load", "dill.load", "marshal.loads"}


def calls() -> list[tuple[str, str, dict[str, str]]]:
    """Every call in the sources: its place, what is called, and its keywords."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                keywords = {k.arg: ast.unparse(k.value) for k in node.keywords if k.arg}
                place = f"{path.relative_to(REPOSITORY)}:{node.lineno}"
                found.append((place, ast.unparse(node.func), keywords))
    return found


def test_no_loader_reads_pickles() -> None:
    for place, called, keywords in calls():
        assert called not in NEVER, place
        assert keywords.get("allow_pickle", "False") == "False", place
        assert keywords.get("trust_remote_code", "False") == "False", place


def test_models_are_read_from_safetensors_in_a_folder() -> None:
    """Names of the Hub are fetched by one function, which takes safe files and a revision."""
    for place, called, keywords in calls():
        if called.endswith(".from_pretrained"):
            assert keywords.get("local_files_only") == "True", place
            if "Tokenizer" not in called:
                assert keywords.get("use_safetensors") == "True", place
        if called.endswith("snapshot_download"):
            assert "revision" in keywords, place
            assert "allow_patterns" in keywords, place


def test_every_package_is_pinned_with_hashes() -> None:
    locked = (REPOSITORY / "requirements-hashed.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"(?m)^([\w.-]+)(?:\[[\w,]+\])?==([\w.!+-]+)", locked))
    blocks = re.split(r"(?m)^(?=[\w.-]+(?:\[[\w,]+\])?==)", locked)[1:]
    assert len(blocks) == len(pinned) > 50
    assert all("--hash=sha256:" in block for block in blocks)
    chosen = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    versions = dict(re.findall(r"(?m)^([\w.-]+)==(\S+)", chosen))
    named = {name.lower().replace("_", "-"): version for name, version in versions.items()}
    for name, version in pinned.items():
        assert named.get(name, version) == version, name


@pytest.mark.parametrize(("package", "least"), [("torch", "2.6"), ("ray", "2.53")])
def test_versions_with_known_holes_are_excluded(package: str, least: str) -> None:
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [one for group in extras["optional-dependencies"].values() for one in group]
    found = [one for one in asked if re.match(rf"{package}\b", one)]
    assert found
    assert all(f"{package}>={least}" in one for one in found)
