"""Each tag's values, what they become, and what is said of those that do not fit."""

from __future__ import annotations

from dataclasses import fields

import pytest

from fencerun.tags import (
    FLAGS,
    PAGE_KEYS,
    VALUED,
    Raises,
    TagError,
    Tags,
    Tolerance,
    near_miss,
    nearest,
    read,
    read_default,
)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("continues", "12", 12),
        ("requires", "cuda,sm>=90", ("cuda", "sm>=90")),
        ("requires", "cuda, nvcc", ("cuda", "nvcc")),
        ("raises", "ValueError", Raises("ValueError")),
        ("raises", "ValueError: no size: 3", Raises("ValueError", "no size: 3")),
        ("raises", "torch.OutOfMemoryError", Raises("torch.OutOfMemoryError")),
        ("rtol", "1e-3", Tolerance(1e-3)),
        ("rtol", "5%", Tolerance(0.05)),
        ("rtol", "any", Tolerance(any=True)),
        ("atol", "0", Tolerance(0.0)),
        ("match", "ellipsis", "ellipsis"),
        ("mask", "address,path", ("address", "path")),
        ("varies", "time", ("time",)),
        ("skip", " takes an hour ", "takes an hour"),
        ("timeout", "90", 90.0),
        ("timeout", "90s", 90.0),
        ("allows", "aten,pytc_lab25", ("aten", "pytc_lab25")),
        *((flag, None, True) for flag in FLAGS),
        ("quiet", "yes", True),
        ("echo", "no", False),
    ],
)
def test_values(name: str, value: str | None, expected: object) -> None:
    assert read(name, value) == {name: expected}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("continues", "0"),
        ("continues", "01"),
        ("continues", "٣"),
        ("continues", "previous"),
        ("requires", "cuda,,nvcc"),
        ("requires", None),
        ("requires", ""),
        ("raises", "3Error"),
        ("raises", ": text"),
        ("rtol", "-1"),
        ("rtol", "nan"),
        ("rtol", "inf"),
        ("rtol", "lots"),
        ("atol", "any"),
        ("atol", "5%"),
        ("match", "fuzzy"),
        ("skip", " "),
        ("timeout", "0"),
        ("timeout", "soon"),
        ("quiet", "please"),
    ],
)
def test_faults_say_what_to_write(name: str, value: str | None) -> None:
    with pytest.raises(TagError) as caught:
        read(name, value)
    what, remedy = caught.value.args
    assert what
    assert remedy


def test_the_table_and_the_fields_agree() -> None:
    assert {field.name.rstrip("_") for field in fields(Tags)} == {*VALUED, *FLAGS}
    assert set(PAGE_KEYS) <= {*VALUED, *FLAGS}


def test_tags_lie_over_defaults() -> None:
    over = Tags(rtol=Tolerance(0.1), echo=False).over(Tags(rtol=Tolerance(0.5), timeout=3.0))
    assert over == Tags(rtol=Tolerance(0.1), echo=False, timeout=3.0)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param("rtol", "1e-3", Tolerance(1e-3), id="yaml-reads-1e-3-as-text"),
        pytest.param("rtol", 0.001, Tolerance(1e-3), id="number"),
        pytest.param("timeout", 120, 120.0, id="whole-number"),
        pytest.param("echo", True, True, id="bool"),
        pytest.param("ints", False, False, id="false"),
        pytest.param("mask", ["path", "address"], ("path", "address"), id="list"),
        pytest.param("continues", "previous", "previous", id="previous"),
    ],
)
def test_defaults(name: str, value: object, expected: object) -> None:
    assert read_default(name, value) == {name: expected}


@pytest.mark.parametrize(("name", "value"), [("skip", "x"), ("continues", "3"), ("timout", 3)])
def test_what_no_page_may_set(name: str, value: object) -> None:
    with pytest.raises(TagError):
        read_default(name, value)


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("Fence", "fence"),
        ("fnece", "fence"),
        ("continue", "continues"),
        ("TIMEOUT", "timeout"),
        ("require", "requires"),
        ("title", None),
        ("hl_lines", None),
        ("linenums", None),
    ],
)
def test_near_misses(name: str, close: str | None) -> None:
    assert near_miss(name) == close


def test_nearest_names_the_closest_or_all() -> None:
    assert nearest("elipsis", ("exact", "ellipsis")) == "did you mean `ellipsis`?"
    assert nearest("zzz", ("exact", "any")) == "known are exact, any"


@pytest.mark.parametrize("name", ["rtol", "atol", "timeout"])
@pytest.mark.parametrize("value", ["soon", "-1", "inf"])
def test_the_remedy_for_a_number_is_one_that_its_tag_can_use(name: str, value: str) -> None:
    with pytest.raises(TagError) as error:
        read(name, value)
    assert ("60" if name == "timeout" else "1e-3") in error.value.args[1]
