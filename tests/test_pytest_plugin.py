"""Fences as tests of pytest, as its users start it."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import markdown_it  # noqa: F401
import pytest
from test_pdb import PROMPT, Session

import fencerun
from fencerun.pytesting import markers

pytest_plugins = ("pytester",)

# What is first imported while pytester runs, it forgets afterwards; the package would be left with
# two copies of some modules.
for found in pkgutil.walk_packages(fencerun.__path__, "fencerun."):
    if not found.name.endswith(("__main__", "coverage_plugin")):
        importlib.import_module(found.name)

PAGE = """\
# Sums

```python fence:1
a = 41
print("one")
```

```text output:1
one
```

```python fence:2 continues:1
print(a + 1)
```

```text output:2
42
```

```python fence:3
print("pear")
```

```text output:3
apple
```

```python fence:4
def half(n):
    return n // 2

assert half(4) == 3, "no half"
```

```python fence:5 skip:"later"
```

```python fence:6 continues:4
```
"""


@pytest.fixture(autouse=True)
def _environment(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "FENCERUN_PAGE", "PYTEST_ADDOPTS", "LAB"):
        monkeypatch.delenv(name, raising=False)
    (pytester.path / "lessons").mkdir()


def page(text: str = PAGE, name: str = "lessons/x.md") -> Path:
    path = Path(name)
    path.write_text(text)
    return path


def block(code: str, info: str = "python fence:1") -> str:
    return f"```{info}\n{code}\n```\n\n"


def ids(result: pytest.RunResult) -> list[str]:
    return [
        line for line in result.outlines if "::" in line and line.endswith(tuple("0123456789s"))
    ]


# Collecting.


def test_a_fence_is_a_test_and_its_verdict_an_outcome(pytester: pytest.Pytester) -> None:
    page()
    result = pytester.runpytest("--fences", "lessons", "-v")
    result.assert_outcomes(passed=2, failed=3, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "fences: 6, run by *",
            "lessons/x.md::1 PASSED*",
            "lessons/x.md::2 PASSED*",
            "lessons/x.md::3 FAILED*",
            "lessons/x.md::4 FAILED*",
            "lessons/x.md::5 SKIPPED (skipped: later)*",
            "lessons/x.md::6 FAILED*",
        ]
    )
    assert page().read_text() == PAGE


def test_collecting_only_parses(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    page(block("open('ran', 'w')"))
    page(block("x", "python fence:1 requires:lab"), "lessons/y.md")
    Path("pyproject.toml").write_text(
        "[tool.fencerun.capabilities]\nlab = {command = 'touch asked'}\n"
    )
    result = pytester.runpytest("--fences", "--collect-only", "-q", "lessons")
    assert ids(result) == ["lessons/x.md::1", "lessons/y.md::1"]
    assert not Path("ran").exists()
    assert not Path("asked").exists()


def test_without_the_option_nothing_is_collected_or_imported(pytester: pytest.Pytester) -> None:
    page()
    Path("test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    loaded = [name for name in sys.modules if name.startswith('fencerun.')]\n"
        "    assert loaded == ['fencerun.pytest_plugin']\n"
    )
    result = pytester.runpytest_subprocess("lessons", "test_it.py")
    result.assert_outcomes(passed=1)


def test_fences_and_tests_run_together(pytester: pytest.Pytester) -> None:
    page(block("x = 1"))
    Path("test_it.py").write_text("def test_it(): pass\n")
    pytester.runpytest("--fences").assert_outcomes(passed=2)


def test_pages_that_are_excluded_or_ignored_by_git_are_not_collected(
    pytester: pytest.Pytester,
) -> None:
    Path("pyproject.toml").write_text("[tool.fencerun]\nexclude = ['old*']\n")
    Path(".gitignore").write_text("built.md\n")
    subprocess.run(["git", "init", "-q"], check=True)
    for name in ("x", "old", "built"):
        page(block("x = 1"), f"lessons/{name}.md")
    result = pytester.runpytest("--fences", "--collect-only", "-q", "lessons")
    assert ids(result) == ["lessons/x.md::1"]
    named = pytester.runpytest("--fences", "--collect-only", "-q", "lessons/built.md")
    assert ids(named) == ["lessons/built.md::1"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (block("x") * 2, "lessons/x.md:5: problem: fence:1 stands twice*"),
        ("```text output:9\nx\n```\n", "lessons/x.md:1: orphan: fence 9, its fence is gone*"),
    ],
    ids=["problem", "orphan"],
)
def test_faults_of_a_page_are_a_failing_test(
    pytester: pytest.Pytester, text: str, shown: str
) -> None:
    page(text)
    page(block("x = 1"), "lessons/y.md")
    result = pytester.runpytest("--fences", "lessons")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([shown, "FAILED lessons/x.md::problems*"])


def test_a_configuration_that_makes_no_sense(pytester: pytest.Pytester) -> None:
    page()
    Path("pyproject.toml").write_text("[tool.fencerun]\nthread = 1\n")
    result = pytester.runpytest("--fences", "lessons")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no setting is called `thread`*Did you mean*"])


# Selecting.


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    [
        (("lessons/x.md::2",), {"passed": 1}),
        (("lessons", "-k", "x.md and 2"), {"passed": 1, "deselected": 5}),
        (("lessons/x.md::6",), {"failed": 1}),
        (("lessons", "-x"), {"passed": 2, "failed": 1}),
        (("lessons", "-m", "not fence"), {"deselected": 6}),
    ],
    ids=["an id", "a continued fence", "a blocked fence", "-x", "-m"],
)
def test_a_fence_alone_runs_what_it_continues(
    pytester: pytest.Pytester, arguments: tuple[str, ...], outcomes: dict[str, int]
) -> None:
    page()
    pytester.runpytest("--fences", *arguments).assert_outcomes(**outcomes)


def test_the_last_failed(pytester: pytest.Pytester) -> None:
    text = block("x = 1") + block("1 / 0", "python fence:2")
    page(text)
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=1, failed=1)
    page(text.replace("/ 0", "/ 1"))
    pytester.runpytest("--fences", "--lf", "lessons").assert_outcomes(passed=1)
    pytester.runpytest("--fences", "--lf", "lessons").assert_outcomes(passed=2)


def test_requirements_are_markers(pytester: pytest.Pytester) -> None:
    Path("pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts = '--strict-markers'\nfilterwarnings = ['error']\n"
        "[tool.fencerun.capabilities]\nskip = true\n'wmt-14' = true\nnot = true\n"
    )
    page(
        block("x = 1", "python fence:1 requires:python>=3.8,linux")
        + block("y = x", "python fence:2 continues:1")
        + block("x = 1", "python fence:3 requires:wmt-14")
        + block("x = 1", "python fence:4 requires:skip,not")
        + block("x = 1", "python fence:5")
    )
    for expression, numbers in {
        "python": "12",
        "python_3_8 and linux": "12",
        "wmt_14": "3",
        "requires_skip": "4",
        "requires_not": "4",
        "fence and not python": "345",
    }.items():
        result = pytester.runpytest("--fences", "--collect-only", "-q", "-m", expression, "lessons")
        assert ids(result) == [f"lessons/x.md::{number}" for number in numbers], expression
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=5)
    listed = pytester.runpytest("--fences", "--markers")
    listed.stdout.fnmatch_lines(["@pytest.mark.cuda: fences that require it"])


@pytest.mark.parametrize(
    ("requirement", "names"),
    [
        ("cuda", ("cuda",)),
        ("sm>=90", ("sm", "sm_90")),
        ("gpu:nvidia-h200", ("gpu", "gpu_nvidia_h200")),
        ("torch>=2.13.0", ("torch", "torch_2_13_0")),
        ("env:HF_TOKEN", ("env", "env_HF_TOKEN")),
        ("flash-attn>=2", ("flash", "flash_attn_2")),
        ("3d", ("requires_3d",)),
        ("skip", ("requires_skip",)),
        ("import", ("requires_import",)),
        ("_own", ("_own", "own")),
    ],
)
def test_markers_are_names(requirement: str, names: tuple[str, ...]) -> None:
    found = markers.of((requirement, requirement))
    if requirement == "_own":
        assert all(name.isidentifier() and not name.startswith("_") for name in found)
    else:
        assert found == names


# Running.


def test_failures_show_the_page(pytester: pytest.Pytester) -> None:
    page()
    result = pytester.runpytest("--fences", "lessons")
    result.stdout.fnmatch_lines(
        [
            "*_ fence 3 of lessons/x.md _*",
            "lessons/x.md:25: changed: fence 3, it printed other text than recorded",
            "    25 - | apple",
            "       + | pear",
            "    fencerun record lessons/x.md::3",
            "lessons/x.md:32: failed: fence 4, AssertionError: no half",
            "    32 | assert half(4) == 3, *no half*",
            "    where",
            "       | half(4) = 2",
            "lessons/x.md:38: blocked: fence 6, *",
            "FAILED lessons/x.md::3 - lessons/x.md:25: changed*",
        ]
    )
    assert "pytesting" not in result.stdout.str()


LAB = "[tool.fencerun.capabilities]\nlab = {env = 'LAB'}\n"
GATED = block("print(1)", "python fence:1 requires:lab")


@pytest.mark.parametrize(
    ("old", "new", "outcome", "shown"),
    [
        ("", "", "skipped", "SKIPPED [[]1[]] lessons/x.md:1: kept: recorded on *"),
        ("print(1)", "print(2)", "failed", "lessons/x.md:1: stale: *"),
        ("\n1\n", "\n2\n", "failed", "lessons/x.md:*: edited: *"),
        ("```text", "```python fence:2 requires:lab\n```\n\n```text", "failed", "*: missing: *"),
    ],
    ids=["kept", "stale", "edited", "missing"],
)
def test_what_cannot_run_here(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    outcome: str,
    shown: str,
) -> None:
    Path("pyproject.toml").write_text(LAB)
    path = page(GATED)
    monkeypatch.setenv("LAB", "1")
    pytester.runpytest("--fences-record", "lessons").assert_outcomes(passed=1)
    monkeypatch.delenv("LAB")
    path.write_text(path.read_text().replace(old, new, 1) if old else path.read_text())
    result = pytester.runpytest("--fences", "-rs", "lessons")
    assert result.parseoutcomes()[outcome] == 1
    result.stdout.fnmatch_lines([shown])


def test_a_known_fault_is_expected(pytester: pytest.Pytester) -> None:
    Path("pyproject.toml").write_text('[tool.fencerun.known]\n"lessons/x.md::1" = "bug#7"\n')
    page(block("1 / 0"))
    result = pytester.runpytest("--fences", "-rx", "lessons")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["*bug#7*"])


def test_recording(pytester: pytest.Pytester) -> None:
    path = page(PAGE.replace('skip:"later"', "").replace("half(4) == 3", "half(4) == 2"))
    result = pytester.runpytest("--fences-record", "lessons")
    result.assert_outcomes(passed=6)
    assert "```text output:3\npear\n```" in path.read_text()
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=6)


def test_recording_one_fence_leaves_the_others(pytester: pytest.Pytester) -> None:
    path = page(block("print(1)") + block("print(2)", "python fence:2"))
    pytester.runpytest("--fences-record", "lessons/x.md::2").assert_outcomes(passed=1)
    assert "output:2" in path.read_text()
    assert "output:1" not in path.read_text()


def test_one_process_runs_all_and_none_of_them_is_pytest(pytester: pytest.Pytester) -> None:
    code = "import os; open('../pids', 'a').write(f'{os.getpid()} ')"
    for name in ("x", "y", "z"):
        page(block(code) + block(code, "python fence:2"), f"lessons/{name}.md")
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=6)
    pids = Path("pids").read_text().split()
    assert len(pids) == 6
    assert len(set(pids)) == 1
    assert pids[0] != str(os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(int(pids[0]), 0)


def test_a_chain_runs_once(pytester: pytest.Pytester) -> None:
    code = "open('../ran', 'a').write('{} ')"
    page(
        block(code.format(1))
        + block(code.format(2), "python fence:2 continues:1")
        + block(code.format(3), "python fence:3 continues:2")
    )
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=3)
    assert Path("ran").read_text() == "1 2 3 "


def test_a_fence_that_ends_its_process_costs_itself(pytester: pytest.Pytester) -> None:
    page(block("import os; os._exit(0)") + block("x = 1", "python fence:2"))
    pytester.runpytest("--fences", "lessons").assert_outcomes(passed=1, failed=1)


def test_tests_may_come_in_any_order(pytester: pytest.Pytester) -> None:
    for name in ("x", "y"):
        page(block("a = 1") + block("print(a)", "python fence:2 continues:1"), f"lessons/{name}.md")
    Path("conftest.py").write_text(
        "def pytest_collection_modifyitems(items):\n"
        "    items.sort(key=lambda item: (item.name, item.path.name), reverse=True)\n"
    )
    result = pytester.runpytest("--fences", "-v", "lessons")
    result.assert_outcomes(passed=2, failed=2)
    order = [line.split()[0] for line in result.outlines if " PASSED" in line or " FAILED" in line]
    assert order[:4] == [f"lessons/{p}.md::{n}" for n in (2, 1) for p in "yx"]


def test_a_fence_takes_what_its_code_takes(pytester: pytest.Pytester) -> None:
    page(block("x = 1") + block("import time; time.sleep(0.5)", "python fence:2"))
    result = pytester.runpytest("--fences", "--durations=1", "--junitxml=j.xml", "lessons")
    result.stdout.fnmatch_lines(["*0.5*s call * lessons/x.md::2"])
    cases = {case.get("name"): case for case in ElementTree.parse("j.xml").iter("testcase")}
    assert 0.5 <= float(cases["2"].get("time", 0)) < 5
    values = {p.get("name"): p.get("value") for p in cases["2"].iter("property")}
    assert values == {"verdict": "passed"}


def test_junit_tells_of_failures(pytester: pytest.Pytester) -> None:
    page()
    pytester.runpytest("--fences", "--junitxml=j.xml", "lessons")
    suite = ElementTree.parse("j.xml").getroot().find("testsuite")
    assert suite is not None
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["6", "3", "0", "1"]
    texts = [failure.text or "" for failure in suite.iter("failure")]
    assert "lessons/x.md:25: changed" in texts[0]


def test_options_reach_the_engine(pytester: pytest.Pytester) -> None:
    page(block("x = 1", "python fence:1 requires:slow"))
    result = pytester.runpytest("--fences", "--fences-without", "slow", "lessons")
    result.stdout.fnmatch_lines(["*left out by --without*"])
    result = pytester.runpytest("--fences", "--fences-python", "missing-python", "lessons")
    result.stdout.fnmatch_lines(["*missing-python: no such interpreter*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_an_interpreter_that_does_not_start(pytester: pytest.Pytester) -> None:
    python = Path("python")
    python.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    python.chmod(0o755)
    page(block("x = 1"))
    result = pytester.runpytest("--fences", "--fences-python", str(python.absolute()), "lessons")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*ended at once with status 3*", "*broken*"])
    assert "Traceback" not in result.stdout.str()


# Spread over processes.


@pytest.mark.parametrize("dist", ["load", "loadfile", "loadgroup", "worksteal"])
def test_xdist_gives_the_same_verdicts(pytester: pytest.Pytester, dist: str) -> None:
    page()
    page(PAGE, "lessons/y.md")
    result = pytester.runpytest("--fences", "-n2", "--dist", dist, "-v", "lessons")
    result.assert_outcomes(passed=4, failed=6, skipped=2)
    if dist == "loadfile":
        done = [line.split() for line in result.outlines if line.startswith("[gw")]
        places = {(words[0], words[-1].partition("::")[0]) for words in done if "::" in words[-1]}
        assert len(places) == 2, "a page stays with one worker"


def test_a_page_is_a_group(pytester: pytest.Pytester) -> None:
    page()
    Path("conftest.py").write_text(
        "def pytest_collection_finish(session):\n"
        "    for item in session.items:\n"
        "        print([mark.args for mark in item.iter_markers('xdist_group')])\n"
    )
    result = pytester.runpytest("--fences", "--collect-only", "-s", "lessons")
    assert result.outlines.count("[('lessons/x.md',)]") == 6
    without = pytester.runpytest("--fences", "--strict-markers", "-p", "no:xdist", "lessons")
    without.assert_outcomes(passed=2, failed=3, skipped=1)


def test_whole_pages_run_once_on_a_worker(pytester: pytest.Pytester) -> None:
    code = "open('../ran', 'a').write('{} ')"
    page(block(code.format(1)) + block(code.format(2), "python fence:2 continues:1"))
    pytester.runpytest("--fences", "-n2", "--dist", "loadfile", "lessons").assert_outcomes(passed=2)
    assert Path("ran").read_text() == "1 2 "


def test_the_entry_point_is_declared() -> None:
    from importlib.metadata import entry_points

    found = [e.value for e in entry_points(group="pytest11") if e.name == "fencerun"]
    assert found == ["fencerun.pytest_plugin"]


def test_the_plugin_module_loads_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import fencerun.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fencerun", "fencerun.pytest_plugin"]


def test_pdb_stops_in_the_fence_and_not_in_the_plugin(pytester: pytest.Pytester) -> None:
    text = block("n = 7\nassert n == 8") + block("x = 1", "python fence:2")
    session = Session(pytester.path, "--fences", "--pdb", page=text, module="pytest")
    said = session.until(PROMPT)
    assert "p.md:3: failed: fence 1, AssertionError" in said
    assert "-> assert n == 8\n" in said
    assert "7\n" in session.type("p n")
    said, code = session.end()
    assert "1 failed, 1 passed" in said
    assert "(Pdb)" not in said
    assert code == pytest.ExitCode.TESTS_FAILED
