"""Each form of our tags on the renderers that platforms use: what we say of them holds.

A renderer that is not on this machine is skipped, with what to install. That it shows what the
table says it shows is as much a test as that the others show nothing: `fencerun check` warns by
this table, and `docs/publishing.md` tells it to users.
"""

from __future__ import annotations

import pytest

from .expected import SHOWN, expected
from .forms import BY_NAME, FORMS
from .renderers import RENDERERS
from .seen import Seen, outcome


@pytest.mark.parametrize("form", BY_NAME)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_readers_see_the_code_and_no_tag(renderer: str, form: str) -> None:
    one = RENDERERS[renderer]
    if one.absent:
        pytest.skip(one.absent)
    html = one.html(BY_NAME[form].page)
    assert outcome(BY_NAME[form], html) == expected(renderer, form), html


def test_the_table_has_every_renderer() -> None:
    assert SHOWN.keys() == RENDERERS.keys()


_CODE = '<pre><code class="language-python">{}</code></pre>'
_RIGHT = f"<p>Before.</p>{_CODE}<p>After.</p>"
_TEXT = BY_NAME["words"].code.replace("<", "&lt;")


@pytest.mark.parametrize(
    ("html", "what"),
    [
        (_RIGHT.format(_TEXT), "fine"),
        (_RIGHT.format(_TEXT).replace(' class="language-python"', ""), "plain"),
        ("<!-- fence:3 -->" + _RIGHT.format(_TEXT), "fine"),
        ('<p data-fence="3">' + _RIGHT.format(_TEXT), "fine"),
        ("fence:3" + _RIGHT.format(_TEXT), "shown"),
        (_RIGHT.format("fence:3\n" + _TEXT), "shown"),
        (_RIGHT.format(_TEXT.replace("\n\n", "\n")), "shown"),
        (_RIGHT.format(_TEXT) + _RIGHT.format("more"), "shown"),
        (_RIGHT.format(_TEXT).replace("After.", ""), "shown"),
        ("<p>Before. After. python def f(x): y</p>", "shown"),
        (_RIGHT.format(_TEXT) + "<p>def f(x):</p>", "shown"),
    ],
)
def test_what_counts_as_seen(html: str, what: str) -> None:
    assert outcome(BY_NAME["words"], html) == what


def test_colour_may_be_told_around_the_block() -> None:
    seen = Seen('<div class="highlight-python notranslate"><pre>x</pre></div><pre>y</pre>')
    assert (seen.blocks, seen.colour) == (["x", "y"], [True, False])


def test_forms_are_all_of_ours() -> None:
    """A form whose tags the reader does not know would prove nothing."""
    from fencerun.reader import parse

    for form in FORMS:
        fence = "" if "hidden" in form.name else "```python fence:2\nn = 1\n```\n\n"
        if form.name.endswith("matter") or form.name == "settings":
            page = parse((form.page + fence).encode())
            assert page.settings.defaults.continues == "previous"
            continue
        number = {"words", "braces", "comment"} & {form.name.partition(",")[0]}
        body = fence + form.page
        if "output" in form.name or form.name in ("region", "figure"):
            body = body.replace("fence:2", "fence:4" if form.name == "figure" else "fence:3")
        page = parse(body.encode())
        assert not page.problems, (form.name, page.problems)
        found = (*page.recordings, *page.values, *page.files, *page.fences[1:])
        assert found or (not number and page.fences), form.name
