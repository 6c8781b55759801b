"""Every form that our tags take on a page, each as a small page of its own.

The code has what a renderer mangles where it takes a block for something else: a blank line, a
comment that looks like a heading, stars, and an HTML tag.
"""

from __future__ import annotations

from dataclasses import dataclass

CODE = """\
def f(x):
    # a comment
    return f"<i>{x}</i>"

y = 2 *a* 3
"""
OUTPUT = "max abs err: *1.2e-07*\n\n# done <b>"
FILE = "int twice(int a) { return 2 * a; }"

_CUDA = "requires:cuda,sm>=90 rtol:1e-3"
_KEY, _ON = "3fa9c1.77d0e2", "nvidia-h200/torch-2.11.0+cu130/2026-11-29"
_BRACED = 'requires="cuda,sm>=90" rtol=1e-3 raises="ValueError: some text"'

#: Parts of tags that no reader may see.
TAGS = (
    *("fence:", "fence=", "output:", "output=", "file:", "file=", "fencerun", "data-fence"),
    *("requires", "rtol", "raises", "key:", "key=", "h200", "hidden", "continues", "secret"),
)


@dataclass(frozen=True)
class Form:
    """A page, and what of it readers must see.

    ``code`` stands in a block of its own, in colour where there is a ``language``. ``text`` are
    words of the prose, and ``elements`` are HTML elements that there must be.
    """

    name: str
    page: str
    code: str = ""
    language: str = ""
    text: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()


def _block(info: str, code: str, above: str = "") -> str:
    return f"Before.\n\n{above}```{info}\n{code.rstrip()}\n```\n\nAfter.\n"


def _listed(info: str, above: str = "") -> str:
    lines = [*above.splitlines(), f"```{info}", *CODE.rstrip().splitlines(), "```"]
    inside = "\n".join(f"    {line}" if line else "" for line in lines)
    return f"Before.\n\n1.  An item:\n\n{inside}\n\n2.  After.\n"


def _python(name: str, info: str, above: str = "") -> Form:
    return Form(name, _block(info, CODE, above), CODE, "python", ("Before.", "After."))


def _output(name: str, info: str, above: str = "") -> Form:
    return Form(name, _block(info, OUTPUT, above), OUTPUT, "", ("Before.", "After."))


def _file(name: str, info: str, above: str = "") -> Form:
    return Form(name, _block(info, FILE, above), FILE, "cpp", ("Before.", "After."))


def _item(name: str, info: str, above: str = "") -> Form:
    return Form(name, _listed(info, above), CODE, "python", ("Before.", "After."), ("li",))


FORMS = (
    _python("words", f'python fence:3 {_CUDA} raises:"ValueError: some text"'),
    _python("braces", f"python {{fence=3 {_BRACED}}}"),
    _python("comment", "python", f"<!-- fence:3 {_CUDA} -->\n\n"),
    _python("comment, close", "python", f"<!-- fence:3 {_CUDA} -->\n"),
    _output("words, output", f"text output:3 key:{_KEY} on:{_ON}"),
    _output("braces, output", f"text {{output=3 key={_KEY} on={_ON}}}"),
    _output("comment, output", "text", f"<!-- output:3 key:{_KEY} on:{_ON} -->\n\n"),
    _file("words, file", "cpp file:src/twice.cpp"),
    _file("braces, file", "cpp {file=src/twice.cpp}"),
    _file("comment, file", "cpp", "<!-- file:src/twice.cpp -->\n\n"),
    _item("words, in a list", "python fence:3"),
    _item("braces, in a list", "python {fence=3}"),
    _item("comment, in a list", "python", "<!-- fence:3 -->\n\n"),
    Form(
        "region",
        "Before.\n\n<!-- output:3 -->\n\n| op | graphs |\n|---|---|\n| add | 1 |\n\n"
        "<!-- /output:3 -->\n\nAfter.\n",
        text=("Before.", "graphs", "add", "After."),
        elements=("table",),
    ),
    Form(
        "figure",
        "Before.\n\n<!-- output:4 -->\n\n```text\nit ends at 0.25\n```\n\n"
        "![The loss falls](figures/loss.svg)\n\n<!-- /output:4 -->\n\nAfter.\n",
        "it ends at 0.25",
        text=("Before.", "After."),
        elements=("img",),
    ),
    Form(
        "value",
        'It took <span data-fence="2:len(losses)">120</span> *whole* steps.\n',
        text=("It took 120 whole steps.",),
        elements=("em",),
    ),
    Form(
        "value, first on its line",
        'It took\n<span data-fence="2:n" data-format=".1e">120</span> *whole* steps.\n',
        text=("It took 120 whole steps.",),
        elements=("em",),
    ),
    Form(
        "hidden",
        "Before.\n\n<!-- fence:1 hidden\nsecret = 1\n\nprint(secret > 0)\n-->\n\nAfter.\n",
        text=("Before.", "After."),
    ),
    Form(
        "settings",
        "<!-- fencerun: continues=previous rtol=1e-4 -->\n\n# A page\n\nAfter.\n",
        text=("A page", "After."),
        elements=("heading",),
    ),
    Form(
        "front matter",
        "---\ntitle: A\nfencerun:\n  continues: previous\n---\n\n# A page\n\nAfter.\n",
        text=("A page", "After."),
        elements=("heading",),
    ),
)
BY_NAME = {form.name: form for form in FORMS}
