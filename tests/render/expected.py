"""What each renderer makes of each form. Found by rendering; `test_renderers` holds it."""

from __future__ import annotations

from collections.abc import Mapping

from .forms import FORMS
from .seen import Outcome

_WORDS = frozenset(form.name for form in FORMS if form.name.partition(",")[0] == "words")
_BRACES = frozenset(form.name for form in FORMS if form.name.partition(",")[0] == "braces")
_COMMENTS = frozenset(form.name for form in FORMS if "<!--" in form.page)

#: The generators that call these take front matter off before.
_FRONT = frozenset(("front matter",))

#: Of each renderer the forms that readers would see something of. All others are fine.
SHOWN: Mapping[str, frozenset[str]] = {
    "cmark-gfm": _FRONT,
    "markdown-it-py": _FRONT,
    "mistune": _FRONT,
    "myst-parser": frozenset(),
    "Sphinx": frozenset(),
    "remark": _FRONT,
    "markdown-it": _FRONT,
    # A comment is a syntax error, and the build fails.
    "MDX": _COMMENTS | _FRONT,
    "MDX with comments": _FRONT,
    # Its fenced_code knows no block in a list at all.
    "Python-Markdown": _WORDS | _BRACES | _FRONT | {"comment, in a list"},
    "superfences": _WORDS | _FRONT,
    "superfences, bare": _WORDS | _FRONT,
    "superfences, relaxed": _FRONT,
    "pandoc 2": _WORDS | _BRACES,
    "pandoc 3": _WORDS,
    "pandoc, gfm": frozenset(),
    "pandoc, commonmark_x": frozenset(),
    "kramdown": _WORDS | _BRACES | _FRONT,
}


def expected(renderer: str, form: str) -> Outcome:
    """What becomes of a form."""
    return "shown" if form in SHOWN[renderer] else "fine"
