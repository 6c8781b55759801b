"""Other tools that run the code blocks of a page: the same blocks, in turns, whole processes.

The floor is a Python that reads the page and executes its blocks; every figure is CPU time over
the floor's of the same round. Each tool has an environment of its own, with the version that is
named here. A tool that cannot be installed, or that fails, has a row that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import dialects
from benchmarks.environments import environment, torch_alone
from benchmarks.figures import Figure, figure, missing, seconds, text
from benchmarks.measure import Command, Sample, control, fencerun, passes, run

_FLOOR = """
import re, sys
page = open(sys.argv[1]).read()
names = {"__name__": "__main__"}
for found in re.finditer(r"^```python[^\\n]*\\n(.*?)^```", page, re.M | re.S):
    exec(compile(found[1], sys.argv[1], "exec"), names)
"""

_MKTESTDOCS = "import sys\nfrom mktestdocs import check_md_file\ncheck_md_file(sys.argv[1])\n"

_SYBIL = """
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
pytest_collect_file = Sybil(parsers=[PythonCodeBlockParser()], patterns=["*.md"]).pytest()
"""

_EXAMPLES = """
import os, pytest
from pytest_examples import find_examples
@pytest.mark.parametrize("example", find_examples(os.environ["PAGE"]), ids=str)
def test_page(example, eval_example):
    eval_example.run_print_check(example)
