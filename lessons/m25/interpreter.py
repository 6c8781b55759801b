"""Runs a function in a fork of this process, where Triton interprets kernels on CPU tensors.

Triton chooses between compiler and interpreter at each `@triton.jit`, and its library (`tl.sum`,
`tl.rand`, …) is made of kernels too, decorated when Triton was imported. A fork can turn all of
them over without anyone else noticing, and has PyTorch loaded already. Knows nothing of the
kernels but where they are.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection


def interpreted(function: Callable[[], None]) -> Callable[[], None]:
    """A decorator: the function runs in a fork that interprets.

    Kernels that were imported outside of it are the compiler's, so it imports its own.

    Raises:
        RuntimeError: It failed there; the message is the traceback.
    """

    @functools.wraps(function)
    def run() -> None:
        ours, theirs = Pipe(duplex=False)
        fork = get_context("fork").Process(target=_inside, args=(function, theirs))
        fork.start()
        theirs.close()
        try:
            why = ours.recv()
        except EOFError:
            why = "the process that interprets died"
        fork.join()
        ours.close()
        if why:
            raise RuntimeError(why)

    return run


def _inside(function: Callable[[], None], answer: Connection) -> None:
    try:
        interpret()
        function()
    except BaseException:
        answer.send(traceback.format_exc())
    else:
        answer.send("")


def interpret() -> None:
    """Let this process interpret kernels from now on; there is no way back."""
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import triton.language as tl
    from triton.runtime.interpreter import InterpretedFunction
    from triton.runtime.jit import JITFunction

    # The threads that PyTorch computes with did not come along.
    torch.set_num_threads(1)
    _mend()
    library = [module for name, module in sys.modules.items() if name.startswith("triton.language")]
    for owner in (tl.tensor, *library):
        for name, value in list(vars(owner).items()):
            if isinstance(value, JITFunction):
                setattr(owner, name, InterpretedFunction(value.fn))
    sys.modules.pop("m25.triton_kernels", None)


def _mend() -> None:
    """Triton 3.6 cannot use a one-element array of NumPy 2.4 as the bound of a loop; 3.9 can."""
    from triton.runtime import interpreter

    patch = interpreter._patch_lang_tensor

    def patch_and_mend(tensor, *scope):
        patch(tensor, *scope)
        tensor.__index__ = lambda self: int(self.handle.data.item())

    interpreter._patch_lang_tensor = patch_and_mend
