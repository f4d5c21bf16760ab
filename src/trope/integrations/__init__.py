"""trope in spaCy, which is imported first, and without torch."""

import sys
from importlib import import_module

from trope.core.errors import MissingExtra


def _import_spacy() -> None:
    """Import spaCy; its library thinc without torch, unless either is imported already.

    thinc imports torch only to offer it to pipelines other than ours, and torch takes most of the
    time and memory of loading ours.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        if sys.modules.keys().isdisjoint({"thinc", "torch"}):
            sys.modules["torch"] = None  # type: ignore[assignment]  # how Python marks what is absent
            try:
                import_module("thinc.compat")
            finally:
                del sys.modules["torch"]
        import_module("spacy")
    except ModuleNotFoundError as error:
        raise MissingExtra("trope in spaCy", "spacy", error.name or "spacy") from None


_import_spacy()
