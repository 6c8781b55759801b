"""What in the text of a paragraph is no prose: code spans, comments, and what HTML has besides.

Pure, and linear in the length of the text. Offsets and lines stay: what is taken out becomes
blanks. Tags stay, too, but nothing begins in one. Knows nothing of blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from fencerun.patterns import later
from fencerun.values import ATTRIBUTES

# What CommonMark reads first comes first: `\\`` opens no code span, nor does one in a tag.
_OPENS = later(
    rf"<[A-Za-z][\w-]*{ATTRIBUTES}\s*/?>"
    r"|(?P<whole><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>|\\[\\`<])"
    r"|(?P<code>`+)|(?P<other><!--|<\?|<!\[CDATA\[|<![A-Za-z])"
)
_RUN = later("`+")
_SHOWN = later(r"[^\r\n]")
#: What ends each; a comment may be as short as ``<!-->``.
_ENDS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}

Span = tuple[int, int]


def without_code(text: str) -> str:
    """``text`` with blanks in place of code spans, comments and other markup that is no tag."""
    return _blanked(text, _spans(text))


def without_comments(html: str) -> str:
    """An HTML block with blanks in place of its comments; one that never ends takes the rest."""
    return _blanked(html, _comments(html))


def _blanked(text: str, spans: Iterator[Span]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], _SHOWN.sub(" ", text[start:end])]
        at = end
    return "".join((*pieces, text[at:]))


def _comments(html: str) -> Iterator[Span]:
    at = 0
    while (start := html.find("<!--", at)) >= 0:
        end = _end_of(html, start, "<!--")
        at = len(html) if end is None else end
        yield start, at


def _end_of(text: str, start: int, opener: str) -> int | None:
    """Where what begins at ``start`` ends; None where it never does."""
    if opener == "<!--":
        for short in ("<!-->", "<!--->"):
            if text.startswith(short, start):
                return start + len(short)
    sign = _ENDS.get(opener, ">")
    found = text.find(sign, start + len(opener))
    return None if found < 0 else found + len(sign)


def _spans(text: str) -> Iterator[Span]:
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in _RUN.finditer(text):
        runs[len(run[0])].append(run.start())
    endless: set[str] = set()
    at = 0
    while (match := _OPENS.search(text, at)) is not None:
        start, at = match.span()
        end = at if match["whole"] else None
        if code := match["code"]:
            closers = runs[len(code)]
            after = bisect_right(closers, start)
            end = closers[after] + len(code) if after < len(closers) else at
        elif (opener := match["other"]) and opener not in endless:
            end = _end_of(text, start, opener)
            if end is None:
                endless.add(opener)  # nor does a later one end
        if end is not None:
            yield start, end
            at = end
