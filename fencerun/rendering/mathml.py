"""TeX as MathML, which browsers draw themselves: no script, no font, no network.

The only importer of latex2mathml. Its elements are written out here, by an allow list: it escapes
nothing in ``\\text{…}``, and takes addresses from ``\\href{…}``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from typing import Any

from fencerun.patterns import later

#: Longer ones are shown as their source.
MAX_LENGTH = 5000

_TAGS = frozenset(
    (
        *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot"),
        *("mstyle", "mpadded", "mphantom", "menclose", "msub", "msup", "msubsup", "munder"),
        *("mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd"),
        *("merror", "semantics"),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("display", "mathvariant", "stretchy", "fence", "separator", "form", "lspace", "rspace"),
        *("minsize", "maxsize", "symmetric", "largeop", "movablelimits", "accent", "accentunder"),
        *("width", "height", "depth", "voffset", "linethickness", "displaystyle", "scriptlevel"),
        *("mathsize", "mathcolor", "mathbackground", "columnalign", "rowalign", "columnspacing"),
        *("rowspacing", "columnlines", "rowlines", "frame", "notation", "columnspan", "rowspan"),
        *("linebreak", "align", "numalign", "denomalign", "bevelled", "dir", "mathalign"),
    )
)
_WORD = later(r"\\[A-Za-z]+|[{}&]")
# Environments that latex2mathml knows under another name only.
_ENVIRONMENTS = {
    "aligned": "align*",
    "gathered": "gather*",
    "alignedat": "align*",
}
# Of a single upright letter it would make a variable, which is drawn in italics.
_UPRIGHT = later(r"\\mathrm\{([A-Za-z0-9 ]+)\}")
_ENVIRONMENT = later(r"\\(begin|end)\{(\w+)\}")


class NotDrawn(ValueError):
    """TeX that cannot be shown as MathML."""


@lru_cache(maxsize=4096)
def mathml(tex: str, display: bool) -> str:
    """The HTML of a formula; its source as code where it does not parse. Never raises."""
    kind = "math display" if display else "math"
    try:
        drawn = _drawn(tex, display)
    except Exception:
        # A parser of TeX in a few hundred lines fails in many ways; all mean the same here.
        source = escape(tex.strip(), quote=False)
        return f'<span class="{kind} source"><code>{source}</code></span>'
    return f'<span class="{kind}">{drawn}</span>'


def _drawn(tex: str, display: bool) -> str:
    from latex2mathml.converter import convert_to_element

    if len(tex) > MAX_LENGTH:
        raise NotDrawn("too long")
    known = _UPRIGHT.sub(r"\\text{\1}", _ENVIRONMENT.sub(_environment, tex.strip()))
    element = convert_to_element(known, display="block" if display else "inline")
    return _written(element)


def _environment(match: re.Match[str]) -> str:
    return f"\\{match[1]}{{{_ENVIRONMENTS.get(match[2], match[2])}}}"


def _written(element: Any) -> str:
    tag = str(element.tag).rpartition("}")[2]
    if tag not in _TAGS:
        raise NotDrawn(tag)
    text = unescape(element.text or "")
    if tag == "mi" and _WORD.fullmatch(text):
        raise NotDrawn(text)  # a command that it does not know, or a sign without its partner
    if tag == "msup" and len(element) == 2 and _primes(element[1]):
        # As a script it would be raised and made small twice: the sign itself is both.
        sign = unescape(element[1].text)
        return f'<mrow>{_written(element[0])}<mo lspace="0" rspace="0">{sign}</mo></mrow>'
    attributes = "".join(
        f' {name}="{escape(str(value))}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES
    )
    if tag == "mo" and len(text) > 1 and text.isalpha():
        # The name of a function, around which an operator's space is too wide.
        attributes += ' lspace="0.05em" rspace="0.1em"'
    inner = "".join(map(_written, element))
    return f"<{tag}{attributes}>{escape(text, quote=False)}{inner}</{tag}>"


def _primes(element: Any) -> bool:
    return len(element) == 0 and unescape(element.text or "") in ("′", "″", "‴", "⁗")
