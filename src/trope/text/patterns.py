"""Regular expressions for web text: links, tags, emoticons, emoji, repeated punctuation.

Each one is anchored so that a search over a long line without blanks stays linear.
"""

from __future__ import annotations

_CLOSING = r".,;:!?)\]}>'\"’”…"
_LINK_END = rf"\S*[^\s{_CLOSING}]"
LINK = rf"(?<!\w)(?:(?:https?|ftp)://{_LINK_END}|(?:www|pic\.twitter)\.{_LINK_END})"
"""An address that begins like one; what stands behind `(see http://x.org).` is left out."""

_TOP_DOMAINS = "com|org|net|edu|gov|mil|info|biz|co|uk|us|ca|au|de|eu|fr|ie|in|io|ly|me|tv"
_FILE_ENDS = "docx?|xlsx?|pptx?|pdf|txt|html?|jpe?g|png|gif|zip|csv|mp3|mp4|exe|php|aspx?"
DOMAIN = (
    rf"(?<![\w.@-])(?:[\w-]{{1,63}}\.){{1,6}}(?i:{_TOP_DOMAINS})(?![\w-])(?!\.\w)"
    rf"(?:/(?:{_LINK_END})?)?"
)
FILE = rf"(?<![\w.-])[\w-]{{1,80}}(?:\.[\w-]{{1,40}}){{0,3}}\.(?i:{_FILE_ENDS})(?!\w)"
EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"

MENTION = r"(?<!@)@\w*[^\W\d]\w*"
HASHTAG = r"(?<![#&])[#＃]\w*[^\W\d]\w*"
CASHTAG = r"(?<![\w$])\$[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?(?!\w)"

_PICTURE = (
    r"[\U0001F000-\U0001F1E5\U0001F200-\U0001F3FA\U0001F400-\U0001FAFF\u2600-\u27BF"
    r"\u231A-\u23FF\u2B05-\u2B55\u3030\u303D\u3297\u3299]"
    r"|[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u25A0-\u25FF\u2934\u2935]\uFE0F"
)
_ELEMENT = rf"(?:{_PICTURE})[\uFE0E\uFE0F]?[\U0001F3FB-\U0001F3FF]?[\U000E0020-\U000E007F]*"
EMOJI = (
    r"(?:[\U0001F1E6-\U0001F1FF]{2}|[0-9#*]\uFE0F?\u20E3"
    rf"|{_ELEMENT}(?:\u200D{_ELEMENT})*)"
)
"""One emoji as people see it: flags, keycaps, skin tones and joined families are one."""

_EYES = r"[<>]?[:;=]['’]?[-^~oO]?"
EMOTICON = (
    rf"{_EYES}[)(]+(?!\w)"  # may touch a word: "fine:)"
    rf"|(?<![^\W_]){_EYES}(?:[DPp3OoSsXx](?![^\W_])|[\]\[}}{{|*@$\\]+(?!\w)|/(?![/\w]))"
    r"|(?<!\S)[(]['’]?-?[:;=](?!\S)|(?<!\S)D:(?!\S)|(?<!\w)[xX]D+(?!\w)"
    r"|</?3+(?!\w)|[\\]o/|¯\\_\(ツ\)_/¯|(?<!\w)(?:\^[_.-]*\^|-_+-|[oO0][_.][oO0]|[tT]_+[tT]|>_+<|[uU]_[uU])(?!\w)"
)

ARROW = r"<[-=]+>?|[-=]+>"
RUN = (
    r"\.{2,}|…+\.*|(?<!\.[A-Za-z])\.[!?]+|[!?]{2,}|[‘’]{2,}|[-=*~_+<>|#]{3,}"
    r"|(?P<mark>[*=_~<>$#+\-'`,^|])(?P=mark)+"
)
"""Punctuation that is one word however long: "?!", "…..", "-----", "$$$"."""
