from __future__ import annotations

import dataclasses
import datetime
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from textwrap import indent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fencerun import freshness, kept, provenance, reader
from fencerun.freshness import Key, Part, source_hash, text_hash
from fencerun.frontmatter import PageSettings
from fencerun.members import members
from fencerun.page import Fence
from fencerun.provenance import Provenance
from fencerun.tags import Tags

TODAY = datetime.date(2026, 11, 30)
ON = "nvidia-h200/torch-2.11.0+cu130/2026-11-29"

PAGE = """\
# A lesson

```python fence:1
import helpers
x = 1
```

Words.

```python fence:2 continues:1 requires:cuda
print(x)
```

```python fence:3 requires:cuda
print("alone")
```
"""
FILES = {"helpers.py": b"import deep\n", "deep.py": b"y = 2\n", "unused.py": b""}


def source(
    text: str,
    number: int,
    files: Mapping[str, bytes] | None = None,
    base: PageSettings | None = None,
) -> str:
    """The first half of the key of one fence of a page."""
    return source_hash(parts(text, number, files, base))


def parts(
    text: str,
    number: int,
    files: Mapping[str, bytes] | None = None,
    base: PageSettings | None = None,
) -> tuple[Part, ...]:
    page = reader.parse(text.encode(), "page.md")
    assert not page.broken, page.problems
    settled = {m.fence.number: m for m in members(page, base or PageSettings())}
    chain = freshness.chain_of(settled[number], settled)
    return freshness.of_chain(chain, (FILES if files is None else files).get)


def test_the_parts_are_named_for_people() -> None:
    text = PAGE.replace("requires:cuda\nprint(x)", 'requires:cuda echo raises:"E: no"\nprint(x)')
    names = [part.name for part in parts(text, 2)]
    assert names == [
        "fence 1 that it continues",
        "code of fence 2",
        "tag raises",
        "tag echo",
        "module deep.py",
        "module helpers.py",
    ]


# What the key covers.

