"""Settings of the site that `make docs` builds; its pages load nothing from elsewhere."""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers import TextLexer

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "src")]

project = "trope"
author = "The trope authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated_pages"]
exclude_patterns = ["images/README.md"]

html_theme = "furo"
html_title = "trope"
html_static_path = ["static"]
html_css_files = ["wide-tables.css"]
html_copy_source = False
html_show_sphinx = False
smartquotes = False  # `--json` must stay two hyphens

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 5

default_role = "code"  # docstrings write code between single backticks, as Markdown does
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
add_module_names = False
# errors are documented on the same page, under their full names
nitpick_ignore = [
    (role, name)
    for role in ("py:exc", "py:class")
    for name in ("BadInput", "BadModel", "MissingData", "MissingExtra", "UnknownName")
]
# names of other packages have no page here, and nothing is downloaded to link them
nitpick_ignore_regex = [
    ("py:class", r"(collections|pathlib|spacy|pandas|pyarrow)\..*|Direction|Rows|TextKind")
]


def setup(app: Any) -> None:
    """Show tables as plain text, as Pygments does not know CSV, and blocks without blank ends."""
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", _trim_blocks)


def _trim_blocks(_: Any, page: nodes.document) -> None:
    """Take away the blank line that ends a session of Python, where doctest needs it."""
    for block in page.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        if block.rawsource == block.astext():  # else it has markup of its own
            block.rawsource, block.children = text, []
            block += nodes.Text(text)
