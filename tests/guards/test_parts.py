"""The parts of the guards that need neither torch nor a process of their own."""

from __future__ import annotations

import atexit
import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from fencerun.worker.guards import Guards, internals
from fencerun.worker.guards.evidence import Evidence
from fencerun.worker.guards.internals import table, version_tag
from fencerun.worker.guards.leftovers import ModulesWatch
from fencerun.worker.guards.native import initialisers
from fencerun.worker.guards.origin import Origins
from fencerun.worker.guards.probe import ABSENT, UNREADABLE, Probe, merged, same, short
from fencerun.worker.guards.state import State
from fencerun.worker.guards.watches import NamespaceWatch, RegistryWatch


class Awkward:
    """Refuses comparison and repr."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")

    def __repr__(self) -> str:
        raise ValueError("no repr")


def test_probe_puts_back_and_checks() -> None:
    box = [1]
    probe = Probe("box", lambda: box[0], lambda value: box.__setitem__(0, value), "box")
    box[0] = 2
    assert probe.put_back(1)
    assert box == [1]


@pytest.mark.parametrize("write", [None, lambda value: None, lambda value: 1 / 0])
def test_probe_says_when_it_could_not(write: Any) -> None:
    assert not Probe("one", lambda: 2, write).put_back(1)


def test_probe_that_cannot_be_read() -> None:
    assert Probe("one", lambda: 1 / 0, None).look() is UNREADABLE


def test_same_never_raises() -> None:
    assert not same(Awkward(), Awkward())
    assert not same([Awkward()], [Awkward()])
    one = Awkward()
    assert same(one, one)


@pytest.mark.parametrize(
    ("baseline", "before", "after", "expected"),
    [
        (1, 1, 2, 2),
        (1, 5, 6, 1),
        ({"a": 1}, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 9}, {"a": 9, "b": 2}, {"a": 1, "b": 2}),
        ([1], [9, 1], [2, 9, 1], [2, 1]),
        ([1], [1], [], []),
    ],
)
def test_merged(baseline: Any, before: Any, after: Any, expected: Any) -> None:
    assert merged(baseline, before, after) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [("a\nb", r"'a\nb'"), (ABSENT, ""), (Awkward(), "<Awkward: repr raised ValueError>")],
)
def test_short(value: Any, text: str) -> None:
    assert short(value) == text


def test_short_is_cut() -> None:
    assert len(short("x" * 500, 40)) == 40


@pytest.fixture(params=["version tags", "comparison"])
def tags(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "comparison":
        monkeypatch.setattr(internals, "_TAGS_WORK", False)


@pytest.mark.usefixtures("tags")
def test_namespace_watch() -> None:
    module: Any = types.ModuleType("module")
    module.kept, module.changed, module.gone = 1, 2, 3
    module.array = Awkward()
    watch = NamespaceWatch("module", module, frozenset(("free",)))
    watch.begin()
    assert watch.differences() == {}
    module.changed, module.added, module.free = 20, 4, 5
    del module.gone
    assert watch.differences() == {"changed": 2, "added": ABSENT, "gone": 3}
    for key, was in watch.differences().items():
        watch.put(key, was)
        assert watch.holds(key, was)
    watch.settle()
    assert watch.differences() == {}
    assert (module.kept, module.changed, module.gone) == (1, 2, 3)
    assert not hasattr(module, "added")
    assert module.free == 5


@pytest.mark.usefixtures("tags")
def test_namespace_watch_of_a_class() -> None:
    class Watched:
        def method(self) -> int:
            return 1

    watch = NamespaceWatch("Watched", Watched)
    watch.begin()
    Watched.method = lambda self: 2  # type: ignore[method-assign]
    ((key, was),) = watch.differences().items()
    watch.put(key, was)
    assert Watched().method() == 1


@pytest.mark.usefixtures("tags")
def test_adopted_entries_are_no_difference() -> None:
    module: Any = types.ModuleType("module")
    watch = NamespaceWatch("module", module)
    watch.begin()
    module.a, module.b = 1, 2
    watch.adopt("a")
    assert watch.differences() == {"b": ABSENT}


@pytest.mark.parametrize("live", [{"a": 1}, {1, 2}, [1, 2]], ids=["dict", "set", "list"])
def test_registry_watch(live: Any) -> None:
    watch = RegistryWatch("registry", lambda: live, "register")
    before = live.copy()
    watch.begin()
    if isinstance(live, dict):
        live["b"] = 2
    else:
        (live.add if isinstance(live, set) else live.append)(3)
    for key, was in watch.differences().items():
        watch.put(key, was)
    assert live == before


def test_version_tags_follow_every_change() -> None:
    namespace: dict[str, Any] = {"a": 1}
    tag = version_tag(namespace)
    if tag is None:
        pytest.skip("this Python has none")
    seen = {tag()}
    for change in (
        lambda: namespace.update(a=2),
        lambda: namespace.pop("a"),
        lambda: namespace.setdefault("b", 1),
        lambda: namespace.clear(),
    ):
        change()
        seen.add(tag())
    assert len(seen) == 5


def test_table_of_something_missing() -> None:
    assert table("json", "decoder", "JSONDecoder", default=None) is json.decoder.JSONDecoder
    assert table("json", "no", "such", default=7) == 7
    assert table("no_such_module", "x", default=7) == 7


SOURCE = """\
import torch
def f():
    torch.set_default_dtype(torch.float64)