"""

_PYTEST = ("{bin}/python", "-m", "pytest", "-q", "-q", "-p", "no:cacheprovider", "--no-header")
_NEWEST_PYTEST = "pytest==9.2.0"

_JUPYTER = ("jupytext==1.19.6", "nbclient==0.11.0", "nbconvert==7.17.2", "ipykernel==7.4.0")


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: what it is called with, the form of its page, what it leaves out."""

    name: str
    home: str
    requirements: tuple[str, ...]
    #: ``{bin}`` is its environment's directory of programs.
    words: tuple[str, ...]
    dialect: dialects.Dialect
    #: Blocks of the largest page that it is given.
    most: int
    lacks: str
    page: str = "page.md"
    files: Mapping[str, str] = field(default_factory=dict)
    #: It starts a process for each block, so that each imports torch anew.
    a_process_each: bool = False

    def command(self, work: Path, blocks: dialects.Blocks, variables: Mapping[str, str]) -> Command:
        """Write the page; how to run it. Raises RuntimeError where the tool is not to be had."""
        work.mkdir(parents=True, exist_ok=True)
        (work / self.page).write_text(self.dialect(blocks))
        for name, content in self.files.items():
            (work / name).write_text(content)
        if not self.home:
            return Command(fencerun(*self.words), work)
        programs = environment(self.home, self.requirements)
        path = {"PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "PAGE": self.page}
        words = [word.format(bin=programs) for word in self.words]
        return Command(words, work, variables=path | dict(variables))


FLOOR = Peer(
    "floor: read, compile, `exec`", "python", (), ("{bin}/python", "floor.py", "page.md"),
    dialects.plain, 5000, "records nothing", files={"floor.py": _FLOOR},
)  # fmt: skip

OURS = Peer("**fencerun** `check`", "", (), ("check", "page.md"), dialects.fencerun, 5000, "")

PEERS = (
    FLOOR,
    OURS,
    Peer(
        "`python -m doctest`", "python", (), ("{bin}/python", "-m", "doctest", "page.md"),
        dialects.doctest, 5000, "records nothing",
    ),
    Peer(
        "mktestdocs 0.2.5", "mktestdocs", ("mktestdocs==0.2.5", _NEWEST_PYTEST),
        ("{bin}/python", "check.py", "page.md"), dialects.plain, 5000,
        "records nothing; stops at the first error",
        files={"check.py": _MKTESTDOCS},
    ),
    Peer(
        "mdoctest 0.9.0, prompts", "mdoctest", ("mdoctest==0.9.0",), ("{bin}/mdoctest", "page.md"),
        dialects.pycon, 5000, "prompts only",
    ),
    Peer(
        "markdown-code-runner 2.7.0", "markdown-code-runner", ("markdown-code-runner==2.7.0",),
        ("{bin}/markdown-code-runner", "page.md"), dialects.code_runner, 5000,
        "rewrites the page each time",
    ),
    Peer(
        "Sybil 10.1.0", "sybil", ("sybil==10.1.0", _NEWEST_PYTEST), (*_PYTEST, "page.md"),
        dialects.plain, 1000, "records nothing; would compare prompts",
        files={"conftest.py": _SYBIL},
    ),
    Peer(
        "pytest-codeblocks 0.18.0", "pytest-codeblocks",
        ("pytest-codeblocks==0.18.0", _NEWEST_PYTEST), (*_PYTEST, "--codeblocks", "page.md"),
        dialects.expected_output, 100,
        "records nothing; refuses pages of over 10,000 lines",
    ),
    Peer(
        "pytest-markdown-docs 0.9.2", "pytest-markdown-docs",
        ("pytest-markdown-docs==0.9.2", _NEWEST_PYTEST), (*_PYTEST, "--markdown-docs", "page.md"),
        dialects.plain, 1000, "records nothing",
    ),
    Peer(
        "pytest-examples 0.0.18", "pytest-examples",
        ("pytest-examples==0.0.18", _NEWEST_PYTEST), (*_PYTEST, "test_page.py"),
        dialects.print_comments, 100, "records `print` only",
        files={"test_page.py": _EXAMPLES},
    ),
    Peer(
        "nbclient 0.11.0 (`jupyter execute`)", "jupyter",
        _JUPYTER,
        ("{bin}/jupyter", "execute", "page.ipynb", "--output=out.ipynb"), dialects.notebook, 100,
        "a notebook, no page; a process a page", page="page.ipynb",
    ),
    Peer(
        "jupytext 1.19.6 `--execute`", "jupyter",
        _JUPYTER,
        ("{bin}/jupytext", "--quiet", "--set-kernel", "python3", "--to", "ipynb", "--execute",
            "--output", "out.ipynb", "page.md"),
        dialects.plain, 100, "records into a notebook; a process a page",
    ),
    Peer(
        "showboat 0.6.1 `verify`", "showboat", ("showboat==0.6.1",),
        ("{bin}/showboat", "verify", "page.md"), dialects.showboat, 100,
        "no shared state: a process a block", a_process_each=True,
    ),
    Peer(
        "mdoctest 0.9.0, `run`", "mdoctest", ("mdoctest==0.9.0",), ("{bin}/mdoctest", "page.md"),
        dialects.run_directive, 100,
        "records nothing; no shared state: a process a block", a_process_each=True,
    ),
)  # fmt: skip

#: CPU seconds of a block that shows whether a tool runs its blocks, and where its time goes.
BURNT = 0.3

#: The last column.
_DOES_NOT = "does not"

_BURN = f"import time; _ = any(iter(lambda: time.process_time() > {BURNT}, True))"


@dataclass(frozen=True, slots=True)
class Column:
    """Pages of one size and kind of block, and how many rounds they are run."""

    name: str
    size: int
    code: str
    prints: bool
    rounds: int
    torch: bool = False
    #: For tools that start a process a block, the floor and us; the other torch page is for all
    #: others.
    few: bool = False

    def blocks(self) -> dialects.Blocks:
        """The code of each block and what it prints."""
        numbers = range(1, self.size + 1)
        return [(self.code.format(n=n), str(n) if self.prints else None) for n in numbers]

    def is_for(self, peer: Peer) -> bool:
        """Whether the tool gets these pages."""
        if self.torch and peer not in (FLOOR, OURS):
            return peer.a_process_each == self.few
        return self.size <= peer.most


_TORCH = "import torch; print(torch.tensor({n}).item())"


def columns(rounds: int) -> Iterator[Column]:
    """From the smallest page to the largest."""
    for size in (1, 100, 1000, 5000):
        turns = rounds if size == 1 else max(3, rounds // 3)
        yield Column(f"{size:,} `x = i`", size, "x = {n}", False, turns)
        yield Column(f"{size:,} `print(i)`", size, "print({n})", True, turns)
    yield Column("100 of torch", 100, _TORCH, True, 2, torch=True)
    yield Column("3 of torch", 3, _TORCH, True, 2, torch=True, few=True)


def peers(work: Path, rounds: int) -> Iterator[Figure]:
    """Each tool on pages of each size and kind, over the floor."""
    usable = []
    for peer in PEERS:
        try:
            burning = [(_BURN, None)]
            control(peer.command(work / "control" / _directory(peer), burning, {}), BURNT)
            usable.append(peer)
            yield shortcomings(peer, work / "probe" / _directory(peer))
        except RuntimeError as error:
            yield missing(f"{peer.name} · all", _last(error))
    for place, column in enumerate(columns(rounds)):
        try:
            variables = {"PYTHONPATH": str(torch_alone())} if column.torch else {}
        except RuntimeError as error:
            yield missing(f"all · {column.name}", _last(error))
            continue
        commands = {
            peer.name: peer.command(
                work / str(place) / _directory(peer), column.blocks(), variables
            )
            for peer in usable
            if column.is_for(peer)
        }
        yield from _figures(column, commands)


#: Pages that ought to fail a check: what it means where they do not.
_WRONG: dict[str, dialects.Blocks] = {
    "compares nothing": [("print(1)", "2")],
    "a block that calls `os._exit(0)` is green": [("import os; os._exit(0)", None)],
}

#: A page that ought to pass: each block a world of its own.
_LEAK: dialects.Blocks = [
    ("import os; os.environ['LEFT'] = 'x'", None),
    ("import os; assert 'LEFT' not in os.environ", None),
]


def shortcomings(peer: Peer, work: Path) -> Figure:
    """What pages with a fault show that the tool does not do; their number is the value."""
    found = []
    for what, blocks in _WRONG.items():
        if passes(peer.command(work, blocks, {})):
            found.append(what)
    if not passes(peer.command(work, _LEAK, {})):
        found.append("no isolation")
    return figure(f"{peer.name} · {_DOES_NOT}", "", [len(found)], note="; ".join(found))


def _figures(column: Column, commands: dict[str, Command]) -> Iterator[Figure]:
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    # The controls have written the `.pyc` files; torch's are read for the first time here.
    for turn in range(column.rounds + (column.size == 1)):
        for name, command in list(commands.items()):
            try:
                sample = run(command)
            except RuntimeError as error:
                del commands[name], samples[name]
                yield missing(f"{name} · {column.name}", _last(error))
            else:
                if turn or column.size > 1:
                    samples[name].append(sample)
    floor = samples.get(FLOOR.name)
    if floor is None:
        raise RuntimeError("without the floor there is nothing to compare with")
    for name, theirs in samples.items():
        values = [one.cpu / base.cpu for one, base in zip(theirs, floor, strict=True)]
        yield figure(f"{name} · {column.name}", "×", values, note=seconds(theirs))


def _directory(peer: Peer) -> str:
    return str(PEERS.index(peer))


def _last(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return ": ".join(dict.fromkeys((lines[0][:120], lines[-1][:200])))


def table(figures: Sequence[Figure]) -> str:
    """A row a tool, a column a page; what could not be measured below."""
    cells = {one.what: one for one in figures if one.measured}
    found = dict.fromkeys(name.partition(" · ")[2] for name in cells)
    heads = [head for head in found if head != _DOES_NOT]
    rows = [f"| | {' | '.join(heads)} | {_DOES_NOT} |", "|---" * (len(heads) + 2) + "|"]
    for peer in PEERS:
        row = [_cell(cells.get(f"{peer.name} · {head}")) for head in heads]
        seen = cells.get(f"{peer.name} · {_DOES_NOT}")
        lacks = "; ".join(filter(None, (seen.note if seen else "", peer.lacks)))
        rows.append(f"| {peer.name} | {' | '.join(row)} | {lacks} |")
    gaps = [f"- {one.what}: {one.note}" for one in figures if not one.measured]
    return "\n".join((*rows, "", *gaps)).rstrip()


def _cell(one: Figure | None) -> str:
    if one is None:
        return ""
    return f"{text(one.value, '×')} ({text(one.low, '')}–{text(one.high, '')}) {one.note}"
