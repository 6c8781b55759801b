"""Runs a table of cases under the guards in one process; JSON in on stdin, JSON out on stdout.

A case is ``{"name", "fences": [source, …], "namespace", "allows", "rounds", "after"}``; ``after``
is code that must hold once the chain has ended. Started by ``conftest.py``, never imported.
"""

from __future__ import annotations

import contextvars
import gc
import importlib
import io
import json
import linecache
import os
import sys
import types
from contextlib import redirect_stdout
from typing import Any

from fencerun.worker.guards import Guards

PAGE = "/pages/lesson.md"


def run_chain(guards: Guards, case: dict[str, Any], number: int = 1) -> dict[str, Any]:
    """One chain under the guards, as the worker's loop runs it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=PAGE, NS=case.get("namespace") or "pytc_m25")
    main, sys.modules["__main__"] = sys.modules["__main__"], module
    context = contextvars.copy_context()
    guards.chain_begin(context)
    errors, found = [], []
    for offset, source in enumerate(case["fences"]):
        code = compile(source, PAGE, "exec", dont_inherit=True)
        linecache.cache[PAGE] = (len(source), None, source.splitlines(True), PAGE)
        allows = tuple(case.get("allows", ()))
        guards.fence_begin(number + offset, case.get("namespace"), allows, code)
        try:
            context.run(exec, code, module.__dict__)
            errors.append("")
        except BaseException as error:
            errors.append(f"{type(error).__name__}: {error}")
        if not case.get("unended") or offset:
            found += guards.fence_end()
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is not None:
        dynamo.reset()
    sys.modules["__main__"] = main
    module.__dict__.clear()
    gc.collect()
    leaks, tainted = guards.chain_end()
    return {"errors": errors, "violations": found, "leaks": leaks, "tainted": tainted}


def look(case: dict[str, Any]) -> str:
    """What the case's ``sees`` expression comes to now."""
    if "sees" not in case:
        return ""
    names: dict[str, Any] = {}
    for name in ("os", "sys", "gc", "warnings", "logging", "signal", *case.get("uses", ())):
        importlib.import_module(name)
        root = name.partition(".")[0]
        names[root] = sys.modules[root]
    return repr(eval(case["sees"], names))


def check(case: dict[str, Any]) -> str:
    """What the code in ``after`` raised, or an empty string."""
    try:
        exec(case.get("after", ""), {})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def dispatcher() -> dict[str, str]:
    """Everything that torch's dispatcher knows, by operator."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    dump = torch._C._dispatch_dump
    return {name: dump(name) for name in torch._C._dispatch_get_all_op_names()}


def main() -> None:
    """Run every case of stdin's table."""
    request = json.load(sys.stdin)
    real, sys.stdout = sys.stdout, io.StringIO()
    for name in request["preload"]:
        importlib.import_module(name)
    exec(request.get("warm", ""), {})
    guards = Guards(lambda filename: filename.startswith("/pages/"))
    dumps = request.get("dumps", False)
    before, results = dispatcher() if dumps else {}, {}
    for case in request["cases"]:
        with redirect_stdout(io.StringIO()):
            saw = look(case)
            rounds = [run_chain(guards, case) for _ in range(case.get("rounds", 1))]
            after, sees = check(case), look(case)
        now = dispatcher() if dumps else {}
        changed = sorted(k for k in {*before, *now} if before.get(k) != now.get(k))
        before = now
        results[case["name"]] = {
            "rounds": rounds,
            "after": after,
            "changed": changed,
            "saw": saw,
            "sees": sees,
        }
    sys.stdout = real
    json.dump(results, real)
    real.flush()
    os._exit(0)  # leaked state must not get a say in how the process ends


main()