CHANGES = {
    "its code": ("print(x)", "print(x )"),
    "its case": ("print(x)", "print(X)"),
    "a leading blank": ("print(x)", " print(x)"),
    "a comment": ("print(x)", "print(x)  # x"),
    "a line more": ("print(x)", "\nprint(x)"),
    "the code it continues": ("x = 1", "x = 2"),
    "raises": ("requires:cuda\nprint(x)", "requires:cuda raises:E\nprint(x)"),
    "stderr": ("requires:cuda\nprint(x)", "requires:cuda stderr\nprint(x)"),
    "echo": ("requires:cuda\nprint(x)", "requires:cuda echo\nprint(x)"),
    "mask": ("requires:cuda\nprint(x)", "requires:cuda mask:time\nprint(x)"),
    "echo before it": ("fence:1", "fence:1 echo"),
    "continues": ("continues:1 ", ""),
    "language": ("```python fence:2", "```bash fence:2"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_key_changes_with(name: str) -> None:
    old, new = CHANGES[name]
    assert PAGE.count(old) == 1
    assert source(PAGE.replace(old, new), 2) != source(PAGE, 2)


@pytest.mark.parametrize(
    "files",
    [
        {**FILES, "helpers.py": b"import deep\n\n1\n"},
        {**FILES, "deep.py": b"y = 3\n"},
        {"helpers.py": b"import deep\n"},
        {**FILES, "x/__init__.py": b"", "helpers.py": b"import deep, x\n"},
        {**FILES, "deep/__init__.py": b"y = 2\n"},
    ],
    ids=["helpers", "what helpers imports", "gone", "one more", "hidden by a package"],
)
def test_the_key_changes_with_a_local_module(files: dict[str, bytes]) -> None:
    assert source(PAGE, 2, files) != source(PAGE, 2)
    assert source(PAGE, 3, files) == source(PAGE, 3)


def test_raises_counts_with_its_text() -> None:
    keys = {
        source(PAGE.replace("fence:3", f"fence:3 {tag}"), 3)
        for tag in ("", "raises:E", "raises:F", 'raises:"E: a"', 'raises:"E: b"')
    }
    assert len(keys) == 5


# What it doesn't.

SAME = {
    "numbers": ("fence:2 continues:1", "fence:7 continues:1"),
    "requires": ("continues:1 requires:cuda", "continues:1 requires:cuda,slow"),
    "no requires": ("continues:1 requires:cuda", "continues:1"),
    "tolerance": ("continues:1 ", "continues:1 rtol:1e-3 atol:1e-6 ints "),
    "match": ("continues:1 ", "continues:1 match:ellipsis varies:time "),
    "how to run": ("continues:1 ", "continues:1 timeout:3 isolated allows:aten "),
    "quiet and skip": ("continues:1 ", 'continues:1 quiet skip:"why" '),
    "echo:no": ("continues:1 ", "continues:1 echo:no "),
    "spelling": ("```python fence:2", "```Py fence:2"),
    "order of tags": ("fence:2 continues:1 requires:cuda", "requires:cuda continues:1 fence:2"),
    "attributes": ("fence:2 continues:1 requires:cuda", "{fence=2 continues=1 requires=cuda}"),
    "trailing blanks": ("print(x)", "print(x) \t"),
    "trailing lines": ("print(x)\n", "print(x)\n  \n\n"),
    "a fence between": ("Words.", "```python fence:9\nq = 1\n```"),
    "prose": ("Words.", "Other words.\n\nMore."),
    "other fences": ('print("alone")', "pass"),
    "a recording": ("Words.", "```text output:1\n1\n```"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_key_does_not_change_with(name: str) -> None:
    old, new = SAME[name]
    assert PAGE.count(old) == 1
    number = 7 if name == "numbers" else 2
    assert source(PAGE.replace(old, new), number) == source(PAGE, 2)


def test_renumbering_a_whole_chain_changes_nothing() -> None:
    text = PAGE.replace("fence:1", "fence:11").replace("continues:1", "continues:11")
    assert source(text, 2) == source(PAGE, 2)


@pytest.mark.parametrize("ending", ["\r\n", "\r"], ids=repr)
def test_line_endings_change_nothing(ending: str) -> None:
    files = {name: data.replace(b"\n", ending.encode()) for name, data in FILES.items()}
    assert source(PAGE.replace("\n", ending), 2, files) == source(PAGE, 2)


def test_a_byte_order_mark_changes_nothing() -> None:
    files = {name: b"\xef\xbb\xbf" + data for name, data in FILES.items()}
    assert source("\ufeff" + PAGE, 2, files) == source(PAGE, 2)


@pytest.mark.parametrize("prefix", ["> ", "  "], ids=["quote", "list"])
def test_a_container_changes_nothing(prefix: str) -> None:
    inside = indent(PAGE.partition("\n\n")[2], prefix, lambda line: True)
    above = "> Quoted:\n>\n" if prefix == "> " else "- An item:\n\n"
    assert source(above + inside, 2) == source(PAGE, 2)


def test_a_module_that_is_not_imported_changes_nothing() -> None:
    assert source(PAGE, 2, {**FILES, "unused.py": b"z = 9", "os.py.txt": b""}) == source(PAGE, 2)


@pytest.mark.parametrize("where", ["front matter", "project"])
def test_a_default_is_as_good_as_a_tag(where: str) -> None:
    tagged = PAGE.replace("fence:3 ", "fence:3 mask:time ")
    if where == "project":
        base = PageSettings(defaults=Tags(mask=("time",)))
        assert source(PAGE, 3, base=base) == source(tagged, 3)
    else:
        front = "---\nfencerun:\n  mask: time\n---\n"
        assert source(front + PAGE, 3) == source(tagged, 3)


def test_continues_previous_is_as_good_as_its_number() -> None:
    front = "---\nfencerun:\n  continues: previous\n---\n"
    text = front + PAGE.replace("continues:1 ", "")
    assert source(text, 2) == source(PAGE, 2)
    assert source(text, 3) == source(PAGE.replace("fence:3 ", "fence:3 continues:1 "), 3)


def test_every_tag_is_decided_on() -> None:
    """A new tag either belongs to the key or doesn't: forgetting it would keep stale output."""
    names = {field.name for field in dataclasses.fields(Tags)}
    assert set(freshness.BEHAVIOUR) | freshness.PRESENTATION == names
    assert not set(freshness.BEHAVIOUR) & freshness.PRESENTATION


# Properties.

CODE = st.text(st.sampled_from("abxy01 \t\n#'\"\\é☃()=:.,"), min_size=0, max_size=40) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=20
)


def source_of_code(code: str) -> str:
    return source_hash([freshness.part("code of fence 1", "code python", code)])


def plain(code: str) -> str:
    return "\n".join(re.sub(r"[ \t]+\Z", "", line) for line in code.split("\n")).rstrip("\n")


@given(CODE, CODE)
@example("a", "a ")
@example("a\u00a0", "a")
@example("a\x0c", "a")
@example("a\n\n", "a")
def test_code_has_the_same_hash_only_if_it_is_the_same(one: str, other: str) -> None:
    assert (source_of_code(one) == source_of_code(other)) == (plain(one) == plain(other))


@given(CODE, st.data())
def test_any_character_but_a_trailing_blank_counts(code: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(code)))
    new = data.draw(st.sampled_from("aX1_ \t\n#\u00a0\x0c\x0b"))
    for changed in (code[:at] + new + code[at:], code[:at] + new + code[at + 1 :]):
        same = plain(changed) == plain(code)
        assert (source_of_code(changed) == source_of_code(code)) == same


@given(CODE)
def test_line_endings_and_trailing_blanks_never_count(code: str) -> None:
    for ending in ("\r\n", "\r", " \n", "\t \r\n"):
        assert source_of_code(code.replace("\n", ending) + ending) == source_of_code(code)


@given(st.lists(CODE, max_size=4), st.lists(CODE, max_size=4))
def test_fences_of_a_chain_do_not_run_into_each_other(one: list[str], other: list[str]) -> None:
    def chain(codes: Sequence[str]) -> str:
        return source_hash([freshness.part("", "continued python", code) for code in codes])

    assert (chain(one) == chain(other)) == ([*map(plain, one)] == [*map(plain, other)])


def test_a_role_is_part_of_a_digest_and_a_name_is_not() -> None:
    assert freshness.part("a", "r", "x").digest == freshness.part("b", "r", "x").digest
    assert freshness.part("a", "r", "x").digest != freshness.part("a", "s", "x").digest
    assert freshness.part("a", "r", b"x").digest == freshness.part("a", "r", "x").digest


def test_a_binary_file_counts_byte_for_byte() -> None:
    assert freshness.part("", "r", b"\0a\r\n").digest != freshness.part("", "r", b"\0a\n").digest
    assert freshness.part("", "r", b"\xff\r\n").digest == freshness.part("", "r", b"\xff\n").digest


def test_the_key_is_the_same_everywhere() -> None:
    """On any system, Python and hash seed. A change here makes every recorded key stale."""
    assert (
        source(PAGE.replace("fence:2 ", 'fence:2 raises:"E: é" mask:time,path '), 2) == "7c5387ae"
    )
    assert text_hash(("é", "", "  2")) == text_hash(("é", "", "  2  ", "")) == "3b2bc390"


def test_the_key_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from fencerun import freshness, frontmatter, members, reader\n"
        f"page = reader.parse({PAGE!r}.encode(), 'other/name.md')\n"
        "chain = members.members(page, frontmatter.PageSettings())[:2]\n"
        f"found = freshness.of_chain(chain, {FILES!r}.get)\n"
        "print(freshness.source_hash(found))"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
        assert run.stdout.decode().strip() == source(PAGE, 2)


def test_a_long_chain_is_hashed_in_a_moment() -> None:
    count = 400
    text = "".join(
        f"```python fence:{k}{f' continues:{k - 1}' if k > 1 else ''}\nx{k} = {k}\n```\n\n"
        for k in range(1, count + 1)
    )
    settled = {m.fence.number: m for m in members(reader.parse(text.encode()), PageSettings())}
    found = [
        source_hash(freshness.of_chain(freshness.chain_of(m, settled), FILES.get))
        for m in settled.values()
    ]
    assert len(set(found)) == count


def test_modules_are_looked_for_in_python_only() -> None:
    text = "```bash fence:1\nimport helpers\n```\n"
    assert [part.name for part in parts(text, 1)] == ["code of fence 1"]


# Keys and provenance as text.


def test_a_key_is_read_as_it_is_written() -> None:
    key = Key("3fa9c1aa", "77d0e2bb")
    assert str(key) == "3fa9c1aa.77d0e2bb"
    assert freshness.parse_key(str(key)) == key
    made = freshness.key_of(parts(PAGE, 2), ("1",))
    assert freshness.parse_key(str(made)) == made
    assert len(made.source) == len(made.text) == freshness.DIGITS


@pytest.mark.parametrize(
    "text",
    ["", "3fa9c1aa", "3fa9c1aa.", "3FA9C1AA.77d0e2bb", "3fa9c.77d0e", "a.b", "3fa9c1aa.77d0e2bb\n"],
)
def test_what_is_no_key(text: str) -> None:
    assert freshness.parse_key(text) is None


@given(
    st.from_regex(r"[a-z0-9.+_-]{1,20}", fullmatch=True),
    st.from_regex(r"(torch|python)-[0-9.]{1,8}(\+[a-z0-9]{1,8})?", fullmatch=True),
    st.dates(),
)
def test_provenance_is_read_as_it_is_written(device: str, torch: str, day: datetime.date) -> None:
    made = Provenance(device, torch, day)
    assert provenance.parse_on(provenance.format_on(made)) == made


@pytest.mark.parametrize(
    "text",
    [
        *("", "nvidia-h200", "a/b", "a/b/2026-13-01", "a/b/2026-02-30", "a/b/20261129"),
        *("a/b/2026-11-29/c", "a b/c/2026-11-29", "/b/2026-11-29", "a/b/２０２６-11-29"),
    ],
)
def test_what_is_no_provenance(text: str) -> None:
    assert provenance.parse_on(text) is None


@pytest.mark.parametrize(
    ("day", "age"), [("2026-11-30", 0), ("2026-11-29", 1), ("2025-11-30", 365), ("2026-12-01", -1)]
)
def test_age(day: str, age: int) -> None:
    made = provenance.parse_on(f"cpu/python-3.11.7/{day}")
    assert made is not None
    assert made.age_days(TODAY) == age


def test_the_software_of_a_recording() -> None:
    assert provenance.software({"python": "3.11.7", "torch": "2.11.0"}) == "torch-2.11.0"
    assert provenance.software({"python": "3.11.7"}) == "python-3.11.7"


# Verdicts.


def recorded(key: str, on: str = ON, text: str = "1") -> str:
    tags = f" key:{key}" * bool(key) + f" on:{on}" * bool(on)
    block = f"```text output:2{tags}\n{text}\n```\n\n"
    return PAGE.replace("```python fence:3", block + "```python fence:3")


def judged(text: str, files: Mapping[str, bytes] | None = None) -> str:
    fence: Fence | None = reader.parse(text.encode()).fence(2)
    assert fence is not None
    return kept.judge(fence.recording, parts(text, 2, files), TODAY)


KEY = str(freshness.key_of(parts(PAGE, 2), ("1",)))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (PAGE, "missing"),
        (recorded(KEY), "kept"),
        (recorded(KEY).replace("\n", "\r\n"), "kept"),
        (recorded(KEY, text="1  \n"), "kept"),
        (recorded(KEY, text="2"), "edited"),
        (recorded(KEY, text="\n1"), "edited"),
        (recorded(KEY).replace("print(x)", "print(x, x)"), "stale"),
        (recorded(KEY).replace("x = 1", "x = 2"), "stale"),
        (recorded(KEY, text="2").replace("x = 1", "x = 2"), "stale"),
        (recorded(KEY).replace("continues:1 ", "continues:1 rtol:1e-2 "), "kept"),
        (recorded(""), "stale"),
        (recorded("nonsense"), "stale"),
        (recorded(KEY[:6] + KEY[8:]), "stale"),
        (recorded(KEY, on=""), "edited"),
        (recorded(KEY, on="nonsense"), "edited"),
        (recorded(KEY, on="nvidia-h200/torch-2.11.0/2026-12-01"), "kept"),
        (recorded(KEY, on="nvidia-h200/torch-2.11.0/2027-01-01"), "edited"),
    ],
    ids=[
        *("none", "as recorded", "CRLF", "trailing blanks", "other text", "a blank line before"),
        *("other code", "other code before", "other code and text", "other tolerance"),
        *("no key", "no key at all", "short key", "no date", "no such date"),
        *("a time zone ahead", "to come"),
    ],
)
def test_what_is_known_without_running(text: str, verdict: str) -> None:
    assert judged(text) == verdict


