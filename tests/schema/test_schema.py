"""The schemas say what the code says: of each setting, of each value in a table, of real pages."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from fencerun import cli, config, configvalues, frontmatter, schema
from fencerun.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
UPDATE = bool(os.environ.get("FENCERUN_UPDATE_CASES"))
CONFIG = Draft7Validator(schema.config())
PAGE = Draft7Validator(schema.page())


def project_takes(table: object) -> bool:
    """Whether the code takes it as ``[tool.fencerun]``, and the schema says the same."""
    code = isinstance(table, dict)  # `config.load` sees to that
    try:
        if isinstance(table, dict):
            config.from_table(table, ROOT)
    except UsageError:
        code = False
    assert CONFIG.is_valid({"tool": {"fencerun": table}}) == code, table
    return code


def page_takes(mapping: object) -> bool:
    """Whether the code takes it as ``fencerun:`` of a page, and the schema says the same."""
    _, problems = frontmatter.from_mapping(mapping, "p.md", 1)
    assert PAGE.is_valid({"fencerun": mapping}) == (not problems), mapping
    return not problems


@pytest.mark.parametrize("name", schema.SCHEMAS)
def test_it_is_a_schema_and_the_file_is_as_generated(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Draft7Validator.check_schema(schema.SCHEMAS[name]())
    assert cli.main(["schema", name]) == 0
    printed = capsys.readouterr().out
    file = ROOT / f"fencerun/schema/{name}.json"
    if UPDATE:
        file.write_text(printed, encoding="utf-8")
    assert json.loads(printed) == schema.SCHEMAS[name]()
    assert file.read_text(encoding="utf-8") == printed, "set FENCERUN_UPDATE_CASES=1 to write it"


def test_it_knows_every_setting_and_no_other() -> None:
    definitions = schema.config()["definitions"]
    assert set(definitions["page"]["properties"]) == set(frontmatter.NAMES)
    project = set(definitions["project"]["properties"])
    assert project == {*frontmatter.NAMES, *configvalues.READERS, "pages"}
    for definition in definitions.values():
        shapeless = [name for name, shape in definition["properties"].items() if not shape]
        assert not shapeless, f"give {shapeless} a shape in fencerun/schema"


#: Of each setting of a page: values that it takes, and values that it does not.
PAGE_VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "op_namespace": (["pytc_m25"], ["", "a-b", "1a", 3]),
    "continues": (["previous"], [3, "next", True]),
    "record": (["all", "present", "none"], ["some", True, None]),
    "cwd": (["page", "scratch"], ["root", ""]),
    "setup": (["setup.py", "../common/setup.py"], ["", "/abs.py", "a\\b.py", 3]),
    "syntax": (["commonmark", "mkdocs"], ["rst", True]),
    "requires": (["cuda", "cuda,sm>=90", ["cuda", "torch>=2.9"]], ["", "a,,b", ",", []]),
    "timeout": ([20, 0.5, "20", "20s", "1e2"], [0, -1, "0.5m", "soon", ""]),
    "rtol": ([0, 1e-3, "1e-3", "5%", "any", ".5"], [-1, "much", "", "-1e-3", "5 %%"]),
    "atol": ([0, 1e-6, "1e-6"], ["any", "5%", -1, "x"]),
    "ints": ([True, False, "yes", "no"], ["maybe", 3, "YES"]),
    "match": (["exact", "ellipsis", "unordered", "any"], ["fuzzy", True]),
    "mask": (["address", "a, b", ["path", "run"]], ["", "a,,b"]),
    "varies": (["time", ["time", "memory"]], [",", []]),
    "echo": ([True, "no"], ["sometimes", 1]),
}

PROJECT_VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "paths": (["lessons", ["lessons", "README.md"], []], [3, [3], {}]),
    "exclude": (["drafts", ["a/*", "b"]], [True, [None]]),
    "threads": ([1, 8], [0, -1, 1.5, "2", True]),
    "env": ([{}, {"A": "b", "C": 3, "D": 0.5}], [{"A": True}, {"A": ["b"]}, {"A=B": "c"}, []]),
    "max_output": ([4096, 1 << 20], [1, "64k", True]),
    "width": ([80], [0, "wide"]),
    "max_kept_days": ([90], [0, 1.5]),
    "masks": (
        [{"run": r"run-\d+"}, {"my host": {"pattern": "x", "replacement": ""}}, {}],
        [
            *({"run": 3}, {"run": ""}, {"run": {}}, {"run": {"pattern": ""}}, ["x"], {"": "x"}),
            *({"a,b": "x"}, {" a": "x"}, {"host": {"patern": "x"}}, {"host": {"pattern": 3}}),
            *({"host": {"replacement": "y"}}, {"a": {"pattern": "x", "replacement": "y\nz"}}),
        ],
    ),
    "capabilities": ([{}, {"wmt": {"env": "WMT"}}, {"lab": True}], [["x"], "x"]),
    "known": ([{"a.md::4": "pytorch#1"}, {"a.md::4": 3}], [{"a.md": "x"}, {"a.md::0": "x"}, []]),
    "untagged": (["ignore", "warn", "error"], ["fail", True]),
    "publishes": (["mkdocs", "none"], ["word", True]),
    "pages": ([{}, {"docs/*.md": {"timeout": 3}}], [{"docs/*.md": {"paths": "x"}}, []]),
}


def _rows(values: dict[str, tuple[list[Any], list[Any]]]) -> list[Any]:
    return [
        pytest.param(name, value, taken, id=f"{name}-{json.dumps(value)}")
        for name, both in values.items()
        for taken, some in zip((True, False), both, strict=True)
        for value in some
    ]


def test_every_setting_is_in_a_table() -> None:
    assert set(PAGE_VALUES) == set(frontmatter.NAMES)
    assert set(PROJECT_VALUES) == {*configvalues.READERS, "pages"}


@pytest.mark.parametrize(("name", "value", "taken"), _rows(PAGE_VALUES))
def test_values_of_a_page(name: str, value: object, taken: bool) -> None:
    assert page_takes({name: value}) == taken
    if name != "setup":  # a project's has to be there
        assert project_takes({name: value}) == taken
        assert project_takes({"pages": {"*.md": {name: value}}}) == taken


@pytest.mark.parametrize(("name", "value", "taken"), _rows(PROJECT_VALUES))
def test_values_of_a_project(name: str, value: object, taken: bool) -> None:
    assert project_takes({name: value}) == taken
    assert not page_takes({name: value})


@pytest.mark.parametrize("mapping", [{"timout": 3}, {"Timeout": 3}, [], "x", None, 3], ids=repr)
def test_what_is_no_setting(mapping: object) -> None:
    assert not page_takes(mapping)
    assert not project_takes(mapping)


@pytest.mark.parametrize(
    ("own", "taken"),
    [
        ({"wmt": {"env": "WMT"}}, True),
        ({"wmt": {"python": "True"}}, True),
        ({"wmt": {"command": "true"}}, True),
        ({"wmt": False}, True),
        ({"wmt": {"envv": "WMT"}}, False),
        ({"wmt": {"env": "WMT", "command": "true"}}, False),
        ({"wmt": {}}, False),
        ({"wmt": {"env": " "}}, False),
        ({"wmt": "WMT"}, False),
        ({"wmt": 1}, False),
    ],
)
def test_capabilities(own: dict[str, Any], taken: bool) -> None:
    """The table is read by another module, when a run begins."""
    from fencerun.capabilities import parse_own
    from fencerun.tags import TagError

    code = True
    try:
        parse_own(own)
    except TagError:
        code = False
    assert code == taken
    assert CONFIG.is_valid({"tool": {"fencerun": {"capabilities": own}}}) == taken


# Real ones.

CASES = sorted((ROOT / "tests/cases").glob("*/*/page.md"))
WRONG = ("settings-wrong", "unknown-setting", "problems")


def _front_matter(page: Path) -> Any:
    text = page.read_text(encoding="utf-8", errors="replace")
    if not text.startswith("---\n") or "\n---\n" not in text[3:]:
        return None
    return yaml.safe_load(text[4:].partition("\n---\n")[0])


def _name(page: Path) -> str:
    return f"{page.parent.parent.name}/{page.parent.name}"


FRONT = [page for page in CASES if isinstance(_front_matter(page), dict)]


@pytest.mark.parametrize("page", FRONT, ids=_name)
def test_the_front_matter_of_cases(page: Path) -> None:
    front = _front_matter(page)
    if "fencerun" not in front:
        assert PAGE.is_valid(front)
        return
    settings = front["fencerun"]
    assert page_takes(settings) or page.parent.name in WRONG, "add it to WRONG, if it is"


def test_there_are_cases_of_both_kinds() -> None:
    valid = [PAGE.is_valid(_front_matter(page)) for page in FRONT]
    assert sum(valid) >= 5
    assert not all(valid)


@pytest.mark.parametrize(
    "file",
    [ROOT / "pyproject.toml", *sorted((ROOT / "tests/cases").glob("*/*/pyproject.toml"))],
    ids=lambda file: file.parent.name,
)
def test_configurations(file: Path) -> None:
    loaded = tomllib.loads(file.read_text(encoding="utf-8"))
    assert CONFIG.is_valid(loaded)


def test_a_file_of_another_tool_is_none_of_our_business() -> None:
    assert CONFIG.is_valid({"tool": {"ruff": {"line-length": "x"}}, "project": 3})
    assert PAGE.is_valid({"title": "x", "layout": ["y"]})
