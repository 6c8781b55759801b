"""The first cell of a notebook or script: what fencerun gives every fence, said in Python. Pure.

Seeds, environment, directory; and where a page holds several chains, a way to go from one to the
next, since a notebook has one set of names. Only what the page at hand needs is written, all of it
inside of one function: fences must not find names that they did not make.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from fencerun.export.cells import Code, Cut, File
from fencerun.kinds import PYTHONS
from fencerun.preload import modules

#: What only decides how fencerun itself is run, or what a notebook has its own way of.
_LEFT_OUT = ("MPLBACKEND", "LINES", "LC_ALL", "PYTHONIOENCODING", "PYTHONUTF8")

_BEGIN = '''\
def begin():
    """Random numbers and compilers as at the start of every chain."""
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()
'''

_SETUP = """\
    with open(setup, encoding="utf-8") as file, contextlib.redirect_stdout(io.StringIO()):
        exec(compile(file.read(), setup, "exec"), names)
"""

_CHAIN = '''\
given, kept, current = set(names), {{}}, ""
resumed = {resumed}  # the page comes back to these

def random_numbers():
    """What puts random numbers back as they are now."""
    states = [(random.setstate, random.getstate())]
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"].random
        states.append((numpy.set_state, numpy.get_state()))
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        states.append((torch.set_rng_state, torch.get_rng_state()))
    return states

def chain(line):
    """Go to a chain: back to its names, or to none and fixed seeds where it is new."""
    nonlocal current
    own = [n for n in names if n not in given and not re.match("__|_i*[0-9]*$", n)]
    left = {{name: names.pop(name) for name in own}}
    if current in resumed:
        kept[current] = left, random_numbers()
    current = str(line).strip()
    if current not in kept:
        begin()
        return
    back, states = kept[current]
    names.update(back)
    for restore, state in states:
        restore(state)
'''

_SCRATCH = '''\
def fill(directory, beside):
    """Fill a directory with links to what is in `beside`, but for the files of the page."""
    for entry in os.scandir(beside):
        place = os.path.join(directory, entry.name)
        path = os.path.relpath(place)
        if entry.name.startswith(".") or entry.name == "__pycache__" or path in own:
            continue
        if any(file.startswith(f"{path}/") for file in own):
            os.makedirs(place)
            fill(place, entry.path)
        else:
            os.symlink(entry.path, place)

os.chdir(tempfile.mkdtemp(prefix="fencerun-"))
fill(os.getcwd(), beside)
for file in own:
    os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
sys.path.insert(0, os.getcwd())
'''


def needed(cut: Cut) -> bool:
    """Whether any cell runs Python, or in a directory of its own."""
    return any(
        isinstance(cell, File) or (isinstance(cell, Code) and cell.member.fence.language in PYTHONS)
        for cell in cut.cells
    )


def function(cut: Cut, pinned: Mapping[str, str], here: str, *, moves: bool) -> Iterator[str]:
    """The lines of a function ``_fencerun(names)``, which returns the way from chain to chain.

    ``names`` is the namespace of the fences, ``here`` the directory of the page as an expression;
    ``moves`` says that the program may have been started in another.
    """
    yield "def _fencerun(names):"
    yield '    """What fencerun gives every fence: variables, threads, directory, seeds."""'
    yield from _indented(_body(cut, pinned, here, moves=moves))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}" if line else ""


def _body(cut: Cut, pinned: Mapping[str, str], here: str, *, moves: bool) -> Iterator[str]:
    scratch = any(member.scratch for member in cut.members)
    several = cut.chains > 1
    setup = next((member.setup for member in cut.members if member.setup), None)
    wanted = {
        "contextlib": setup,
        "io": setup,
        "re": several,
        "tempfile": scratch,
        "time": "TZ" in pinned,
    }
    imports = ("os", "random", "sys", *(name for name, use in wanted.items() if use))
    yield f"import {', '.join(sorted(imports))}"
    yield ""
    yield from _environment(cut, pinned)
    if scratch:
        yield from _directory(cut, here)
    elif moves:
        yield f"os.chdir({here})"
        yield "sys.path.insert(0, os.getcwd())"
    if not moves and any("__file__" in code for code in _sources(cut)):
        page = posixpath.basename(cut.page.path)
        yield f"names['__file__'] = os.path.join({'beside' if scratch else here}, {page!r})"
    if setup:
        yield f"setup = {setup!r}"
    yield ""
    yield from _lines(_BEGIN + (_SETUP if setup else ""))
    yield ""
    if several:
        resumed = ", ".join(repr(str(chain)) for chain in cut.resumed)
        yield from _lines(_CHAIN.format(resumed=f"({resumed},)" if resumed else "()"))
        yield ""
        yield "return chain"
    else:
        yield "begin()"


def _environment(cut: Cut, pinned: Mapping[str, str]) -> Iterator[str]:
    """Variables, threads, and what takes long to import."""
    variables = {name: value for name, value in pinned.items() if name not in _LEFT_OUT}
    yield "os.environ |= {"
    yield from (f"    {name!r}: {value!r}," for name, value in variables.items())
    yield "}"
    if "TZ" in pinned:
        yield "time.tzset()"
    heavy = modules(_sources(cut))
    if heavy:
        # What is imported later would seed itself; where it is missing, a fence says so.
        yield "try:"
        yield f"    import {', '.join(heavy)}"
        if "torch" in heavy:
            yield f"    torch.set_num_threads({pinned.get('OMP_NUM_THREADS', '1')})"
        yield "except ImportError:"
        yield "    pass"


def _directory(cut: Cut, here: str) -> Iterator[str]:
    """A directory of its own, with the files that a fence above them names."""
    yield f"beside, own = {here}, {[file.path for file in cut.page.files]!r}"
    yield ""
    yield from _lines(_SCRATCH)
    for file in cut.early:
        yield f"with open({file.path!r}, 'w', encoding='utf-8', newline='') as file:"
        yield f"    file.write({file.text!r})"


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _sources(cut: Cut) -> Iterator[str]:
    yield from (member.fence.code for member in cut.members)
    yield from (file.text for file in cut.page.files)
