"""How spaCy is imported: without torch, and not at all where it is not installed."""

import subprocess
import sys

LOADED = """
import sys
{before}
import trope
nlp = trope.load()
import thinc.compat
words = [token.text for token in nlp("Rain hammers roofs.")]
print(words[1], "torch" in sys.modules, thinc.compat.has_torch)
"""

MISSING = """
import sys
sys.modules["thinc"] = sys.modules["spacy"] = None
import trope
print(len(trope.analyze("Rain hammers roofs.").tokens))
try:
    trope.load()
except ImportError as error:
    print(type(error).__name__, error)
"""


def run(code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_pipeline_is_loaded_without_torch() -> None:
    assert run(LOADED.format(before="")) == "hammers False False"


def test_torch_that_somebody_has_imported_stays() -> None:
    stand_in = "import types; sys.modules['torch'] = types.ModuleType('torch')"
    assert run(LOADED.format(before=stand_in)) == "hammers True False"


def test_without_spacy_texts_are_analysed_and_load_names_the_extra() -> None:
    tokens, error = run(MISSING).splitlines()
    assert tokens == "4"
    assert error.startswith("MissingExtra trope in spaCy needs an optional part")
    assert error.endswith("pip install 'trope[spacy]'")
