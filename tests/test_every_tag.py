"""A page with a fence of each tag and each language: recorded twice and checked twice, all green.

So is its copy in each carrier, and with CRLF. The page is made of the table below; a tag or a
language without a line in it fails.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

import pytest

from fencerun import launch
from fencerun.events import Event, FenceDone, PageDone, ProblemFound, RunDone
from fencerun.infostring import LANGUAGES, Carrier
from fencerun.reader import parse
from fencerun.session import Request
from fencerun.tags import FLAGS, NAMES


@dataclass(frozen=True)
class Line:
    """A fence with these tags, and what becomes of it when it is checked."""

    language: str
    code: str
    tags: Mapping[str, str] = field(default_factory=dict)
    verdict: str = "passed"
    #: Whether it prints nothing that is recorded.
    silent: bool = False


_ANY = "int.from_bytes(__import__('os').urandom(2), 'big')"

LINES = (
    Line("python", "total = 6 * 7\nprint(total)"),
    Line("py", "print('two words')"),
    Line("python3", "print('*not* `emphasis`')"),
    Line("python", "print(total + 1)", {"continues": "1"}),
    Line("python", "print(1)", {"requires": "python>=3.10,triple"}),
    Line("python", "raise ValueError('no such x: 3')", {"raises": "ValueError: no such x"}),
    Line("python", f"print(1 + {_ANY} * 1e-9)", {"rtol": "1e-3"}),
    Line("python", f"print({_ANY} * 1e-9, 'near nothing')", {"atol": "1e-3"}),
    Line("python", f"print(1000 + {_ANY} % 3)", {"rtol": "1%", "ints": ""}),
    Line("python", "print({'c', 'a'}.__len__())\nprint('x')", {"match": "unordered"}),
    Line("python", f"print({_ANY}, {_ANY})", {"match": "any"}),
    Line("python", f"print(hex(0x7f0000000000 + {_ANY}))", {"mask": "address"}),
    Line("python", f"print('in', {_ANY} / 1000, 's')", {"varies": "time"}),
    Line("python", f"print({_ANY})", {"quiet": ""}, silent=True),
    Line("python", "no such code", {"skip": "needs a license"}, "skipped", True),
    Line("python", "import sys\nprint('warned', file=sys.stderr)", {"stderr": ""}),
    Line("python", "{'a': 1}", {"echo": ""}),
    Line("python", "print('in time')", {"timeout": "50"}),
    Line("python", "print('apart')", {"isolated": ""}),
    Line("python", "print('nothing of it')", {"allows": "aten"}),
    Line("python", "print(open('data.csv').read())", {"uses": "data.csv"}),
    Line("python", "print('| a | b |\\n|---|---|\\n| 1 | 2 |')", {"as": "markdown"}),
    Line(
        "python",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint('drawn')",
        {"figure": "{page}.svg"},
    ),
    Line("python", "import twice\nprint(twice.of(21))"),
    Line("bash", "echo 'from bash'; exit 3", {"exit": "3"}),
    Line("sh", "echo 'from sh'"),
    Line("pycon", ">>> 1 + 1\n>>> print('typed')"),
    Line("console", '$ echo "a  b"\n$ cat data.csv'),
)

#: Tags whose lines are not in the table, since they are on no block that runs in the open.
ELSEWHERE = ("fence", "output", "file", "hidden")

ENDINGS = {"lf": "\n", "crlf": "\r\n"}
CARRIERS: tuple[Carrier, ...] = get_args(Carrier)
VARIANTS = [(carrier, ending) for carrier in CARRIERS for ending in ENDINGS]

CONFIGURATION = """\
[tool.fencerun.capabilities]
triple = { python = "6 == 2 * 3" }
"""


def _info(carrier: Carrier, language: str, tags: Mapping[str, str]) -> tuple[str, str]:
    """What stands above a block, and its info string."""
    braces = carrier == "attributes"
    words = []
    for name, value in tags.items():
        value = value or ("yes" if braces else "")
        value = f'"{value}"' if " " in value or "," in value else value
        words.append(name + ("=" if braces else ":") * bool(value) + value)
    said = " ".join(words)
    if carrier == "comment":
        return f"<!-- {said} -->\n\n", language
    return "", f"{language} {{{said}}}" if braces else f"{language} {said}"


def _block(carrier: Carrier, language: str, tags: Mapping[str, str], code: str) -> str:
    above, info = _info(carrier, language, tags)
    return f"{above}```{info}\n{code}\n```\n"


def page(carrier: Carrier, name: str) -> str:
    """The page with everything on it, its tags in ``carrier``."""
    parts = ["# A page\n"]
    for number, line in enumerate(LINES, 1):
        own = {key: value.format(page=name) for key, value in line.tags.items()}
        parts.append(_block(carrier, line.language, {"fence": str(number), **own}, line.code))
    last = len(LINES) + 1
    parts += [
        'It is <span data-fence="1:total">0</span>.\n',
        f"<!-- fence:{last} hidden\nunseen = 1\nprint(unseen)\n-->\n",
        _block(carrier, "python", {"file": "twice.py"}, "def of(x):\n    return 2 * x"),
        _block(carrier, "python", {"fence": "none"}, "never(run)"),
    ]
    return "\n".join(parts)


@dataclass(frozen=True)
class Run:
    """What a run said."""

    code: int
    #: The verdict on each fence, by its number, for each page.
    verdicts: Mapping[str, Mapping[int, str]]
    written: frozenset[str]
    texts: Mapping[str, bytes]
    said: tuple[str, ...]


def _run(verb: Literal["check", "record"], directory: Path) -> Run:
    events: list[Event] = []
    names = sorted(path.name for path in directory.glob("*.md"))
    session = launch.session(
        Request(verb, launch.targets(names)), events.append, python=sys.executable
    )
    done = session.run()
    assert isinstance(done, RunDone)
    verdicts: dict[str, dict[int, str]] = {name: {} for name in names}
    said = [event.problem.what for event in events if isinstance(event, ProblemFound)]
    for event in events:
        if isinstance(event, FenceDone):
            verdicts[event.verdict.page][event.verdict.fence] = event.verdict.kind
            said.append(f"{event.verdict.id}: {event.verdict.kind}: {event.verdict.what}")
    return Run(
        done.exit_code,
        verdicts,
        frozenset(e.page for e in events if isinstance(e, PageDone) and e.written),
        {name: (directory / name).read_bytes() for name in names},
        tuple(said),
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """All pages recorded twice and checked twice."""
    directory = tmp_path_factory.mktemp("every_tag")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        for name in ("VIRTUAL_ENV", "FENCERUN_PAGE"):
            patch.delenv(name, raising=False)
        (directory / "pyproject.toml").write_text(CONFIGURATION)
        (directory / "data.csv").write_text("1,2\n")
        for carrier, ending in VARIANTS:
            name = f"{carrier}-{ending}"
            text = page(carrier, name).replace("\n", ENDINGS[ending])
            (directory / f"{name}.md").write_bytes(text.encode())
        return {
            "first": _run("record", directory),
            "second": _run("record", directory),
            "check": _run("check", directory),
            "again": _run("check", directory),
        }


@pytest.mark.parametrize("which", ["second", "check", "again"])
@pytest.mark.parametrize(("carrier", "ending"), VARIANTS)
def test_every_fence_is_as_recorded(
    runs: dict[str, Run], carrier: Carrier, ending: str, which: str
) -> None:
    run = runs[which]
    expected = {number: line.verdict for number, line in enumerate(LINES, 1)}
    expected[len(LINES) + 1] = "passed"
    assert run.verdicts[f"{carrier}-{ending}.md"] == expected, "\n".join(run.said)


def test_the_first_recording_writes_every_page_and_the_second_none(runs: dict[str, Run]) -> None:
    assert runs["first"].written == runs["first"].texts.keys()
    assert not runs["second"].written
    for which in ("second", "check", "again"):
        assert runs[which].texts == runs["first"].texts
        assert runs[which].code == runs["first"].code == 0


@pytest.mark.parametrize(("carrier", "ending"), VARIANTS)
def test_recordings_are_in_the_carrier_and_line_ending_of_the_page(
    runs: dict[str, Run], carrier: Carrier, ending: str
) -> None:
    text = runs["first"].texts[f"{carrier}-{ending}.md"]
    assert text.count(b"\n") == text.count(ENDINGS[ending].encode())
    found = parse(text)
    assert not found.problems
    spoken = {f.number for f in found.fences if f.transcript}
    silent = {number for number, line in enumerate(LINES, 1) if line.silent}
    wanted = set(range(1, len(LINES) + 1)) - silent - spoken
    assert {recording.number for recording in found.recordings} == wanted
    for recording in found.recordings:
        assert recording.region or recording.block.info.carrier == carrier
    assert ">42</span>" in text.decode()


def test_all_pages_say_the_same(runs: dict[str, Run]) -> None:
    """But for what varies from run to run, and the name of the figure."""
    texts = []
    for name, data in runs["first"].texts.items():
        found = parse(data)
        free = {
            n for n, line in enumerate(LINES, 1) if "urandom" in line.code or "figure" in line.tags
        }
        texts.append({r.number: r.text for r in found.recordings if r.number not in free})
        assert len(texts[-1]) > 12, name
    assert all(text == texts[0] for text in texts)


def test_every_tag_and_language_has_a_line() -> None:
    tags = {name for line in LINES for name in line.tags}
    assert {*NAMES} - {*ELSEWHERE} <= tags, "add a line for the new tag"
    assert {line.language for line in LINES} == LANGUAGES.keys(), "add one for the new language"
    everything = parse(page("words", "x").encode())
    assert not everything.problems
    assert everything.files and everything.excused and everything.values
    assert {*FLAGS} <= tags | {"hidden"}
    assert any(fence.tags.hidden for fence in everything.fences)