torch.set_default_dtype(torch.float32)
setattr(torch, "relu", None)
torch.nn.gelu = [x for x in "ab"]
"""


@pytest.mark.parametrize("as_text", [True, False])
def test_evidence(as_text: bool) -> None:
    evidence = Evidence()
    if as_text:
        evidence.add(3, SOURCE, 41)
    else:
        evidence.add(3, compile("\n" * 40 + SOURCE, "page.md", "exec"))
    assert evidence.line(3, ("set_default_dtype",)) == 45
    assert evidence.line(3, ("float64",)) == 43
    assert evidence.line(3, ("no", "relu")) == 46
    assert evidence.line(3, ("no",)) is None
    assert evidence.line(4, ("relu",)) is None
    assert {"relu", "gelu"} <= evidence.stores
    assert "set_default_dtype" not in evidence.stores
    assert evidence.mentions(("float64",))
    assert not evidence.mentions(("float16",))


def test_evidence_of_code_that_does_not_compile() -> None:
    evidence = Evidence()
    evidence.add(1, "def")
    assert evidence.names == set()


def test_evidence_of_top_level_await() -> None:
    evidence = Evidence()
    evidence.add(1, "await thing()")
    assert evidence.mentions(("thing",))


MODULES = [
    ("json", True),
    ("os.path", True),
    ("pytest", True),
    ("xml.never.loaded", True),
    ("no_such_module", False),
    ("conftest_of_ours", False),
]


@pytest.mark.parametrize(("name", "installed"), MODULES)
def test_installed_modules(name: str, installed: bool) -> None:
    assert Origins(lambda filename: False).is_installed_module(name) == installed


def test_local_module_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "local_helper.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    origins = Origins(lambda filename: False)
    assert not origins.is_installed_module("local_helper")
    __import__("local_helper")
    assert not origins.is_installed_module("local_helper")
    monkeypatch.delitem(sys.modules, "local_helper")


def test_blame_takes_the_first_frame_that_is_no_machinery() -> None:
    origins = Origins(lambda filename: filename == "page.md")
    names: dict[str, Any] = {"blame": origins.blame, "sys": sys}
    exec(compile("\n\ndef g():\n    return f()", "page.md", "exec"), names)
    exec(compile("def f():\n    return blame(sys._getframe(), ('skipped',))", "<x>", "exec"), names)
    origin = names["g"]()
    assert (origin.file, origin.line, origin.page_line) == ("page.md", 4, 4)
    source = "def f():\n    return blame(sys._getframe(), ())"
    exec(compile(source, json.__file__, "exec"), names)
    assert names["g"]() is None


def test_close_takes_every_hook_out() -> None:
    bootstrap: Any = importlib._bootstrap
    before = bootstrap._find_and_load, atexit.register, sys.modules.get("torch")
    guards = Guards(lambda filename: False)
    guards.chain_begin()
    assert bootstrap._find_and_load is not before[0]
    guards.fence_begin(1, None, ())
    assert guards.fence_end() == []
    assert guards.chain_end() == ([], None)
    guards.close()
    assert (bootstrap._find_and_load, atexit.register, sys.modules.get("torch")) == before


def test_two_chains_without_a_context() -> None:
    guards = Guards(lambda filename: False)
    try:
        for _ in range(2):
            guards.chain_begin()
            guards.fence_begin(1, None, ())
            sys.setswitchinterval(0.02)
            guards.fence_end("sys.setswitchinterval(0.02)", 12)
            (leak,), tainted = guards.chain_end()
            assert leak == {
                "what": "switch interval",
                "was": "0.005",
                "now": "0.02",
                "undone": True,
                "fence": 1,
                "line": 12,
            }
            assert tainted is None
    finally:
        guards.close()


SYMBOLS = (
    b"\0_ZL30TORCH_LIBRARY_init_pytc_m25_3RN5torch7LibraryE\0"
    b"_ZL44TORCH_LIBRARY_FRAGMENT_init_extra_3RN5torch7LibraryE\0"
    b"_ZL38TORCH_LIBRARY_IMPL_init_aten_CPU_2RN5torch7LibraryE\0"
)


def test_initialisers_of_a_library(tmp_path: Path) -> None:
    library = tmp_path / "lib.so"
    library.write_bytes(SYMBOLS)
    assert initialisers(str(library)) == [
        ("DEF", "pytc_m25_3"),
        ("FRAGMENT", "extra"),
        ("IMPL", "aten_CPU"),
    ]
    assert initialisers(str(tmp_path / "none.so")) == []


@pytest.mark.parametrize("closed", [True, False])
def test_figures_that_were_drawn_before_the_first_look_are_the_chains(
    closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when pyplot lies in a directory of its own, whose imports are nobody's to bracket."""
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)  # of another test
    state = State(Origins(lambda filename: False))
    state.begin()
    open_ones: dict[int, object] = {1: "a figure"}
    helpers = types.SimpleNamespace(Gcf=types.SimpleNamespace(figs=open_ones))
    pyplot: Any = types.ModuleType("matplotlib.pyplot")
    monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
    pyplot._pylab_helpers, pyplot.isinteractive, pyplot.close = helpers, bool, open_ones.pop
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    state.after_import(state.before_import())
    if closed:
        open_ones.clear()
    found = [c.what for c in state.settle(Evidence()) if c.what == "open figures"]
    assert found == ([] if closed else ["open figures"])
    assert not open_ones


@pytest.mark.parametrize(
    ("package", "named", "expected"),
    [
        ("json", False, []),
        ("json", True, ["sys.modules['json.generated']"]),
        ("of_the_page", False, ["sys.modules['of_the_page.generated']"]),
    ],
)
def test_generated_code_is_replaced_by_the_package_that_generates_it(
    package: str, named: bool, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generated() -> types.ModuleType:
        module = types.ModuleType(f"{package}.generated")
        module.__file__ = str(tmp_path / "cache" / "c1.py")
        return module

    if package not in sys.modules:
        local = types.ModuleType(package)
        local.__file__ = str(tmp_path / f"{package}.py")
        monkeypatch.setitem(sys.modules, package, local)
    monkeypatch.setitem(sys.modules, f"{package}.generated", generated())
    watch = ModulesWatch(Origins(lambda filename: False))
    watch.begin()
    sys.modules[f"{package}.generated"] = generated()
    assert [found[0] for found in watch.settle(lambda words: named)] == expected
