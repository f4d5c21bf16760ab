"""What a page says, apart from the random letters in it."""

import re
from typing import Any


def text_of(answer: Any) -> str:
    """The content of an answer without tokens, in which any short word may occur by chance."""
    return re.sub(r"[\w-]{32,}", "", answer.content.decode())
