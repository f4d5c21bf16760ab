"""What is installed, downloaded and loaded: pinned, checked, and never a pickle."""

import ast
import importlib
import os
import re
import sys
import tomllib
from types import SimpleNamespace

import pytest

from conftest import REPOSITORY
from trope.scale import executors

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


def test_audit_says_what_could_not_be_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    audit = importlib.import_module("audit_packages")
    sound = {"name": "a", "version": "1", "vulns": []}
    weak = {"name": "b", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]}
    unknown = {"name": "c", "skip_reason": "not on the index"}
    assert audit.summarise({"dependencies": [sound]})[1] == 0
    assert audit.summarise({"dependencies": [sound, unknown]})[1] == 2
    lines, status = audit.summarise({"dependencies": [sound, weak, unknown]})
    assert status == 1
    assert lines == [
        "b 2: X-1, mended in 3",
        "c: not looked up (not on the index)",
        "2 of 3 packages looked up, 1 with weaknesses",
    ]


def test_local_ray_has_a_token_and_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_ADDRESS", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    begun: dict[str, object] = {}
    fake = SimpleNamespace(
        is_initialized=lambda: False, init=lambda address, **options: begun.update(options)
    )
    monkeypatch.setitem(sys.modules, "ray", fake)
    with monkeypatch.context() as within:
        within.setattr(os, "environ", dict(os.environ))
        executors._join(None)
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
    assert begun["_node_ip_address"] == "127.0.0.1"
    assert begun["include_dashboard"] is False
