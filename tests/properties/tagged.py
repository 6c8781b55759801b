"""Hypothesis strategies: pages of every language, with any tags that may stand together."""

from __future__ import annotations

from hypothesis import strategies as st

#: By language: what its fences run, and the tags that they may have.
LANGUAGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "python": (
        (
            *("print('x')", "x = 3", "x", "x = x + 1\nprint(x)", "", "(", "assert False", "1 / 0"),
            *("raise ValueError('x y')", "import sys; sys.exit(0)", "import os; os._exit(1)"),
            *("print(0.1234, 5)", "import sys; print('e', file=sys.stderr)", "print('a' * 3)"),
            *(
                "print('| a |\\n|---|\\n| 1 |')",
                r"print('\x1b[31m\r\n```')",
                "print('\\n- a\\n  - b')",
            ),
        ),
        (
            *("requires:linux", "requires:cuda", "raises:ValueError", 'raises:"ValueError: x"'),
            *("raises:Exception", "rtol:1e-3", "rtol:any", "ints rtol:0.1", "match:ellipsis"),
            *("match:unordered", "match:any", "mask:address", "varies:time", 'skip:"why"'),
            *("uses:beside.txt", "timeout:5", "as:markdown", "quiet", "stderr", "echo", "isolated"),
        ),
    ),
    "bash": (
        ("echo hi", "exit 3", "false", "echo e >&2", "printf '```\\n'", "true"),
        ("exit:3", "exit:1", "requires:linux", 'skip:"why"', "stderr", "match:any", "quiet"),
    ),
    "console": (
        ("$ echo hi\nhi", "$ false", "$ echo a\n$ echo b\nold"),
        ("exit:1", "requires:cuda", 'skip:"why"', "rtol:1e-3"),
    ),
    "pycon": (
        (">>> 1 + 1\n2", ">>> x = 3\n>>> x\nold", ">>> print('>>> 1')", ">>> 1 / 0\nold"),
        ("requires:linux", 'skip:"why"', "rtol:any", "mask:path"),
    ),
}
_LANGUAGE = st.sampled_from(("python", "python", "python", "bash", "console", "pycon"))
_SETTINGS = st.sampled_from(
    (
        *("continues: previous", "record: present", "record: none", "cwd: scratch", "rtol: any"),
        *("match: ellipsis", "timeout: 5", "echo: true"),
    )
)
_RECORDED = st.sampled_from(("x", "old", "...", "0.1235 5", "x ..."))


@st.composite
def tagged(draw: st.DrawFn) -> str:
    """A page of up to four fences, some with recordings, values and a file."""
    pieces: list[str] = []
    if draw(st.integers(0, 3)) == 0:
        pieces.append(f"---\nfencerun:\n  {draw(_SETTINGS)}\n---\n")
    earlier: list[int] = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        language = draw(_LANGUAGE)
        pieces += draw(_fence(number, language, tuple(earlier)))
        earlier += [number] if language == "python" else []
    if draw(st.integers(0, 3)) == 0:
        pieces.append("```text file:of-the-page.txt\ntext\n```\n")
    return "\n".join(pieces)


@st.composite
def _fence(draw: st.DrawFn, number: int, language: str, earlier: tuple[int, ...]) -> list[str]:
    codes, known = LANGUAGES[language]
    names = st.lists(st.sampled_from(known), max_size=2, unique_by=lambda tag: tag.split(":")[0])
    tags = draw(names)
    if language == "python" and earlier and draw(st.booleans()):
        tags.append(f"continues:{draw(st.sampled_from(earlier))}")
    code = draw(st.sampled_from(codes))
    pieces = [f"````{language} fence:{number} {' '.join(tags)}\n{code}\n````\n"]
    if language in ("python", "bash") and "as:markdown" not in tags and draw(st.booleans()):
        pieces.append(f"```text output:{number}\n{draw(_RECORDED)}\n```\n")
    if language == "python" and draw(st.integers(0, 3)) == 0:
        expression = draw(st.sampled_from(("x", "1 + 1", "x * 2")))
        pieces.append(f'<span data-fence="{number}:{expression}">3</span>\n')
    return pieces