def test_a_changed_module_makes_a_recording_stale() -> None:
    assert judged(recorded(KEY), {**FILES, "deep.py": b"y = 3\n"}) == "stale"


def test_the_lines_may_be_given() -> None:
    fence = reader.parse(recorded(KEY, text="1 ms").encode()).fence(2)
    assert fence is not None
    found = parts(PAGE, 2)
    assert kept.judge(fence.recording, found, TODAY, ("1",)) == "kept"
    assert kept.judge(fence.recording, found, TODAY) == "edited"


def test_an_empty_recording_is_kept() -> None:
    key = str(freshness.key_of(parts(PAGE, 2), ()))
    assert judged(recorded(key, text="")) == "kept"
    assert judged(recorded(key).replace("output:2", "output:2").replace("\n1\n", "\n")) == "kept"


def test_why_it_is_stale_has_an_answer() -> None:
    text = PAGE.replace("x = 1", "x = 2").replace("fence:2 ", "fence:2 echo ")
    files = {"helpers.py": b"import other\n", "other.py": b""}
    assert freshness.changes(parts(PAGE, 2), parts(text, 2, files)) == (
        "fence 1 that it continues changed",
        "tag echo is new",
        "module helpers.py changed",
        "module other.py is new",
        "module deep.py is gone",
    )
    assert freshness.changes(parts(PAGE, 2), parts(PAGE, 2)) == ()


