"""The faults as pages: what each holds, what a check must say of it and what recording must make.

A name begins with the number of its fault in ``table``. Pages are small and print little; those
that need torch, another process or a clock are tests of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fencerun.canonical import canonical


@dataclass(frozen=True, slots=True)
class Input:
    """``code`` and ``said`` are of a check of the page as it stands.

    ``recorded`` are the recordings after `record`, by fence; None where it must change nothing.
    """

    page: str | bytes
    code: int
    said: tuple[str, ...] = ()
    recorded: dict[int, str] | None = None
    files: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        """The page's bytes."""
        return self.page if isinstance(self.page, bytes) else self.page.encode()


def fence(number: int, code: str, tags: str = "", mark: str = "```") -> str:
    """A fence of Python."""
    return f"{mark}python fence:{number}{tags and ' ' + tags}\n{code}\n{mark}\n"


def output(number: int, text: str, mark: str = "```") -> str:
    """A recording, as `record` writes it behind its fence."""
    return f"\n{mark}text output:{number}\n{text}\n{mark}\n"


def indented(text: str, first: str, rest: str) -> str:
    """``text`` in a list item or quote."""
    lines = text.splitlines()
    return "".join(
        f"{first if index == 0 else rest}{line}".rstrip() + "\n" for index, line in enumerate(lines)
    )


def _cut(text: str) -> str:
    """Long output, as much of it as a page may hold."""
    return "\n".join(canonical(text.encode()))


_ONE = fence(1, "print('one')")
_SAYS_ONE = {1: "one"}
_TICKS = "`" * 3

