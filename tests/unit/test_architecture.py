"""The borders of the code, read from its imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "fencerun"
MODULES = sorted(PACKAGE.rglob("*.py"))

#: Modules that only compute: bytes and data in, data out.
PURE = (
    *("tagvalues", "infowords", "infotags", "wordfaults"),
    *("text", "tags", "infostring", "frontmatter", "lint", "values", "page", "reader"),
    *("members", "plan"),
    *(
        "result",
        "events",
        "protocol",
        "judgement",
        "bound",
        "names",
        "preload",
        "selection",
        "exits",
        "judge",
        "proof",
    ),
    *("prose", "canonical", "terminal", "masks", "compare", "diff", "splice", "recording", "merge"),
    "mentions",
    "pasting",
    *(
        f"tagging/{name}"
        for name in (
            *(
                "bindings",
                "calls",
                "sketches",
                "shells",
                "gpu",
                "candidates",
                "links",
                "setting",
                "writing",
            ),
            *("drafts", "outputs", "echoes", "reasons", "report", "settle", "rounds", "fitting"),
        )
    ),
    *("redaction", "sharding"),
    *(
        "capabilities",
        *("freshness", "kept", "provenance"),
        "localmodules",
        "statements",
        "transcript",
        "dialogue",
        "hidden",
        "kinds",
    ),
    *("mkdocs", "fileblocks", "setupfile", "gathering", "assembly"),
    *("regions", "tables", "figures", "svg", "drawing", "edits"),
    *(f"rendering/{name}" for name in ("body", "blocks", "containers", "headings", "work", "code")),
    *(f"rendering/{name}" for name in ("mathml", "mathrules", "panel", "sides", "slots")),
    *(f"rendering/{name}" for name in ("sanitise", "rendered", "pictures", "addresses")),
    *(f"export/{name}" for name in ("cells", "prose", "source", "opening", "outputs")),
    *(f"export/{name}" for name in ("notebook", "script")),
)

#: What a pure module may not import: files, processes, clocks, the environment.
IMPURE = {"os", "io", "subprocess", "time", "socket", "shutil", "tempfile", "signal", "threading"}

#: A package, and the only places that may import it.
OWNED = {
    "markdown_it": {"reader", "rendering"},
    "mdit_py_plugins": {"rendering"},
    "pygments": {"rendering"},
    "latex2mathml": {"rendering"},
    "nh3": {"rendering"},
    "nbformat": {"export"},
    "yaml": {"frontmatter", "publishing"},
    "packaging": {"capabilities", "probing", "versions"},
    "fcntl": {"files", "engines", "worker", "matrix"},
    "subprocess": {"discovery", "history", "probing", "engines", "worker", "matrix"},
    "rich": {"reporters"},
    "pytest": {"pytest_plugin", "pytesting"},
    "coverage": {"coverage_plugin"},
    "ray": {"distributed"},
    "watchfiles": {"live"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "torch": set(),
    "numpy": set(),
}


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").as_posix()


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_touch_nothing(name: str) -> None:
    path = PACKAGE / f"{name}.py"
    assert path.is_file(), f"{name} is listed as pure and is not there"
    used = {imported.partition(".")[0] for imported in imports(path)}
    assert not used & IMPURE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_packages_stay_in_their_files(path: Path) -> None:
    part = name_of(path).partition("/")[0]
    for imported in imports(path):
        owners = OWNED.get(imported.partition(".")[0])
        assert owners is None or part in owners, f"{name_of(path)} imports {imported}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "worker").rglob("*.py")), ids=name_of)
def test_the_worker_needs_the_standard_library_only(path: Path) -> None:
    for imported in imports(path):
        top = imported.partition(".")[0]
        if top == "fencerun":
            inner = imported.split(".")
            allowed = len(inner) == 1 or inner[1] in ("worker", "protocol", "engines")
            assert allowed, f"{name_of(path)} imports {imported}"
            assert inner[1:2] != ["engines"], f"{name_of(path)} imports {imported}"
        else:
            assert top in sys.stdlib_module_names or not top, f"{name_of(path)} imports {imported}"


#: What a person or another program calls, and so may drive a session.
FRONT_ENDS = {
    *("cli", "verbs", "launch", "session", "__main__", "inspection", "auditing", "api"),
    *("pytesting", "live", "serve", "tagging", "starting", "matrix", "export/exporting"),
}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_stages_do_not_know_the_session(path: Path) -> None:
    """Nothing below the front ends imports what drives them."""
    if {name_of(path), name_of(path).partition("/")[0]} & FRONT_ENDS:
        return
    for imported in imports(path):
        assert imported.removeprefix("fencerun.").partition(".")[0] not in ("session", "cli")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import fencerun.cli", ("markdown_it", "rich", "yaml", "subprocess")),
        ("import fencerun.session", ("rich", "yaml", "torch", "markdown_it")),
        (
            "import fencerun.session",
            ("decimal", "difflib", "hashlib", "tempfile", "shutil", "zlib"),
        ),
        ("import fencerun.reader", ("markdown_it", "yaml", "rich")),
        ("import fencerun.reporters.plain", ("rich", "yaml")),
        ("import fencerun", ("typing", "fencerun.api", "dataclasses")),
        ("import fencerun.pytest_plugin", ("fencerun.session", "pytest", "typing", "argparse")),
    ],
)
def test_starting_imports_no_more_than_it_needs(statement: str, absent: tuple[str, ...]) -> None:
    code = f"{statement}; import sys; print(*[m for m in {absent!r} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == []
