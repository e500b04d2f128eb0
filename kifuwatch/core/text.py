"""Names and titles that people have typed, as they may be shown, stored and written into records."""

from __future__ import annotations

import re
import unicodedata

_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Signs that turn the direction of writing (Unicode Standard Annex 9), also of what stands beside the name."""
_NO_LETTERS = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of control characters, halves of characters (no UTF-8 holds them), and separators of lines."""


def one_line(text: str) -> str:
    """The text on one line, without signs that cannot be seen but change what stands around it.

    >>> one_line("Li \\u202e Hua\\n\\x1b[31m")
    'Li Hua [31m'
    """
    kept = (" " if unicodedata.category(sign) in _NO_LETTERS else sign for sign in _TURNS.sub("", text))
    return " ".join("".join(kept).split())
