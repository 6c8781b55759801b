"""Named masks, and those of a project."""

from __future__ import annotations

import pytest

from fencerun.masks import NAMED, Mask, MaskError, UnknownMaskError, apply, lookup
from fencerun.tags import read

CASES = [
    ("address", "<object at 0x7f3c2a1b4d60>", "<object at 0x…>"),
    ("address", "hex 0xff 0x7fffff", "hex 0xff 0x7fffff"),
    ("address", "0x" + "a" * 40, "0x" + "a" * 40),
    ("path", "saved /tmp/tmpab12/model.pt, ok", "saved <path>, ok"),
    ("path", "'/private/var/folders/x/T/a.txt'", "'<path>'"),
    ("path", "/home/me/tmp/x ./tmp/x tmp/x", "/home/me/tmp/x ./tmp/x tmp/x"),
    ("path", r"C:\Users\me\AppData\Local\Temp\tmp1\x", "<path>"),
    ("time", "took 1.23 s", "took <time>"),
    ("time", "1.2s 12 ms 3 µs 4.5e-05 seconds", "<time> <time> <time> <time>"),
    ("time", "1min 3s", "<time>"),
    ("time", "1h2m3.5s", "<time>"),
    ("time", "0:00:03.25 [00:01<00:02, 8.5it/s]", "<time> [<time><<time>, <time>]"),
    ("time", "1.2 µs ± 34 ns per loop", "<time> ± <time> per loop"),
    ("time", "3.5 mm, 7 samples, v1.2s", "3.5 mm, 7 samples, v1.2s"),
    ("date", "on 2026-11-29", "on <date>"),
    ("date", "2026-11-29T10:30:05.123+00:00", "<date>"),
    ("date", "2026-11-29 10:30:05", "<date>"),
    ("date", "Sun Nov 29 22:08:13 2026", "<date>"),
    ("date", "29 Nov 2026 and Nov 29, 2026", "<date> and <date>"),
    ("date", "10-2026-11-29-3", "10-2026-11-29-3"),
    ("memory", "12.3 MiB, 512 KB, 1,024 bytes, 3GB", "<memory>, <memory>, <memory>, <memory>"),
    ("memory", "3 Bananas", "3 Bananas"),
    ("percent", "45% and 12.3 %", "<percent> and <percent>"),
    ("version", "torch 2.13.0+cu130, v1.2, 3.14.0rc1", "torch <version>, <version>, <version>"),
    ("version", "loss 1.5", "loss 1.5"),
    ("grad_fn", "tensor(1., grad_fn=<AddBackward0>)", "tensor(1., grad_fn=<…>)"),
    ("device", "tensor([1.], device='cuda:0')", "tensor([1.])"),
    ("device", "cuda:0 cpu mps", "<device> <device> <device>"),
    ("device", "2.13.0+cpu cpu_count", "2.13.0+cpu cpu_count"),
    ("device", "device(type='cuda', index=0)", "<device>"),
]


@pytest.mark.parametrize(("name", "line", "masked"), CASES)
def test_named(name: str, line: str, masked: str) -> None:
    assert apply(line, lookup([name])) == masked
    assert apply(masked, lookup([name])) == masked


def test_every_named_mask_has_a_case() -> None:
    assert {name for name, _, _ in CASES} == set(NAMED)


def test_order_of_the_tag_does_not_matter() -> None:
    line = "2026-11-29T10:30:05 took 3 s"
    assert apply(line, lookup(["time", "date"])) == "<date> took <time>"
    assert apply(line, lookup(["date", "time"])) == "<date> took <time>"


def test_a_project_adds_masks_and_replaces_named_ones() -> None:
    run = Mask("run", r"run-\d+", "run-N")
    time = Mask("time", r"\d+ ticks", "T")
    assert (
        apply("run-7 took 3 ticks, 3 s", lookup(["time", "run"], [run, time]))
        == "run-N took T, 3 s"
    )


def test_what_one_mask_writes_may_let_another_match() -> None:
    masks = lookup(["path", "date"])
    assert apply("2026-11-29/tmp/x", masks) == "<date><path>"


def test_masks_that_undo_each_other_come_to_an_end() -> None:
    masks = [Mask("there", "ping", "pong"), Mask("back", "pong", "ping")]
    assert apply("ping", masks) == "ping"


def test_replacement_is_literal() -> None:
    assert Mask("m", r"a(b)", r"\1").apply("xab") == r"x\1"


def test_unknown() -> None:
    with pytest.raises(UnknownMaskError, match="adress"):
        lookup(["adress"])


@pytest.mark.parametrize(
    ("name", "pattern", "replacement", "why", "remedy"),
    [
        ("m", "(", "x", "missing", "regular expression"),
        ("m", "a{99999999999}", "x", "", "regular expression"),
        ("m", "", "x", "no pattern", "m = 'a regular expression'"),
        ("m", "a*", "x", "the empty string", "one character"),
        ("m", "^", "x", "the empty string", "one character"),
        ("m", "a", "aa", "'aa', which replaces it", "replacement = "),
        ("m", "a", "b\nc", "more than one line", "one line"),
        *((name, "a", "x", "no name that a tag can have", "a word") for name in ("", "a,b", " a")),
        *((name, "a", "x", "no name that a tag can have", "a word") for name in ('"', "a\\", "\n")),
    ],
)
def test_a_mask_that_cannot_work_is_refused(
    name: str, pattern: str, replacement: str, why: str, remedy: str
) -> None:
    with pytest.raises(MaskError) as error:
        Mask(name, pattern, replacement)
    assert why in error.value.what
    assert remedy in error.value.remedy


@pytest.mark.parametrize("name", ["m", "my run", "läufe", "a.b-c_d", "1"])
def test_a_mask_is_called_as_tags_can_say(name: str) -> None:
    assert read("mask", name) == {"mask": (Mask(name, "a", "b").name,)}


HOSTILE = ["1", "1,", "1 ", "1.", "1_", "1s ", "1m", "1m 1", "1:10", "0x", "/tmp", " ", ", ", "a"]
HOSTILE += [
    "1.1.1a",
    "1.1.1+a",
    "2026-11-",
    "Mon ",
    "Jan 1 ",
    "grad_fn=<",
    "C:\\Users\\",
    "-1",
    "1e",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_line_does_not_hang(piece: str) -> None:
    # Were one of them quadratic, this would take minutes.
    apply(piece * 50_000 + "!", lookup(NAMED))