READING: dict[str, Input] = {
    "A1-forms of one fence": Input(
        "~~~python fence:1\nprint(1)\n~~~\n\n"
        "`````python fence:2\nprint(2)\n`````\n\n"
        "```python fence:3\nprint(3)\n``````\n\n"
        "```python fence:4\nprint(4)\n   ```\n\n"
        "``` python fence:5\nprint(5)\n```\n\n"
        "```Python fence:6\nprint(6)\n```\n\n"
        "```py fence:7\nprint(7)\n```\n\n"
        "```python3 fence:8\nprint(8)\n```\n",
        1, ("8 unrecorded",), {number: str(number) for number in range(1, 9)},
    ),
    "A1-pythonic": Input("```pythonic fence:1\nx\n```\n", 3, ("p.md:1: problem",)),
    "A2-a tag more": Input(
        fence(3, "print('ran')", "requires:dist:no-such-package"),
        5, ("p.md:1: missing", "no-such-package"),
    ),
    "A2-words of other tools": Input(
        '```python title="app.py" fence:1 hl_lines="2" .wide\nprint("one")\n```\n',
        1, ("1 unrecorded",), _SAYS_ONE,
    ),
    "A3-ticks in a string": Input(
        fence(1, "print(len('''\n```\n'''))", mark="````"), 1, ("1 unrecorded",), {1: "5"},
    ),
    "A3-an opener is no closer": Input(
        "```python fence:1\ntext = '''\n```python title=x\n'''\nprint(text.strip())\n```\n",
        1, ("1 unrecorded",), {1: _TICKS + "python title=x"},
    ),
    "A3-a tagged opener in an open fence": Input(
        "```python fence:1\ntext = '''\n```python fence:2\n'''\n```\n",
        3, ("p.md:1: problem", "swallows the tagged fence on line 3"),
    ),
    "A4-shown as text": Input(
        "````markdown\n" + fence(1, "1 / 0") + "````\n\n~~~text\n" + fence(2, "1 / 0") + "~~~\n\n"
        + fence(3, "print('one')"),
        1, ("p.md:13: unrecorded", "1 unrecorded"), {3: "one"},
    ),
    "A4-indented by four": Input(
        "Text\n\n    ```python fence:1\n    1 / 0\n    ```\n\n" + fence(2, "x = 1"),
        3, ("p.md:3: problem", "indented by four spaces"),
    ),
    "A5-containers": Input(
        indented(fence(1, "print(1)"), "- ", "  ") + "\n"
        + "1. item\n\n" + indented(fence(2, "print(2)"), "   ", "   ") + "\n"
        + "- a\n  - b\n\n" + indented(fence(3, "print(3)"), "    ", "    ") + "\n"
        + indented(fence(4, "print(4)"), "> ", "> ") + "\n"
        + "> [!NOTE]\n" + indented(fence(5, "print(5)"), "> ", "> ") + "\n"
        + "<details>\n\n" + fence(6, "print(6)") + "\n</details>\n\n"
        + "::: note\n" + fence(7, "print(7)") + ":::\n",
        1, ("7 unrecorded",), {number: str(number) for number in range(1, 8)},
    ),
    "A5-an admonition": Input(
        "---\nfencerun:\n  syntax: mkdocs\n---\n\n!!! note\n\n"
        + indented(_ONE, "    ", "    "), 1, ("p.md:8: unrecorded",), _SAYS_ONE,
    ),
    "A5-an admonition, not opted in": Input(
        "!!! note\n\n" + indented(_ONE, "    ", "    "), 3, ("syntax: mkdocs",),
    ),
    "A6-commented out": Input(
        "<!--\n" + fence(1, "1 / 0") + "-->\n\n" + fence(2, "print('one')"), 1, ("1 unrecorded",),
        {2: "one"},
    ),
    "A6-a word in a comment": Input("<!-- code -->\n" + _ONE, 1, ("1 unrecorded",), _SAYS_ONE),
    "A7-never closed": Input(
        _ONE + "\n" + "```python fence:2\nx = 1\n", 3, ("p.md:5: problem", "never closed"),
    ),
    "A7-swallows a fence": Input(
        "```text\n\n# Heading\n\n" + _ONE, 3, ("p.md:1: problem", "tagged fence on line 5"),
    ),
    "A8-byte order mark": Input("\ufeff" + _ONE, 1, ("p.md:1: unrecorded",), _SAYS_ONE),
    "A8-CRLF": Input(_ONE.replace("\n", "\r\n"), 1, ("1 unrecorded",), _SAYS_ONE),
    "A8-CR": Input(_ONE.replace("\n", "\r"), 1, ("1 unrecorded",), _SAYS_ONE),
    "A8-mixed endings": Input(
        "a\r\n\n" + _ONE.replace("\n", "\r", 1), 1, ("p.md:3: unrecorded",), _SAYS_ONE,
    ),
    "A8-what str.splitlines splits": Input(
        fence(1, "print(len('a\u2028b\x85c\x0cd'))"), 1, ("1 unrecorded",), {1: "7"},
    ),
    "A8-ticks in front matter": Input(
        "---\na: |\n  ```\n---\n\n" + _ONE, 1, ("p.md:6: unrecorded",), _SAYS_ONE,
    ),
    "A8-tabs": Input(fence(1, "if True:\n\tprint('one')"), 1, ("1 unrecorded",), _SAYS_ONE),
    "A8-no final newline": Input(_ONE[:-1], 1, ("1 unrecorded",), _SAYS_ONE),
    "A8-UTF-16": Input(_ONE.encode("utf-16"), 3, ("the page is UTF-16",)),
    "A8-not UTF-8": Input(b"text\n\xff\n", 3, ("p.md:2: problem", "not UTF-8")),
    "A8-empty fence": Input("```python fence:1\n```\n", 0, ("1 passed",)),
    "A8-begins with a blank line": Input(
        fence(1, "\nprint('one')"), 1, ("1 unrecorded",), _SAYS_ONE,
    ),
    "A9-line behind front matter": Input(
        "---\ntitle: x\n---\n\n" + fence(1, "x = 1\n1 / 0"), 4, ("p.md:7: failed",),
    ),
    "A9-line in a list": Input(
        "- item\n\n" + indented(fence(1, "x = 1\n1 / 0"), "  ", "  "), 4, ("p.md:5: failed",),
    ),
    "A9-line behind a finally": Input(
        fence(1, "try:\n    1 / 0\nfinally:\n    x = 1\n    y = 2"), 4, ("p.md:3: failed",),
    ),
    "A10-conflict": Input(
        "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n\n" + _ONE, 3, ("merge-conflict markers",),
    ),
    "A10-a rule in the output": Input(
        fence(1, "print('=======')"), 1, ("1 unrecorded",), {1: "======="},
    ),
    "A11-one number twice": Input(_ONE + "\n" + _ONE, 3, ("p.md:5: problem", "stands twice")),
    "A11-leading zero": Input("```python fence:01\n```\n", 3, ("Write `fence:1`",)),
    "A11-mistyped tag": Input(fence(1, "x", "require:cuda"), 3, ("requires",)),
    "A11-mistyped capability": Input(fence(1, "x", "requires:cudaa"), 3, ("cuda",)),
}  # fmt: skip

