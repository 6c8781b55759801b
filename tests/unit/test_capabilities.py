from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencerun.capabilities import Own, Requirement, normal, parse, parse_own, slug
from fencerun.capabilitynames import KNOWN
from fencerun.tags import TagError

READ = {
    "cuda": ("accelerator", "cuda", "", ""),
    "accelerator": ("accelerator", "accelerator", "", ""),
    "gpu:H200": ("gpu", "gpu", "", "h200"),
    "gpu:NVIDIA A100": ("gpu", "gpu", "", "nvidia-a100"),
    "gpus>=2": ("gpu", "gpus", ">=", "2"),
    "sm>=90": ("gpu", "sm", ">=", "90"),
    "sm == 80": ("gpu", "sm", "==", "80"),
    "nvcc": ("machine", "nvcc", "", ""),
    "triton": ("machine", "triton", "", ""),
    "linux": ("machine", "linux", "", ""),
    "network": ("switch", "network", "", ""),
    "slow": ("switch", "slow", "", ""),
    "env:HF_TOKEN": ("environment", "HF_TOKEN", "", ""),
    "python>=3.11": ("python", "python", ">=", "3.11"),
    "torch>=2.13": ("distribution", "torch", ">=", "2.13"),
    "torch==2.13.*": ("distribution", "torch", "==", "2.13.*"),
    "triton<4": ("distribution", "triton", "<", "4"),
    "dist:torch": ("distribution", "torch", "", ""),
    "dist:torch>=2.13": ("distribution", "torch", ">=", "2.13"),
    "dist:Flash_Attn": ("distribution", "flash-attn", "", ""),
    " Flash_Attn ~= 2.1 ": ("distribution", "flash-attn", "~=", "2.1"),
    "wmt": ("own", "wmt", "", ""),
}


@pytest.mark.parametrize("text", READ)
def test_a_requirement_is_read(text: str) -> None:
    kind, name, operator, value = READ[text]
    found = parse(text, own=("wmt",))
    assert (found.kind, found.name, found.operator, found.value) == (kind, name, operator, value)
    assert found.text == text.strip()


