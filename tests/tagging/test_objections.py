"""Code that is not to run as it stands: sketches of Python, commands, and GPUs."""

from __future__ import annotations

import pytest

from fencerun.tagging import gpu, shells, sketches


@pytest.mark.parametrize(
    ("code", "what", "at"),
    [
        ("x = 1\n>>> x\n1", "prompts", 1),
        ("In [1]: x\nOut[1]: 2", "IPython's prompts", 0),
        ("x = 1\n%timeit x", "`%timeit`", 1),
        ("!pip install y\nimport y", "`!pip`", 0),
        ("torch.sum?", "`torch.sum?`", 0),
        ("%%time\nx = 1", "`%%time`", 0),
        ("x = 1\nif a then b", "not Python: ", 1),
        ("print 'a'", "not Python: Missing parentheses", 0),
        ("{{ cookiecutter.x y }}", "not Python", 0),
        ("model = Net()\n...\ntrain(model)", "`...`", 1),
        ("def f(x):\n    ...", "`...`", 1),
        ("for x in y:\n    ...", "`...`", 1),
        ("try:\n    x\nexcept E:\n    ...", "`...`", 3),
        ("match p:\n    case 1:\n        ...", "`...`", 2),
        ("class M(Module):\n    def forward(self): ...\n    x = 1", "`...`", 1),
        ("# later", "no statement", 0),
        ("'''a text'''", "no statement", 0),
    ],
)
def test_sketches(code: str, what: str, at: int) -> None:
    found = sketches.objection(code)
    assert found is not None
    assert what in found.what
    assert found.remedy
    assert found.at == at


@pytest.mark.parametrize(
    "code",
    [
        "x[..., 0]",
        "x = ...",
        "Field(...)",
        "class E(Exception): ...",
        "class P(Protocol):\n    def f(self): ...",
        "class P(Protocol[T]):\n    'text'\n    def f(self):\n        'text'\n        ...",
        "class P(abc.ABC):\n    @property\n    @abc.abstractmethod\n    def f(self): ...",
        "@overload\ndef f(a): ...\ndef f(a): return a",
        "await f()",
        "print('>>> x')",
        "s = 'a > b?'",
    ],
)
def test_what_runs_is_no_sketch(code: str) -> None:
    assert sketches.objection(code) is None


@pytest.mark.parametrize(
    ("code", "what", "at"),
    [
        ("pip install x", "`pip install` installs", 0),
        ("cd a && FOO=1 pip3 install -U y  # c", "`pip3 install`", 0),
        ("python -m pip install x", "`python -m pip`", 0),
        ("python3.11 -m venv .venv", "`python3.11 -m venv`", 0),
        ("echo hi\nls \\\n -l\ngit clone u", "`git clone`: needs network?", 3),
        ("for i in 1; do curl x; done", "`curl x`: needs network?", 0),
        ("ls\nuvicorn app:app", "`uvicorn app:app` is a server", 1),
        ("python -m http.server", "is a server", 0),
        ("sudo ls", "`sudo`", 0),
        ("rm -rf build", "`rm` deletes", 0),
        ("npm publish", "`npm publish`: needs network?", 0),
        ("npx create-app x", "`npx create-app` installs", 0),
        ("ls\ngit commit -am x", "`git commit` changes a repository", 1),
        ("x=$(curl http://a)", "`curl http://a`: needs network?", 0),
        ('x="$(curl http://a)"', "`curl http://a", 0),
        ("ls\necho `rm x`", "`rm` deletes", 1),
        ("cat <(wget u)", "`wget u`", 0),
        ("(rm x)", "`rm` deletes", 0),
        ("{ rm x; }", "`rm` deletes", 0),
        ("if curl -f x; then echo y; fi", "`curl -f`", 0),
        ("while ! wget x; do :; done", "`wget x`", 0),
        ("sleep 1 & rm x", "`rm` deletes", 0),
        ("ls |& xargs -n 1 rm", "`rm` deletes", 0),
        ("nohup timeout 5 curl x", "`curl x`", 0),
        ("bash -c 'rm x'", "`rm` deletes", 0),
        ("env -i A=1 pip install x", "`pip install` installs", 0),
        ('A="b c" pip install x', "`pip install` installs", 0),
        ("\\rm x", "`rm` deletes", 0),
        ("case x in a) rm x;; esac", "`rm` deletes", 0),
        ("find . -exec rm {} +", "`rm` deletes", 0),
        ("echo ' # '; rm x", "`rm` deletes", 0),
        ("/bin/rm x", "`rm` deletes", 0),
        ("vim x", "`vim` waits", 0),
        ("run --key <your token>", "`<your token>`", 0),
        ("cat path/to/file", "`path/to/`", 0),
        ("ls\n...", "`...`", 1),
        ("# only a comment", "no command", 0),
    ],
)
def test_commands(code: str, what: str, at: int) -> None:
    found = shells.objection(code)
    assert found is not None
    assert what in found.what
    assert found.remedy
    assert found.at == at


@pytest.mark.parametrize(
    "code",
    [
        "git status",
        "git log --oneline",
        "npm test",
        "echo hi | tee log",
        "cat <a.txt >b.txt",
        "pip list  # not pip install",
        "export A=1\npython x.py",
        "conda activate x",
        "make test",
        "ls  # see (rm x), or: rm x",
        "# rm x; curl y\nls",
        "command -v curl || echo none",
        "python x.py >log 2>&1",
        "A='rm (x)' python x.py",
        'export A="rm x"',
        "test $((1 + 2)) = 3 && echo $(date)",
    ],
)
def test_commands_that_may_run(code: str) -> None:
    assert shells.objection(code) is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x.cuda()", ".cuda()"),
        ("m = Net().to('cuda:0')", ".to('cuda:0')"),
        ("device = 'cuda'\nx.to(device)", ".to(device)"),
        ("device = torch.device('cuda')\nx.to(device)", ".to(device)"),
        ("torch.zeros(3, device='cuda')", "device='cuda'"),
        ("torch.zeros(3, device=torch.device('cuda', 1))", "device=torch.device('cuda', 1)"),
        ("torch.cuda.synchronize()", "torch.cuda.synchronize()"),
        ("with torch.device('cuda'):\n    x = 1", "with torch.device('cuda')"),
        ("for b in data:\n    b.cuda()", ".cuda()"),
    ],
)
def test_clear_words_for_cuda(code: str, words: str) -> None:
    assert gpu.needs_cuda(code) == words


@pytest.mark.parametrize(
    "code",
    [
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nx.to(device)",
        "if torch.cuda.is_available():\n    x.cuda()",
        "try:\n    x.cuda()\nexcept RuntimeError:\n    pass",
        "if flag:\n    x.cuda()",
        "device = 'cuda'",
        "torch.device('cuda')",
        "def f(x):\n    return x.cuda()",
        "torch.cuda.manual_seed(1)",
        "print('cuda')",
        "x.to('cpu')",
        "x.cuda(",
    ],
)
def test_what_runs_without_cuda_or_may(code: str) -> None:
    assert gpu.needs_cuda(code) is None