RECORDING: dict[str, Input] = {
    "B12-delimiters in the output": Input(
        fence(1, "print('```\\n~~~~\\n```text output:1\\n<!-- output:1 -->')"), 1, (),
        {1: _TICKS + "\n~~~~\n" + _TICKS + "text output:1\n<!-- output:1 -->"},
    ),
    "B13-no final newline": Input(fence(1, "print('x', end='')"), 1, (), {1: "x"}),
    "B13-a leading blank line": Input(fence(1, "print('\\nx')"), 1, (), {1: "\nx"}),
    "B13-only blank lines": Input(fence(1, "print('\\n \\n')"), 0, ("1 passed",)),
    "B13-nothing": Input(fence(1, "x = 1"), 0, ("1 passed",)),
    "B13-nothing any more": Input(fence(1, "x = 1") + output(1, "old"), 1, ("changed",), {}),
    "B13-something at last": Input(
        fence(1, "print(24)") + "\n```text output:1\n```\n", 1, ("changed",), {1: "24"},
    ),
    "B13-trailing blanks": Input(fence(1, "print('a  \\n\\tb\\t')"), 1, (), {1: "a\n\tb"}),
    "B13-trailing blanks that an editor took": Input(
        fence(1, "print('a  ')") + output(1, "a"), 0, ("1 passed",),
    ),
    "B13-a long line": Input(fence(1, "print('x' * 60_000)"), 1, (), {1: "x" * 60_000}),
    "B13-20,000 lines": Input(
        fence(1, "for n in range(20_000): print('line', n)"), 1, (),
        {1: _cut("".join(f"line {n}\n" for n in range(20_000)))},
    ),
    "B13-3 MB on one line": Input(
        fence(1, "print('x' * 3_000_000)"), 1, (), {1: _cut("x" * 3_000_000)},
    ),
    "B14-CRLF": Input(
        ("Text\n\n" + fence(1, "print('a\\nb')") + "\nMore\n").replace("\n", "\r\n"), 1, (),
        {1: "a\nb"},
    ),
    "B15-in a quote and a list": Input(
        indented(fence(1, "print('a\\n\\nb')"), "> - ", ">   "), 1, (), {1: "a\n\nb"},
    ),
    "B15-a block by hand": Input(
        _ONE + "\n```output\nby hand\n```\n", 1, ("1 unrecorded",), _SAYS_ONE,
    ),
    "B16-blocks that are alike": Input(
        "\n".join(fence(n, "print('same')") + output(n, "same") for n in (1, 2))
        + "\n" + fence(3, "print('other')") + output(3, "same"),
        1, ("1 changed",), {1: "same", 2: "same", 3: "other"},
    ),
    "B17-a pattern that still matches": Input(
        fence(1, "print('took 7 s')\nprint('new')", "match:ellipsis")
        + output(1, "took ... s\nold"), 1, ("1 changed",), {1: "took ... s\nnew"},
    ),
    "B17-a number within its tolerance": Input(
        fence(1, "print(1.0001)\nprint('new')", "rtol:1e-3") + output(1, "1.0\nold"),
        1, ("1 changed",), {1: "1.0\nnew"},
    ),
    "B19-one of three fails": Input(
        fence(1, "print(1)") + output(1, "old") + "\n" + fence(2, "1 / 0") + output(2, "kept")
        + "\n" + fence(3, "print(3)") + output(3, "old"),
        4, ("1 failed", "2 changed"), {1: "1", 2: "kept", 3: "3"},
    ),
}  # fmt: skip

