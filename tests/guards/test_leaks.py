"""What a fence leaves changed is named, on the page line where its code shows it, and undone."""

from __future__ import annotations

from textwrap import dedent
from typing import Any, NamedTuple

import pytest


class Leaky(NamedTuple):
    """A fence that leaks. ``sees`` must come to the same before and after its chain."""

    code: str
    sees: str
    what: str
    undone: bool = True
    uses: tuple[str, ...] = ()


MODE = """
from torch.utils._python_dispatch import TorchDispatchMode
class M(TorchDispatchMode):
    def __torch_dispatch__(self, f, t, a=(), k=None):
        return f(*a, **(k or {}))
M().__enter__()
"""
FUNCTION_MODE = """
from torch.overrides import TorchFunctionMode
class M(TorchFunctionMode):
    def __torch_function__(self, f, t, a=(), k=None):
        return f(*a, **(k or {}))
M().__enter__()
"""

PYTHON: dict[str, Leaky] = {
    "environ": Leaky("import os; os.environ['X_LEAK'] = '1'", "dict(os.environ)", "X_LEAK"),
    "environ del": Leaky("import os; del os.environ['HOME']", "sorted(os.environ.items())", "HOME"),
    "cwd": Leaky("import os; os.chdir('/')", "os.getcwd()", "working directory"),
    "sys.path": Leaky("import sys; sys.path.insert(0, '/x')", "sys.path", "sys.path"),
    "sys.path rebound": Leaky("import sys; sys.path = ['/x']", "sys.path", "sys.path"),
    "meta_path": Leaky("import sys; sys.meta_path.clear()", "len(sys.meta_path)", "meta_path"),
    "module deleted": Leaky("import sys; del sys.modules['json']", "'json' in sys.modules", "json"),
    "module replaced": Leaky(
        "import sys, types; sys.modules['json'] = types.ModuleType('json')",
        "hasattr(sys.modules['json'], 'dumps')", "json",
    ),
    "module stub": Leaky(
        "import sys, types; sys.modules['stub'] = types.ModuleType('stub')",
        "'stub' in sys.modules", "stub",
    ),
    "stdout replaced": Leaky("import sys, io; sys.stdout = io.StringIO()", "id(sys.stdout)",
                             "sys.stdout"),
    "warnings filter": Leaky("import warnings; warnings.simplefilter('error')",
                             "warnings.filters[:3]", "warnings filters"),
    "warnings reset": Leaky("import warnings; warnings.resetwarnings()",
                            "len(warnings.filters)", "warnings filters"),
    "showwarning": Leaky("import warnings; warnings.showwarning = print",
                         "warnings.showwarning", "showwarning"),
    "basicConfig": Leaky("import logging; logging.basicConfig(level=logging.DEBUG, force=True)",
                         "(logging.root.level, logging.root.handlers)", "root"),
    "logging.disable": Leaky("import logging; logging.disable(50)",
                             "logging.root.manager.disable", "logging.disable"),
    "logger handler": Leaky(
        "import logging; logging.getLogger('lesson').addHandler(logging.StreamHandler())",
        "logging.getLogger('lesson').handlers", "lesson",
    ),
    "signal": Leaky(
        "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)",
        "signal.getsignal(signal.SIGALRM)", "SIGALRM",
    ),
    "alarm": Leaky("import signal\nsignal.alarm(100)",
                   "signal.getitimer(signal.ITIMER_REAL)", "pending alarm"),
    "signal mask": Leaky(
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})",
        "signal.pthread_sigmask(signal.SIG_BLOCK, ())", "signal mask",
    ),
    "gc disabled": Leaky("import gc; gc.disable()", "gc.isenabled()", "garbage collector"),
    "gc threshold": Leaky("import gc; gc.set_threshold(1)", "gc.get_threshold()", "thresholds"),
    "gc callback": Leaky("import gc; gc.callbacks.append(lambda *a: None)",
                         "len(gc.callbacks)", "callbacks"),
    "recursion": Leaky("import sys; sys.setrecursionlimit(5000)", "sys.getrecursionlimit()",
                       "recursion limit"),
    "switch interval": Leaky("import sys; sys.setswitchinterval(1)", "sys.getswitchinterval()",
                             "switch interval"),
    "int digits": Leaky("import sys; sys.set_int_max_str_digits(0)",
                        "sys.get_int_max_str_digits()", "digits"),
    "locale": Leaky("import locale; locale.setlocale(locale.LC_NUMERIC, 'C.UTF-8')",
                    "locale.setlocale(locale.LC_ALL)", "locale", uses=("locale",)),
    "umask": Leaky("import os; os.umask(0o77)", "(lambda m: os.umask(m) and m)(os.umask(0)), 1",
                   "umask"),
    "rlimit": Leaky(
        "import resource as r; s, h = r.getrlimit(r.RLIMIT_NOFILE)\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, h))",
        "resource.getrlimit(resource.RLIMIT_NOFILE)", "RLIMIT_NOFILE", uses=("resource",),
    ),
    "descriptor": Leaky("import os; fd = os.open('/dev/null', 0)",
                        "len(os.listdir('/proc/self/fd'))", "file descriptor"),
    "settrace": Leaky("import sys; sys.settrace(lambda *a: None)", "sys.gettrace()",
                      "trace function"),
    "setprofile": Leaky("import sys; sys.setprofile(lambda *a: None)", "sys.getprofile()",
                        "profile function"),
    "thread trace": Leaky("import threading; threading.settrace(lambda *a: None)",
                          "threading.gettrace()", "trace function", uses=("threading",)),
    "excepthook": Leaky("import sys; sys.excepthook = lambda *a: None", "sys.excepthook",
                        "excepthook"),
    "displayhook": Leaky("import sys; sys.displayhook = lambda *a: None", "sys.displayhook",
                         "displayhook"),
    "unraisablehook": Leaky("import sys; sys.unraisablehook = print", "sys.unraisablehook",
                            "unraisablehook"),
    "bytecode": Leaky("import sys; sys.dont_write_bytecode = not sys.dont_write_bytecode",
                      "sys.dont_write_bytecode", "dont_write_bytecode"),
    "time zone": Leaky("import os, time; os.environ['TZ'] = 'Asia/Tokyo'; time.tzset()",
                       "(time.tzname, os.environ.get('TZ'))", "time zone", uses=("time",)),
    "blocking": Leaky("import os; os.set_blocking(0, not os.get_blocking(0))",
                      "os.get_blocking(0)", "blocking mode"),
    "builtin patched": Leaky("import builtins; builtins.print = lambda *a: None",
                             "__builtins__['print']", "builtins.print"),
    "builtin added": Leaky("import builtins; builtins.debug = 1", "'debug' in __builtins__",
                           "builtins.debug"),
    "function of os patched": Leaky("import os; os.getpid = lambda: 1", "os.getpid", "os.getpid"),
    "time.time patched": Leaky("import time; time.time = lambda: 0", "time.time", "time.time",
                               uses=("time",)),
    "module attribute deleted": Leaky("import json; del json.dumps", "json.dumps", "json.dumps",
                                      uses=("json",)),
    "start method": Leaky("import multiprocessing as m; m.set_start_method('spawn', force=True)",
                          "multiprocessing.get_start_method(True)", "start method",
                          uses=("multiprocessing",)),
    "event loop policy": Leaky("import asyncio; asyncio.set_event_loop(asyncio.new_event_loop())",
                               "asyncio.events._event_loop_policy", "event loop policy",
                               uses=("asyncio",)),
    "decimal": Leaky("import decimal; decimal.getcontext().prec = 3", "decimal.getcontext().prec",
                     "decimal context", uses=("decimal",)),
    "socket timeout": Leaky("import socket; socket.setdefaulttimeout(3)",
                            "socket.getdefaulttimeout()", "default timeout of sockets",
                            uses=("socket",)),
    "prompt": Leaky("import sys; sys.ps1 = '> '", "hasattr(sys, 'ps1')", "prompt ps1"),
    "asyncgen hooks": Leaky("import sys; sys.set_asyncgen_hooks(firstiter=print)",
                            "sys.get_asyncgen_hooks()", "asynchronous generators"),
    "coroutine origin": Leaky("import sys; sys.set_coroutine_origin_tracking_depth(3)",
                              "sys.get_coroutine_origin_tracking_depth()", "coroutine origin"),
    "error handler": Leaky("import codecs; codecs.register_error('replace', codecs.ignore_errors)",
                           "'\xe4'.encode('ascii', 'replace')", "codec errors replace"),
    "level name": Leaky("import logging; logging.addLevelName(5, 'TRACE')",
                        "logging.getLevelName(5), logging.getLevelName('TRACE')",
                        "logging._levelToName"),
    "level renamed": Leaky("import logging; logging.addLevelName(10, 'TRACE')",
                           "logging.getLevelName(10)", "logging._levelToName"),
    "copyreg": Leaky("import copyreg\nclass A: pass\ncopyreg.pickle(A, lambda a: (A, ()))",
                     "len(copyreg.dispatch_table)", "pickling of a type: A", uses=("copyreg",)),
    "copyreg replaced": Leaky("import copyreg\ncopyreg.pickle(complex, lambda c: (int, ()))",
                              "copyreg.dispatch_table[complex]", "pickling of a type: complex",
                              uses=("copyreg",)),
    "mimetypes": Leaky("import mimetypes; mimetypes.add_type('text/x', '.x-mine')",
                       "mimetypes.guess_type('a.x-mine')", "type of a file name's end: .x-mine",
                       uses=("mimetypes",)),
    "random._inst": Leaky("import random; random._inst.mine = 1",
                          "hasattr(random._inst, 'mine')", "random._inst: mine", uses=("random",)),
    "modules removed": Leaky(
        "import sys, json\nfor n in [n for n in sys.modules if n.startswith('json')]:\n"
        "    del sys.modules[n]",
        "id(sys.modules.get('json')), id(sys.modules.get('json.decoder'))",
        "sys.modules['json.decoder']"),
    "sys.modules rebound": Leaky("import sys; sys.modules = {}", "id(sys.modules)", "sys.modules"),
    "sys.modules cleared": Leaky("import sys; sys.modules.clear()\nimport json",
                                 "id(sys.modules['json']), id(sys.modules['sys'])",
                                 "modules removed from sys.modules", undone=False),
    "numpy print options": Leaky("import numpy as np; np.set_printoptions(precision=1)",
                                 "numpy.get_printoptions()", "numpy print options",
                                 uses=("numpy",)),
    "numpy errors": Leaky("import numpy as np; np.seterr(all='raise')", "numpy.geterr()",
                          "numpy error handling", uses=("numpy",)),
}  # fmt: skip

