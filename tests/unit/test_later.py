"""Imports that are put off: until something is asked of them, and for nobody else."""

from __future__ import annotations

import subprocess
import sys

import pytest

PUT_OFF = """
import sys
from fencerun.later import put_off
assert "inspect" not in sys.modules and "dataclasses" not in sys.modules
put_off("inspect", "dataclasses")
import dataclasses
assert "inspect" not in sys.modules
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


USES = {
    "a class without a docstring": (
        "@dataclasses.dataclass\nclass A:\n    x: int = 3\nprint(A(), A.__doc__)",
        "A(x=3) A(x: int = 3)\n",
    ),
    "ours": (
        "from fencerun.events import Verdict\nprint(Verdict('a', 'passed', 'p', 1, 2).id)",
        "a\n",
    ),
    "somebody else imports it": (
        "import inspect\nprint(type(inspect).__name__, inspect.signature(len))\n"
        "print(dataclasses.inspect.signature is inspect.signature)",
        "module (obj, /)\nTrue\n",
    ),
    "nothing of it": (
        "try:\n    dataclasses.inspect.nothing\nexcept AttributeError as error:\n    print(error)",
        "module 'inspect' has no attribute 'nothing'\n",
    ),
}


@pytest.mark.parametrize(("code", "said"), USES.values(), ids=USES)
def test_it_is_there_when_it_is_needed(code: str, said: str) -> None:
    assert run(PUT_OFF + code) == said


def test_what_is_loaded_stays() -> None:
    code = (
        "import sys, inspect\nfrom fencerun.later import put_off\nput_off('inspect', 'dataclasses')"
        "\nassert sys.modules['inspect'] is inspect\nassert 'dataclasses' not in sys.modules"
    )
    run(code)


def test_one_that_is_needed_at_once_is_imported_at_once() -> None:
    code = (
        "import sys, types, importlib.abc, importlib.util\n"
        "from fencerun.later import put_off\n"
        "class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'greedy':\n"
        "            return importlib.util.spec_from_loader(name, self)\n"
        "    def exec_module(self, module):\n"
        "        import colorsys\n"
        "        module.found = colorsys.rgb_to_hsv\n"
        "sys.meta_path.insert(0, Finder())\n"
        "put_off('colorsys', 'greedy')\n"
        "import colorsys, greedy\n"
        "print(greedy.found is colorsys.rgb_to_hsv, type(colorsys).__name__)"
    )
    assert run(code) == "True module\n"


def test_a_check_does_without(tmp_path: object) -> None:
    code = (
        "import sys\nfrom fencerun import cli\n"
        "sys.argv = ['fencerun', 'status', '--help']\n"
        "try:\n    cli.main()\nexcept SystemExit:\n    pass\n"
        "import fencerun.session\n"
        "print('inspect' in sys.modules)"
    )
    assert run(code).endswith("False\n")