_WRITERS = """\
import ctypes, os, subprocess, sys
print("print")
sys.stdout.write("write\\n")
print("file", file=sys.stdout, flush=True)
os.write(1, b"descriptor\\n")
subprocess.run(["echo", "child"])
ctypes.CDLL(None).puts(b"C")
import beside"""

CAPTURING: dict[str, Input] = {
    "C20-whoever writes": Input(
        fence(1, _WRITERS), 1, (), {1: "print\nwrite\nfile\ndescriptor\nchild\nC\nimport"},
        {"beside.py": "print('import')\n"},
    ),
    "C21-stderr apart": Input(
        fence(1, "import sys\nprint(1)\nprint(2, file=sys.stderr)\nprint(3)"), 1, (), {1: "1\n3"},
    ),
    "C21-stderr in order": Input(
        fence(1, "import sys\nprint(1)\nprint(2, file=sys.stderr)\nprint(3)", "stderr"),
        1, (), {1: "1\n2\n3"},
    ),
    "C21-a logger of an earlier fence": Input(
        fence(1, "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(message)s')"
              "\nlogging.warning('one')")
        + "\n" + fence(2, "logging.warning('two')", "continues:1"), 1, (), {1: "one", 2: "two"},
    ),
    "C22-what a reader would see": Input(
        fence(1, r"print('10%\r99%\r100%\nab\bc\n\x1b[31mred\x1b[0m')"), 1, (),
        {1: "100%\nac\nred"},
    ),
    "C23-standard output closed": Input(
        fence(1, "import sys\nprint('one')\nsys.stdout.close()") + "\n"
        + fence(2, "import os\nprint('two', flush=True)\nos.close(1)") + "\n"
        + fence(3, "import io, sys\nprint('three')\nsys.stdout = io.StringIO()\nprint('gone')")
        + "\n" + fence(4, "print('four')"),
        1, ("sys.stdout", "file descriptor 1"), {1: "one", 2: "two", 3: "three", 4: "four"},
    ),
    "C23-a late print": Input(
        fence(1, "import threading, time\ndef late():\n    time.sleep(0.3)\n    print('late')\n"
              "threading.Thread(target=late, daemon=True).start()\nprint('one')")
        + "\n" + fence(2, "import time\ntime.sleep(0.5)\nprint('two')"),
        1, ("thread",), {1: "one", 2: "two"},
    ),
    "C23-input": Input(fence(1, "input()"), 4, ("EOFError",)),
}  # fmt: skip