WITH_FILE = """\
```cpp file:src/a.cpp
int x;
```

```python fence:1 requires:cuda
import helpers
```

```pycon fence:2 requires:cuda
>>> import helpers
>>> 1
1
```
"""


def test_files_of_the_page_are_part_of_every_key() -> None:
    for number in (1, 2):
        names = [part.name for part in parts(WITH_FILE, number)]
        assert "file src/a.cpp of this page" in names
        key = source(WITH_FILE, number)
        assert key != source(WITH_FILE.replace("int x", "int y"), number)
        assert key != source(WITH_FILE.replace("src/a", "src/b"), number)
        assert key == source(WITH_FILE.replace("```cpp", "```c++"), number)


def test_a_file_of_the_page_hides_the_module_beside_it() -> None:
    page = WITH_FILE.replace("cpp file:src/a.cpp\nint x;", "python file:helpers.py\nimport unused")
    names = [part.name for part in parts(page, 1)]
    assert names == ["code of fence 1", "file helpers.py of this page", "module unused.py"]


def test_what_a_transcript_prints_is_no_part_of_its_source() -> None:
    key = source(WITH_FILE, 2)
    assert key == source(WITH_FILE.replace("\n1\n", "\n2\nmore\n"), 2)
    assert key != source(WITH_FILE.replace(">>> 1", ">>> 2"), 2)
    names = [part.name for part in parts(WITH_FILE, 2)]
    assert "module helpers.py" in names
    assert "module deep.py" in names
