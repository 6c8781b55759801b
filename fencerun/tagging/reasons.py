"""Why a block that was tried stays without a tag, and what its author can do. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from fencerun.result import Failure
from fencerun.tagging.candidates import Candidate, Left

#: Classes of exceptions that mostly say that there is no network.
_NETWORK = frozenset(
    "URLError HTTPError gaierror ConnectionError ConnectTimeout ConnectError SSLError "  # noqa: SIM905
    "ProxyError MaxRetryError NameResolutionError LocalEntryNotFoundError "
    "OfflineModeIsEnabled ClientConnectorError RemoteDisconnected".split()
)
#: Exit statuses that a shell may be said to end with.
_STATUSES = frozenset(map(str, range(1, 126)))
_NO_GPU = (
    "Torch not compiled with CUDA",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
    "no CUDA-capable device",
    "CUDA driver version is insufficient",
    "Cannot access accelerator device",
)


def why(
    candidate: Candidate, failure: Failure, left: Sequence[Candidate], kept: Sequence[Candidate]
) -> Left:
    """Why ``candidate``, which ended with ``failure``, is left, as are those of ``left``."""
    line = failure.line or candidate.line
    summary = failure.summary
    classes = {name.rpartition(".")[2] for name in failure.mro}
    if failure.missing_name is not None:
        return Left(line, summary, _maker(candidate, failure.missing_name, left, kept))
    if "ModuleNotFoundError" in classes:
        return Left(line, summary, "install it where the fences run, and tag again")
    if needs_gpu(failure):
        return Left(line, summary, "write `requires:cuda` beside its `fence:N` to run it on a GPU")
    if needs_network(failure):
        remedy = "with network, tag again; then write `requires:network` beside its `fence:N`"
        return Left(line, f"needs network? {summary}", remedy)
    if "EOFError" in classes:
        return Left(line, summary, "nobody types anything in a run: tag it `fence:none`, say")
    if "FileNotFoundError" in classes:
        return Left(line, summary, "put the file beside the page, or on it as a block `file:NAME`")
    if failure.kind == "namespace":
        return Left(line, summary, "tag it by hand, with `allows:` if that is meant")
    if failure.kind == "syntax":
        return Left(line, f"it is not Python: {summary}", "mend it, or tag it `fence:none`")
    if failure.kind == "exit" and not classes and failure.message in _STATUSES:
        return Left(
            line, summary, f"if it is to end so, tag it by hand, with `exit:{failure.message}`"
        )
    if classes and candidate.language != "pycon":
        name = failure.mro[0].rpartition(".")[2]
        return Left(line, summary, f"if it is to raise, tag it by hand, with `raises:{name}`")
    return Left(line, summary, "mend it and tag again, or tag it `fence:none`")


def needs_gpu(failure: Failure) -> bool:
    """Whether a GPU by CUDA is what is missing."""
    return any(text in failure.message or text in failure.summary for text in _NO_GPU)


def needs_network(failure: Failure) -> bool:
    """Whether the network is what is missing, as far as the exception tells."""
    return any(name.rpartition(".")[2] in _NETWORK for name in failure.mro)


def _maker(
    candidate: Candidate, name: str, left: Sequence[Candidate], kept: Sequence[Candidate]
) -> str:
    """Where ``name`` comes from, if the page has it."""
    for others, which in ((left, "which is left, too"), (kept, "in another chain")):
        lines = [other.line for other in others if name in other.names.makes]
        if before := [line for line in lines if line < candidate.line]:
            return f"`{name}` is made by the block on line {max(before)}, {which}"
        if lines and min(lines) > candidate.line:
            return f"`{name}` is made further down, by the block on line {min(lines)}"
    return f"no block before it makes `{name}`"