RUNNING: dict[str, Input] = {
    "D25-os._exit(0)": Input(
        fence(1, "import os\nos._exit(0)") + "\n" + fence(2, "x = 1"),
        4, ("p.md:3: failed", "1 passed, 1 failed"),
    ),
    "D25-sys.exit(0)": Input(
        fence(1, "import sys\nsys.exit(0)") + "\n" + fence(2, "print('one')"),
        1, ("1 passed, 1 unrecorded",), {2: "one"},
    ),
    "D25-SIGSEGV and abort": Input(
        fence(1, "import ctypes\nctypes.string_at(0)") + "\n" + fence(2, "import os\nos.abort()")
        + "\n" + fence(3, "x = 1"),
        4, ("p.md:3: failed", "SIGSEGV", "p.md:8: failed", "SIGABRT", "1 passed, 2 failed"),
    ),
    "D26-an endless loop": Input(
        fence(1, "while True:\n    try:\n        while True: pass\n    except BaseException:\n"
              "        pass", "timeout:0.3") + "\n" + fence(2, "x = 1"),
        4, ("no end after 0.3 s", "1 passed, 1 failed"),
    ),
    "D26-a regular expression": Input(
        fence(1, "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", "timeout:0.3"),
        4, ("p.md:3: failed", "no end after 0.3 s"),
    ),
    "D26-forks without end": Input(
        fence(1, "import os, time\nfor _ in range(4):\n    os.fork()\ntime.sleep(60)",
              "timeout:0.5") + "\n" + fence(2, "x = 1"),
        4, ("no end after 0.5 s", "1 passed, 1 failed"),
    ),
    "D26-a child left behind": Input(
        fence(1, "import subprocess\nsubprocess.Popen(['sleep', '60'])"), 0, ("sleep 60",),
    ),
    "D27-what a script can do": Input(
        fence(1, "from __future__ import annotations\n"
              "import dataclasses, inspect, pickle, typing\n\n"
              "@dataclasses.dataclass\nclass Point:\n    x: int\n\n"
              "print(inspect.getsource(Point))\n"
              "print(typing.get_type_hints(Point), pickle.loads(pickle.dumps(Point(3))))\n"
              "if __name__ == '__main__':\n    print('main')")
        + "\n" + fence(2, "def f(x: int): pass\nprint(f.__annotations__)"),
        1, (),
        {
            1: "@dataclasses.dataclass\nclass Point:\n    x: int\n\n"
               "{'x': <class 'int'>} Point(x=3)\nmain",
            2: "{'x': <class 'int'>}",
        },
    ),
    "D28-a syntax error": Input(
        fence(1, "x = (") + "\n" + fence(2, "print('one')"),
        4, ("p.md:2: failed", "1 unrecorded, 1 failed"), {2: "one"},
    ),
    "D28-skipped code is not compiled": Input(
        fence(1, "match new syntax:", 'skip:"for a newer Python"') + "\n" + fence(2, "x = 1"),
        0, ("1 passed", "1 skipped"),
    ),
    "D29-a traceback of the page": Input(
        fence(1, "def f():\n    raise KeyError('k')\n\nf()"),
        4, ('File "p.md", line 3, in f', 'File "p.md", line 5'),
    ),
    "D29-a failed assert": Input(
        fence(1, "a, b = 3, 4\nassert a == b"), 4, ("p.md:3: failed", "a = 3", "b = 4"),
    ),
    "D30-as expected": Input(
        fence(1, "1 / 0", "raises:ZeroDivisionError"), 1, (),
        {1: "ZeroDivisionError: division by zero"},
    ),
    "D30-another exception": Input(
        fence(1, "1 / 0", "raises:KeyError"), 4, ("ZeroDivisionError", "KeyError"),
    ),
    "D30-none": Input(fence(1, "x = 1", "raises:KeyError"), 4, ("KeyError",)),
    "D31-await": Input(
        fence(1, "import asyncio\nprint(await asyncio.sleep(0, 'one'))"), 1, (), _SAYS_ONE,
    ),
    "E36-what failed once": Input(
        fence(1, "from pathlib import Path\nfirst = not Path('n').exists()\nPath('n').touch()\n"
              "assert not first\nprint('flaky')"), 4, ("p.md:5: failed", "1 failed"),
    ),
    "E35-what a fence leaves behind": Input(
        fence(1, "import builtins, os, random, sys, warnings\n"
              "os.environ['X'] = '1'\nos.chdir('/')\n"
              "builtins.print = None\nsys.path.insert(0, '/x')\nwarnings.simplefilter('ignore')\n"
              "random.seed(3)")
        + "\n" + fence(2, "import os, random, sys\nprint('X' in os.environ, os.getcwd() == '/', "
                       "'/x' in sys.path)\nprint(random.random())")
        + "\n" + fence(3, "import random\nprint(random.random())"),
        1, ("variable X", "working directory"),
        {2: "False False False\n0.8444218515250481", 3: "0.8444218515250481"},
    ),
}  # fmt: skip