T = ("torch",)
TORCH: dict[str, Leaky] = {
    "default dtype": Leaky("import torch\ntorch.set_default_dtype(torch.float64)",
                           "torch.get_default_dtype()", "default dtype", uses=T),
    "default device": Leaky("import torch; torch.set_default_device('meta')",
                            "torch.ones(1).device", "function modes", uses=T),
    "default device, then raises": Leaky(
        "import torch; torch.set_default_device('meta')\nraise ValueError('no')",
        "torch.ones(1).device", "function modes", uses=T),
    "grad mode": Leaky("import torch; torch.set_grad_enabled(False)", "torch.is_grad_enabled()",
                       "grad mode", uses=T),
    "inference mode": Leaky("import torch, colorsys\ncolorsys.m = torch.inference_mode()\n"
                            "colorsys.m.__enter__()",
                            "torch.is_inference_mode_enabled(), torch.ones(1).is_inference()",
                            "inference mode", uses=T),
    "autocast": Leaky("import torch; a = torch.autocast('cpu'); a.__enter__()",
                      "torch.is_autocast_enabled('cpu')", "autocast", uses=T),
    "anomaly": Leaky("import torch; torch.autograd.set_detect_anomaly(True)",
                     "torch.is_anomaly_enabled()", "anomaly", uses=T),
    "deterministic": Leaky("import torch; torch.use_deterministic_algorithms(True, warn_only=True)",
                           "torch.get_deterministic_debug_mode()",
                           "deterministic algorithms", uses=T),
    "matmul precision": Leaky("import torch; torch.set_float32_matmul_precision('medium')",
                              "torch.get_float32_matmul_precision(), "
                              "torch.backends.cuda.matmul.allow_tf32",
                              "matmul precision", uses=T),
    "threads": Leaky("import torch; torch.set_num_threads(1)", "torch.get_num_threads()",
                     "number of threads", uses=T),
    "print options": Leaky("import torch; torch.set_printoptions(precision=2)",
                           "torch.tensor([1/3])", "print options of torch precision", uses=T),
    "dispatch mode": Leaky(MODE, "torch._C._len_torch_dispatch_stack()", "dispatch modes", uses=T),
    "function mode": Leaky(FUNCTION_MODE, "torch._C._len_torch_function_stack()",
                           "function modes", uses=T),
    "fake mode": Leaky("from torch._subclasses import FakeTensorMode\nFakeTensorMode().__enter__()",
                       "torch._C._len_torch_dispatch_stack(), torch.ones(2)", "dispatch modes",
                       uses=T),
    "saved hooks": Leaky(
        "import torch\nh = torch.autograd.graph.saved_tensors_hooks\n"
        "h(lambda x: x, lambda x: x).__enter__()",
        "torch._C._autograd._top_saved_tensors_default_hooks(True)", "saved-tensor hooks", uses=T),
    "saved hooks disabled": Leaky(
        "import torch; torch._C._autograd._saved_tensors_hooks_disable('no')",
        "torch._C._autograd._saved_tensors_hooks_get_disabled_error_message()", "disabled", uses=T),
    "forward AD": Leaky("import torch.autograd.forward_ad as f; f.enter_dual_level()",
                        "torch.autograd.forward_ad._current_level", "forward-mode AD level",
                        uses=T),
    "functorch level": Leaky("import torch; torch._C._functorch._grad_increment_nesting()",
                             "torch._C._functorch.get_dynamic_layer_stack_depth()", "functorch",
                             uses=T),
    "vmap level": Leaky("import torch; torch._C._functorch._vmap_increment_nesting(3, 'error')",
                        "torch._C._functorch.get_dynamic_layer_stack_depth()", "functorch",
                        uses=T),
    "dynamo config": Leaky("import torch._dynamo; torch._dynamo.config.suppress_errors = True",
                           "torch._dynamo.config.suppress_errors", "suppress_errors", uses=T),
    "inductor config": Leaky("import torch._inductor.config as c; c.max_autotune = True",
                             "torch._inductor.config.max_autotune", "max_autotune", uses=T),
    "functorch config": Leaky("import torch._functorch.config as c; c.debug_assert = True",
                              "torch._functorch.config.debug_assert", "debug_assert", uses=T),
    "mutable config": Leaky(
        "import torch._dynamo; torch._dynamo.config.reorderable_logging_functions.add(print)",
        "torch._dynamo.config.reorderable_logging_functions", "reorderable_logging_functions",
        uses=T),
    "mkldnn": Leaky("import torch; torch.backends.mkldnn.enabled = False",
                    "torch.backends.mkldnn.enabled", "mkldnn", uses=T),
    "cudnn.benchmark": Leaky("import torch; torch.backends.cudnn.benchmark = True",
                             "torch.backends.cudnn.benchmark", "cudnn.benchmark", uses=T),
    "sdp": Leaky("import torch; torch.backends.cuda.enable_flash_sdp(False)",
                 "torch.backends.cuda.flash_sdp_enabled()", "flash_sdp", uses=T),
    "fp16 reduction": Leaky(
        "import torch; torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False",
        "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction", "allow_fp16", uses=T),
    "flush denormal": Leaky("import torch; torch.set_flush_denormal(True)",
                            "sys.float_info.min * 0.5", "flush denormal", uses=T),
    "warn always": Leaky("import torch; torch.set_warn_always(not torch.is_warn_always_enabled())",
                         "torch.is_warn_always_enabled()", "warn always", uses=T),
    "forward hook": Leaky(
        "import torch; torch.nn.modules.module.register_module_forward_hook(lambda *a: None)",
        "torch.nn.modules.module._global_forward_hooks", "forward hooks", uses=T),
    "optimizer hook": Leaky(
        "from torch.optim.optimizer import register_optimizer_step_pre_hook as r\n"
        "r(lambda *a: None)",
        "sys.modules['torch.optim.optimizer']._global_optimizer_pre_hooks", "pre hooks", uses=T),
    "safe globals": Leaky(
        "import torch, types; torch.serialization.add_safe_globals([types.SimpleNamespace])",
        "torch.serialization.get_safe_globals()", "safe globals", uses=T),
    "pytree": Leaky(
        "import torch.utils._pytree as p\nclass A: pass\n"
        "p.register_pytree_node(A, lambda a: ([], None), lambda v, c: A())",
        "len(torch.utils._pytree.SUPPORTED_NODES), "
        "len(torch.utils._pytree.SUPPORTED_SERIALIZED_TYPES)", "pytree", uses=T),
    "kl": Leaky(
        "import torch\nclass A(torch.distributions.Normal): pass\n"
        "torch.distributions.register_kl(A, A)(lambda p, q: 0)",
        "len(torch.distributions.kl._KL_REGISTRY)", "KL divergence", uses=T),
    "kl replaced": Leaky(
        "import torch\nN = torch.distributions.Normal\n"
        "torch.distributions.register_kl(N, N)(lambda p, q: 7)",
        "torch.distributions.kl_divergence(torch.distributions.Normal(0, 1), "
        "torch.distributions.Normal(0, 1))", "KL divergence", uses=T),
    "torch.ops": Leaky("import torch; torch.ops.mine = 1", "hasattr(torch.ops.mine, 'x')",
                       "torch.ops.mine", uses=T),
    "fx.wrap": Leaky("import torch.fx\ntorch.fx.wrap('len')",
                     "len(torch.fx._symbolic_trace._wrapped_fns_to_patch)", "fx.wrap", uses=T),
    "decomposition": Leaky(
        "import torch\nfrom torch._decomp import register_decomposition as r\n"
        "r(torch.ops.aten.special_airy_ai.default)(lambda x: x)",
        "len(torch._decomp.decomposition_table)", "decomposition", uses=T),
    "allow_in_graph": Leaky(
        "import torch._dynamo, colorsys\ndef f(x): return x\n"
        "colorsys.f = torch._dynamo.allow_in_graph(f)",
        "len(torch._dynamo.trace_rules._allowed_callable_ids())", "allow_in_graph", uses=T),
    "backend": Leaky(
        "import torch._dynamo\n@torch._dynamo.register_backend(name='mine')\n"
        "def mine(gm, e): return gm",
        "torch._dynamo.list_backends(None)", "backend", uses=T),
    "Tensor patched": Leaky("import torch; torch.Tensor.foo = lambda s: 1",
                            "hasattr(torch.Tensor, 'foo')", "torch.Tensor.foo", uses=T),
    "Tensor.__repr__ patched": Leaky("import torch; torch.Tensor.__repr__ = lambda s, **k: 'T'",
                                     "torch.ones(1)", "torch.Tensor.__repr__", uses=T),
    "function patched": Leaky("import torch; torch.relu = torch.sigmoid", "torch.relu",
                              "torch.relu", uses=T),
    "F patched": Leaky("import torch.nn.functional as F; F.gelu = lambda x: x",
                       "torch.nn.functional.gelu", "torch.nn.functional.gelu", uses=T),
    "Module patched": Leaky("import torch; torch.nn.Module.__call__ = lambda s, *a: 1",
                            "torch.nn.Module.__call__", "torch.nn.Module.__call__", uses=T),
    "validate_args": Leaky(
        "import torch; torch.distributions.Distribution.set_default_validate_args(False)",
        "torch.distributions.Distribution._validate_args", "validation", uses=T),
    "set_logs": Leaky("import torch, logging; torch._logging.set_logs(dynamo=logging.DEBUG)",
                      "torch._logging._internal.log_state, "
                      "logging.getLogger('torch._dynamo').level", "torch logs", uses=T),
    "PrivateUse1 renamed": Leaky("import torch; torch.utils.rename_privateuse1_backend('mine')",
                                 "1", "PrivateUse1", undone=False, uses=T),
}  # fmt: skip

