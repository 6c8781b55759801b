"""What travels with a page: all that its key covers, laid out as its code expects it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencerun import reader
from fencerun.beside import beside
from fencerun.distributed.luggage import Luggage, pack, unpack
from fencerun.frontmatter import PageSettings
from fencerun.members import members

PAGE = """\
# A lesson

```python fence:1 uses:data/x.txt
import mine
from pkg import part
```

```python fence:2 continues:1 requires:cuda,slow
```

```python file:made/inside.py
import other
```

<!-- output:2 -->

![](figures/a.svg)

<!-- /output:2 -->
"""

FILES = {
    "mine.py": "import deep",
    "deep.py": "",
    "other.py": "",
    "pkg/__init__.py": "",
    "pkg/part.py": "",
    "data/x.txt": "x",
    "data/y.txt": "y",
    "figures/a.svg": "<svg/>",
    "figures/b.svg": "<svg/>",
    "stray.py": "",
}


def packed(page: Path, text: str = PAGE, setup: str | None = None) -> Luggage:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text)
    read = reader.parse(text.encode(), str(page))
    settled = {m.fence.number: m for m in members(read, PageSettings(setup=setup))}
    return pack(settled, beside(str(page)), text.encode())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "course" / "lessons"
    for name, text in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return home


def test_what_the_key_covers_travels_and_nothing_else(home: Path) -> None:
    luggage = packed(home / "p.md")
    assert set(luggage.files) == {
        *("p.md", "mine.py", "deep.py", "pkg/__init__.py", "pkg/part.py"),
        *("data/x.txt", "figures/a.svg"),
    }
    assert luggage.home == "."
    assert luggage.blocks == {"made/inside.py": "import other\n"}
    assert luggage.requires == ("cuda", "slow")


def test_a_set_up_file_above_the_page_keeps_its_place(home: Path, tmp_path: Path) -> None:
    (tmp_path / "course" / "setup.py").write_text("import mine")
    luggage = packed(home / "p.md", "```python fence:1\n```\n", "../setup.py")
    assert set(luggage.files) == {"setup.py", "lessons/p.md", "lessons/mine.py", "lessons/deep.py"}
    there = tmp_path / "there"
    assert unpack(luggage, str(there)) == str(there / "lessons")
    assert (there / "setup.py").read_text() == "import mine"
    assert (there / "lessons/p.md").read_text() == "```python fence:1\n```\n"