COMPARING: dict[str, Input] = {
    "F38-tolerance and dots": Input(
        fence(1, "print('run 17: 1.0001')", "match:ellipsis rtol:1e-3")
        + output(1, "run ...: 1.0"), 0, ("1 passed",),
    ),
    "F38-padding of the last digit": Input(
        fence(1, "print('[0.12345678]')", "rtol:1e-5") + output(1, "[0.1234567 ]"), 0,
    ),
    "F38-a number before a brace": Input(
        fence(1, "print({'a': 0.50001})", "rtol:1e-3") + output(1, "{'a': 0.5}"), 0,
    ),
    "F38-an array of several lines": Input(
        fence(1, "print('[[1.0001 2.]\\n [3.     4.]]')", "rtol:1e-3")
        + output(1, "[[1. 2.]\n [3. 4.]]"), 0,
    ),
    "F38-which number moved": Input(
        fence(1, "print('a 1.5 b 2.6')", "rtol:1e-3") + output(1, "a 1.5 b 2.5"),
        1, ("rounding", "2.5", "2.6"), {1: "a 1.5 b 2.6"},
    ),
    "F38-whole numbers stay exact": Input(
        fence(1, "print('step 11, 0.5')", "rtol:0.5") + output(1, "step 10, 0.5"),
        1, ("changed",), {1: "step 11, 0.5"},
    ),
    "F39-masks are written": Input(
        fence(1, "print(object())\nimport tempfile\nprint(tempfile.gettempdir() + '/tmpab/x')",
              "mask:address,path"),
        1, (), {1: "<object object at 0x…>\n<path>"},
    ),
    "F40-hostile dots": Input(
        fence(1, "print('ab' * 5_000)", "match:ellipsis") + output(1, "a...b" * 400 + "...c"),
        1, ("changed",), {1: "ab" * 5_000},
    ),
    "F40-a mask that only one side has": Input(
        fence(1, "print('took 3 apples')", "mask:time") + output(1, "took <time> apples"),
        1, ("changed",), {1: "took 3 apples"},
    ),
    "F41-a long diff": Input(
        fence(1, "for n in range(2_000): print(n if n != 1_000 else 'x')")
        + output(1, "\n".join(map(str, range(2_000)))),
        1, ("1 changed",), {1: "\n".join(str(n) if n != 1_000 else "x" for n in range(2_000))},
    ),
}  # fmt: skip

SKIPPING: dict[str, Input] = {
    "G42-kept is not passed": Input(
        fence(1, "print(1)", "requires:dist:no-such-package")
        + "\n```text output:1 key:00000000.00000000 on:nvidia-h200/torch-2.9.0/2026-01-01\n"
        + "1\n```\n",
        5, ("stale",),
    ),
    "G42-everything skipped": Input(
        fence(1, "x", 'skip:"later"') + output(1, "old"), 5, ("no fence ran", "later"),
    ),
    "G43-what continues a skipped one": Input(
        fence(1, "x = 1", 'skip:"slow"') + "\n" + fence(2, "print(x)", "continues:1")
        + "\n" + fence(3, "y = 1"),
        0, ("2 skipped",),
    ),
    "G43-what continues a failed one": Input(
        fence(1, "1 / 0") + "\n" + fence(2, "print(x)", "continues:1"), 4, ("1 failed, 1 blocked",),
    ),
    "G45-all silent": Input(
        fence(1, "x = 1") + "\n" + fence(2, "y = 1"), 0, ("none printed anything",),
    ),
}  # fmt: skip

_SET = fence(1, "print('a')\nprint('b')") + output(1, "a\nb")