WARM = """
import torch, torch._dynamo, torch._inductor.config, torch._subclasses, multiprocessing, asyncio
import numpy, decimal, json, resource, locale
torch.compile(lambda x: x + 1, backend="aot_eager")(torch.ones(1))
torch._dynamo.reset()
torch.distributions.Distribution.set_default_validate_args(True)
"""

#: Ordinary code: whatever it makes torch do on its own account is nobody's leak.
CLEAN: dict[str, str] = {
    "nothing": "x = 1",
    "import": "import torch",
    "tensors": "x = torch.randn(3, requires_grad=True); (x * 2).sum().backward(); print(x.grad)",
    "training": "m = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())\n"
    "o = torch.optim.SGD(m.parameters(), lr=.1)\nm(torch.randn(2, 3)).sum().backward(); o.step()",
    "numpy": "import numpy as np; print(np.zeros(3))",
    "compile": "print(torch.compile(lambda x: x + 1, backend='aot_eager')(torch.ones(1)))",
    "compile again": "print(torch.compile(lambda x: x + 2, backend='eager')(torch.ones(1)))",
    "vmap": "from torch.func import vmap, grad; print(vmap(grad(lambda x: x * x))(torch.ones(3)))",
    "trace": "print(torch.jit.trace(lambda x: x + 1, torch.ones(1)))",
    "export": "class M(torch.nn.Module):\n    def forward(self, x): return x + 1\n"
    "print(torch.export.export(M(), (torch.ones(2),)))",
    "dataloader": "from torch.utils.data import DataLoader\n"
    "print(len(list(DataLoader(range(8), batch_size=2))))",
    "fx": "import torch.fx; print(torch.fx.symbolic_trace(lambda x: x + 1))",
    "distributions": "print(torch.distributions.Normal(0, 1).sample())\n"
    "a = torch.distributions.kl_divergence(torch.distributions.Normal(0, 1), "
    "torch.distributions.Normal(1, 1))",
    "profiler": "with torch.profiler.profile() as p: torch.ones(1) + 1",
    "logging": "import logging; logging.getLogger('x').warning('hi')",
    "sparse": "print(torch.ones(3, 3).to_sparse() @ torch.ones(3, 1))",
    "serialization": "import io; b = io.BytesIO(); torch.save(torch.ones(1), b); b.seek(0)\n"
    "print(torch.load(b))",
    "custom op": "@torch.library.custom_op('mine::f', mutates_args=())\n"
    "def f(x: torch.Tensor) -> torch.Tensor: return x.clone()\nf(torch.ones(1))",
    "open file": "f = open('/dev/null')",
    "context managers": "with torch.no_grad(), torch.device('meta'): torch.ones(1)\n"
    "with torch.autocast('cpu'): torch.ones(2, 2) @ torch.ones(2, 2)",
    "decimal": "import decimal; print(decimal.Decimal(1) / 3)",
    "stdlib": "import asyncio, http.client, xml.dom, sqlite3, unittest\n"
    "async def f(): return 1\nprint(asyncio.run(f()))",
}


