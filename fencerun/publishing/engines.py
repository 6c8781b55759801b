"""The template engines that act on text in a page, whoever wrote it. Data.

What each does to output in a code block was tried with the generators themselves, but Quarto's,
which its manual states: https://quarto.org/docs/extensions/shortcodes.html#escaping.
"""

from __future__ import annotations

from fencerun.publishing.site import Engine

_OTHERWISE = "let the fence print it otherwise, or give it a mask"
_RAW = "put a line `<!-- {% raw %} -->` above the recording and `<!-- {% endraw %} -->` below it"
_EXEMPT = (r"\{%-?\s*raw\s*-?%\}", r"\{%-?\s*endraw\s*-?%\}")

HUGO = Engine("Hugo", ("{{<", "{{%"), r"\{\{[<%]", _OTHERWISE)

QUARTO = Engine(
    "Quarto",
    ("{{<",),
    r"(?<!\{)\{\{<",
    "add `shortcodes=false` to the braces of the recording, or " + _OTHERWISE,
    word=r"shortcodes\s*=\s*[\"']?false",
)

LIQUID = Engine(
    "Jekyll",
    ("{{", "{%"),
    r"\{\{|\{%",
    _RAW,
    exempts=_EXEMPT,
    front=r"render_with_liquid\s*:\s*false",
)

MACROS = Engine(
    "MkDocs' plugin macros",
    ("{{", "{%", "{#"),
    r"\{\{|\{%|\{#",
    "set `render_macros: false` in the page's front matter, or " + _RAW,
    exempts=_EXEMPT,
    front=r"render_macros\s*:\s*false",
)

SNIPPETS = Engine("pymdownx.snippets", ("-8<-",), r"^[ \t]*;*-+8<-+(?:\s.*)?$", _OTHERWISE)

VUE = Engine(
    "VitePress",
    ("{{",),
    r"\{\{",
    "put `::: v-pre` above and `:::` below it, or `v-pre` into the `<span>`",
    reach="prose",
    exempts=(r"^:{3,}[ \t]*v-pre\b", r"^:{3,}[ \t]*$"),
    word=r"\sv-pre\s",
)

MDX = Engine(
    "Docusaurus",
    ("{", "<"),
    r"(?<!\\)\{|<(?![A-Za-z/!\s])",
    "set `mdx: {format: md}` in the page's front matter, or " + _OTHERWISE,
    reach="prose",
    front=r"format\s*:\s*[\"']?(?:md|detect)\b",
)