REFUSED = {
    # A mistyped capability is a fault of the page, never a silent skip (faults, 11).
    "cudaa": "did you mean `cuda`?",
    "CUDA": "did you mean `cuda`?",
    "cdua": "did you mean `cuda`?",
    "linus": "did you mean `linux`?",
    "netwrok": "did you mean `network`?",
    "wmtt": "did you mean `wmt`?",
    "accelerators": "did you mean `accelerator`?",
    "osx": "did you mean `macos`?",
    "c++": "did you mean `cxx`?",
    "gpu": "did you mean `gpus>=1`?",
    "gpus": "did you mean `gpus>=2`?",
    "gpu>=2": "did you mean `gpus>=2`?",
    "GPUS>=2": "did you mean `gpus>=2`?",
    "sm_90": "did you mean `sm>=90`?",
    "sm90a": "did you mean `sm>=90`?",
    "sm>=9.0": "write `sm>=90`",
    "SM>=90": "did you mean `sm>=90`?",
    "sm~=90": "write `sm>=90`",
    "gpus>=two": "write `gpus>=2`",
    "gpus>=２": "write `gpus>=2`",
    "gpu:": "write `gpu:NAME`",
    "gpu:h200>=2": "write `gpu:NAME,gpus>=2`",
    "python": "did you mean `python>=3.11`?",
    "pyhton>=3.11": "did you mean `python>=3.11`?",
    "Python>=3.11": "did you mean `python>=3.11`?",
    "torch": "write `dist:torch`, or `torch>=2.11` for a version",
    "transformers": "write `dist:transformers` if it is a distribution",
    "torch=>2.13": "write `torch>=2.13`",
    "torch=2.13": "write `torch==2.13`",
    "torch>=abc": "write `torch>=2.11`, say",
    "torch>=": "write `torch>=2.11`, say",
    "<3": "repeat the name: `requires:torch>=2.11,torch<3`",
    "cuda>=12": "write `cuda`",
    "wmt>=2": "write `wmt`",
    "cuda:": "write `cuda`",
    "cuda:0": "write `cuda`",
    "env:": "write `env:NAME`",
    "env": "did you mean `env:NAME`?",
    "env:A-B": "write `env:HF_TOKEN`, say",
    "evn:A": "did you mean `env`?",
    "dist:": "write `dist:NAME`",
    "dist:a/b": "write `dist:NAME`",
    "!cuda": "did you mean `cuda`?",
    "%": "known are cuda, rocm",
    "": "known are cuda, rocm",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_mistyped_requirement_names_the_right_one(text: str) -> None:
    with pytest.raises(TagError) as caught:
        parse(text, own=("wmt",))
    what, remedy = caught.value.args
    assert what
    assert REFUSED[text] in remedy


def test_every_known_name_is_read_as_it_is_listed() -> None:
    for name, (kind, full) in KNOWN.items():
        found = parse(full)
        assert found.kind == kind, full
        if kind not in ("environment", "distribution"):
            assert found.name == name


@given(st.sampled_from(sorted(full for _, full in KNOWN.values())), st.data())
def test_one_more_letter_is_never_another_capability(full: str, data: st.DataObject) -> None:
    """A typo is a fault, or a distribution with a version or prefix, which skips by name."""
    at = data.draw(st.integers(0, len(full)))
    text = full[:at] + data.draw(st.sampled_from("aeiouz")) + full[at:]
    try:
        found = parse(text)
    except TagError:
        return
    assert found.kind in ("distribution", "environment") or (found.name, found.value) != (
        parse(full).name,
        parse(full).value,
    )


@given(st.text(max_size=30))
def test_no_text_breaks_it(text: str) -> None:
    try:
        assert isinstance(parse(text, own=("wmt",)), Requirement)
    except TagError as error:
        assert all(error.args)
        assert len(error.args) == 2


@pytest.mark.parametrize(
    ("text", "accelerated"),
    [
        *(("cuda", True), ("sm>=90", True), ("gpu:h200", True), ("gpus>=2", True)),
        *(("cxx", False), ("dist:nvcc", False), ("triton", False), ("slow", False)),
    ],
)
def test_what_a_requirement_asks_of_the_plan(text: str, accelerated: bool) -> None:
    assert parse(text).accelerated == accelerated


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA H200", "nvidia-h200"),
        ("NVIDIA H200 MIG 1g.18gb", "nvidia-h200-mig-1g.18gb"),
        ("Tesla V100-SXM2-16GB", "tesla-v100-sxm2-16gb"),
        ("AMD Instinct MI300A / APU (rev 2)", "amd-instinct-mi300a-apu-rev-2"),
        ("  ", "unknown"),
    ],
)
def test_a_device_name_fits_into_an_info_string(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_distributions_have_one_spelling() -> None:
    assert normal("Flash__Attn.Extra") == "flash-attn-extra"


def test_own_capabilities_are_read() -> None:
    table = {
        "wmt": {"env": "WMT_DIR"},
        "smi": {"command": "nvidia-smi -L"},
        "two": {"python": "torch.cuda.device_count() > 1"},
        "yes": True,
        "no": False,
    }
    assert parse_own(table) == {
        "wmt": Own("env", "WMT_DIR"),
        "smi": Own("command", "nvidia-smi -L"),
        "two": Own("python", "torch.cuda.device_count() > 1"),
        "yes": Own("fixed", "yes"),
        "no": Own("fixed", "no"),
    }


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("cuda", True, "choose another name"),
        ("a b", True, "write letters"),
        ("wmt", "WMT_DIR", '{env = "NAME"}'),
        ("wmt", {}, '{env = "NAME"}'),
        ("wmt", {"env": "A", "command": "b"}, '{env = "NAME"}'),
        ("wmt", {"envv": "A"}, "did you mean `env`?"),
        ("wmt", {"env": ""}, '{env = "NAME"}'),
        ("wmt", {"env": 3}, '{env = "NAME"}'),
        ("wmt", {"env": "A B"}, 'write `{env = "WMT_DIR"}`'),
        ("wmt", {"python": "import torch"}, "write one expression"),
        ("wmt", {"python": "a\0b"}, "write one expression"),
    ],
    ids=str,
)
def test_an_own_capability_that_says_nothing_is_refused(
    name: str, value: object, remedy: str
) -> None:
    with pytest.raises(TagError) as caught:
        parse_own({name: value})
    assert name in caught.value.args[0]
    assert remedy in caught.value.args[1]