def _table(cases: dict[str, Leaky]) -> list[dict[str, Any]]:
    return [
        {"name": name, "fences": [case.code], "sees": case.sees, "uses": case.uses}
        for name, case in cases.items()
    ]


@pytest.fixture(scope="module")
def python(run_cases: Any) -> Any:
    return run_cases(_table(PYTHON), preload=["multiprocessing", "asyncio", "numpy", "json"])


@pytest.fixture(scope="module")
def torch_leaks(run_cases: Any) -> Any:
    pytest.importorskip("torch")
    return run_cases(_table(TORCH), preload=["torch"], warm=WARM)


@pytest.fixture(scope="module")
def clean(run_cases: Any) -> Any:
    pytest.importorskip("torch")
    cases = [
        {"name": name, "fences": ["import torch\n" + dedent(code)], "rounds": 2}
        for name, code in CLEAN.items()
    ]
    return run_cases(cases, preload=["torch"])


def _judge(result: dict[str, Any], case: Leaky) -> None:
    leaks = result["rounds"][0]["leaks"]
    named = [leak for leak in leaks if case.what in leak["what"]]
    assert named, f"not named: {leaks}"
    assert [leak["undone"] for leak in named] == [case.undone] * len(named)
    assert all(leak["fence"] == 1 and leak["line"] for leak in named), named
    assert result["sees"] == result["saw"]
    tainted = result["rounds"][0]["tainted"]
    assert (tainted is None) == case.undone, tainted


@pytest.mark.parametrize("name", PYTHON)
def test_python_state(python: Any, name: str) -> None:
    _judge(python[name], PYTHON[name])


@pytest.mark.parametrize("name", TORCH)
def test_torch_state(torch_leaks: Any, name: str) -> None:
    _judge(torch_leaks[name], TORCH[name])


@pytest.mark.parametrize("name", CLEAN)
def test_ordinary_code_leaks_nothing(clean: Any, name: str) -> None:
    for one in clean[name]["rounds"]:
        assert one == {"errors": [""], "violations": [], "leaks": [], "tainted": None}
