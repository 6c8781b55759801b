"""What the zygote loads, guessed from the text of the fences."""

from __future__ import annotations

import pytest

from fencerun.preload import modules

TORCH, DYNAMO, INDUCTOR = "torch", "torch._dynamo", "torch._inductor.compile_fx"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], ()),
        (["print('import torch')"], ()),
        (["import numpy as np"], ("numpy",)),
        (["import torch\nprint(torch.ones(2))"], (TORCH,)),
        (["    from torch import nn"], (TORCH,)),
        (["import torchvision"], ()),
        (["import torch\ntorch.library.opcheck(op, ())"], (TORCH, DYNAMO)),
        (["import torch", "torch.compile(f)"], (TORCH, DYNAMO, INDUCTOR)),
        (["import torch\n@torch.compile\ndef f(): ..."], (TORCH, DYNAMO, INDUCTOR)),
        (["import torch\ntorch.compile(f, backend='eager')"], (TORCH, DYNAMO)),
        (
            ["import torch\ntorch.compile(f, backend='eager')", "torch.compile(g)"],
            (TORCH, DYNAMO, INDUCTOR),
        ),
        (["import torch\ntorch.compile(f, backend='inductor')"], (TORCH, DYNAMO, INDUCTOR)),
        (["from torch._inductor import metrics"], (TORCH, INDUCTOR)),
        (["import numpy\nimport torch"], ("numpy", TORCH)),
    ],
)
def test_loads_what_the_text_names(codes: list[str], expected: tuple[str, ...]) -> None:
    assert modules(codes) == expected
    assert modules(code for code in codes) == expected