USING: dict[str, Input] = {
    "H46-a place that editors open": Input(
        "Text\n\n" + fence(1, "x = 1\nraise ValueError('50%\\r\\n::error::')"),
        4, ("p.md:5: failed: fence 1, ValueError: 50%", "fencerun check p.md::1"),
    ),
    "H47-as recorded": Input("* item\n\n" + _SET, 0, ("1 passed",)),
    "H47-more blank lines": Input(_SET.replace("\n\n", "\n\n\n\n"), 0, ("1 passed",)),
    "H47-no blank line": Input(_SET.replace("\n\n", "\n"), 0, ("1 passed",)),
    "H47-other delimiters": Input(
        _SET.replace(_TICKS + "text", "~~~~text").replace("b\n" + _TICKS, "b\n~~~~"),
        0, ("1 passed",),
    ),
    "H47-another language": Input(_SET.replace("text output", "console output"), 0, ("1 passed",)),
    "H47-a final newline less": Input(_SET[:-1], 0, ("1 passed",)),
    "H47-CRLF": Input(_SET.replace("\n", "\r\n"), 0, ("1 passed",)),
    "H47-code in another style": Input(_SET.replace("print('a')", 'print("a",)'), 0, ("1 passed",)),
    "H47-moved into a list": Input(indented(_SET, "- ", "  "), 0, ("1 passed",)),
}  # fmt: skip

_LIBRARY = "import sys\nsys.path.insert(0, '../fault_library')\n"
_DTYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8")

#: Those that need torch.
TORCH: dict[str, Input] = {
    "E33-nine dtypes": Input(
        "\n".join(
            fence(number, _LIBRARY + "import torch, scale_by_two\nseen = []\n"
                  "def backend(graph, inputs):\n    seen.append(1)\n    return graph\n"
                  "f = torch.compile(scale_by_two.f, backend=backend)\n"
                  f"print(f(torch.ones(2, dtype=torch.{dtype})).tolist() == [2, 2], len(seen))")
            + output(number, "True 1")
            for number, dtype in enumerate(_DTYPES, 1)
        ),
        0, ("9 passed",),
        files={"../fault_library/scale_by_two.py": "def f(x):\n    return x * 2\n"},
    ),
    "E34-two fences, one operator": Input(
        "\n".join(
            fence(number, "import torch\n"
                  "@torch.library.custom_op('fault_twice::f', mutates_args=())\n"
                  f"def f(x: torch.Tensor) -> torch.Tensor:\n    return x * {number}\n"
                  "print(f(torch.ones(1)).item())")
            for number in (1, 2)
        ),
        4, ("p.md:11: failed", "fault_twice::f at p.md:11", "fence 1 registered at p.md:3"),
        {1: "1.0"},
    ),
    "E34-an operator that is gone": Input(
        fence(1, "import colorsys, torch\n"
              "@torch.library.custom_op('fault_gone::f', mutates_args=())\n"
              "def f(x: torch.Tensor) -> torch.Tensor:\n    return x.clone()\n"
              "colorsys.kept = torch.ops.fault_gone.f.default\n"
              "print(colorsys.kept(torch.ones(1)).item())")
        + "\n" + fence(2, "import colorsys, torch\ncolorsys.kept(torch.ones(1))"),
        4, ("p.md:12: failed", "fault_gone"), {1: "1.0"},
    ),
    "E35-meta, then an error": Input(
        fence(1, "import torch\ntorch.set_default_device('meta')\n"
              "torch.set_default_dtype(torch.float64)\nraise ValueError")
        + "\n" + fence(2, "import torch\nprint(torch.ones(1).device, torch.ones(1).dtype)"),
        4, ("default device", "default dtype"), {2: "cpu torch.float32"},
    ),
    "F38-a tensor on a rounding boundary": Input(
        fence(1, "import torch\nprint(torch.tensor([0.12345, 100.0]))", "rtol:1e-3")
        + output(1, "tensor([1.2340e-01, 1.0000e+02])"), 0, ("1 passed",),
    ),
}  # fmt: skip

INPUTS = {**READING, **RECORDING, **CAPTURING, **RUNNING, **COMPARING, **SKIPPING, **USING}
