"""Operations of PyTorch: what has to be done in Python. The native module sees the operations themselves.

Modules are scopes by their place in the model, ``backward`` and ``grad`` are scopes of their own, and where PyTorch does
not fit the native module its operations are seen in the way that it offers to Python.
"""

import atexit
import functools
import os
import re
import sys
import weakref

from . import _calor, _imports

#: Models with more modules have those that differ only in a number as one scope: ``layers.*.linear1``.
_MOST_MODULES = 100
#: Names of modules that are kept; further ones are called by their class.
_MOST_NAMES = 1000
#: Operations that are told apart by shape in the way that PyTorch offers to Python.
_MOST_ROWS = 2048

_undo: list = []
_is_exit_watched = False


def enable(detail):
    """Begins to record: ``"names"`` of operations, ``"operations"`` with what they work on, ``"modules"`` as well."""
    _imports.when_imported("operations of PyTorch", "torch", functools.partial(_start, detail))


def disable():
    """Leaves PyTorch as it was found."""
    _imports.forget("operations of PyTorch")
    while _undo:
        _undo.pop()()


def _start(detail, torch):
    global _is_exit_watched
    if not hasattr(torch, "autograd"):
        return
    if not _is_exit_watched:
        # Threads that go on while the interpreter ends have no frames any more.
        atexit.register(_calor.torch_stop, True)
        _is_exit_watched = True
    folders = [os.path.dirname(module.__file__) + os.sep for module in (torch, _calor)]
    if _calor.torch_start(torch, detail != "names", sys.hexversion, folders):
        _undo.append(functools.partial(_calor.torch_stop, False))
    else:
        _watch_functions(torch)
    for name in ("backward", "grad"):
        _replace(torch, torch.autograd, name, functools.partial(_recorded, _scope("backward", phase="backward")))
    if detail == "modules":
        _replace(torch, torch.nn.Module, "__call__", _recorded_call)
    _watch_gpu(torch)


def _watch_gpu(torch):
    """Records what GPUs do from when the program uses one first: asked before, CUDA would not work in forked children."""
    cuda = getattr(torch, "cuda", None)
    if cuda is None or getattr(torch.version, "cuda", None) is None:
        return
    _undo.append(_calor.torch_gpu_stop)
    if cuda.is_initialized():
        _calor.torch_gpu_start(_cupti_folders(torch))
        return
    original = cuda._lazy_init

    is_started = [False]

    # Parts of PyTorch have the original, so it may have run before.
    @functools.wraps(original)
    def _lazy_init():
        original()
        if not is_started[0] and cuda.is_initialized() and cuda._lazy_init is _lazy_init:
            is_started[0] = True
            _calor.torch_gpu_start(_cupti_folders(torch))

    def undo():
        if cuda._lazy_init is _lazy_init:
            cuda._lazy_init = original

    cuda._lazy_init = _lazy_init
    _undo.append(undo)


def _cupti_folders(torch):
    """Where PyTorch's packages have the library that tells what GPUs do: the one for its version of CUDA."""
    packages = os.path.dirname(os.path.dirname(torch.__file__))
    major = str(torch.version.cuda).split(".")[0]
    nvidia = os.path.join(packages, "nvidia")
    folders = [os.path.join(nvidia, "cu" + major, "lib"), os.path.join(nvidia, "cuda_cupti", "lib")]
    return [folder for folder in [*folders, os.path.join(packages, "torch", "lib")] if os.path.isdir(folder)]


def _scope(name, module="torch", **labels):
    return _calor.scope_at(name, module, "", 0, labels or None)


def _replace(torch, owner, name, record):
    """Puts a function in the place of another, until it is undone; if somebody else has put one there, that stays."""
    original = getattr(owner, name)
    # While `torch.compile` looks at a program there is nothing to record, and a scope would keep it from compiling.
    is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", None) or (lambda: False)
    recorded = functools.wraps(original)(record(original, is_compiling))
    skip_code = getattr(getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None), "skip_code", None)
    if skip_code is not None:
        # What is called is compiled, and not the call.
        skip_code(recorded.__code__)
    setattr(owner, name, recorded)

    def undo():
        if getattr(owner, name, None) is recorded:
            setattr(owner, name, original)

    _undo.append(undo)


def _recorded(scope, function, is_compiling):
    def recorded(*args, **kwargs):
        if is_compiling():
            return function(*args, **kwargs)
        with scope:
            return function(*args, **kwargs)

    return recorded


def _recorded_call(call, is_compiling):
    """``Module.__call__`` with a scope around it."""
    scopes = {}

    def __call__(self, *args, **kwargs):
        if is_compiling():
            return call(self, *args, **kwargs)
        known = scopes.get(id(self))
        if known is None or known[0]() is not self:
            known = _name(self, scopes)
        with known[1]:
            return call(self, *args, **kwargs)

    return __call__


def _name(module, scopes):
    """Names a module that was not met before, and all modules inside it by their place in it."""
    inside = []
    for path, part in module.named_modules():
        inside.append((path, part))
        if len(scopes) + len(inside) >= _MOST_NAMES:
            break
    is_large = len(inside) > _MOST_MODULES
    for path, part in inside:
        known = scopes.get(id(part))
        if known is not None and known[0]() is part:
            continue
        kind = type(part).__name__
        name = re.sub(r"(^|\.)\d+(?=\.|$)", r"\1*", path) if is_large else path
        scopes[id(part)] = (_reference(part, scopes), _scope(name or kind, _module(part)))
    known = scopes.get(id(module))
    if known is None or known[0]() is not module:
        kind = type(module).__name__
        known = (lambda: module, _scope(kind, _module(module)))
    return known


def _module(module):
    """What a module is of, as people import it."""
    kind = type(module)
    return "torch.nn." + kind.__name__ if kind.__module__.startswith("torch.nn.") else f"{kind.__module__}.{kind.__qualname__}"


def _reference(part, scopes):
    """A reference that does not keep the module, and forgets its name with it."""
    key = id(part)
    return weakref.ref(part, lambda gone: scopes.pop(key, None) if scopes.get(key, (None,))[0] is gone else None)


def _watch_functions(torch):
    """Sees calls of PyTorch's functions on this thread, where operations cannot be seen natively."""
    overrides = sys.modules.get("torch.overrides")
    if not hasattr(overrides, "TorchFunctionMode"):
        return
    folder = os.path.dirname(torch.__file__) + os.sep
    rows = {}
    is_on = [True]

    class CalorMode(overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            if not is_on[0]:
                return function(*args, **(kwargs or {}))
            with _row(torch, folder, rows, function, args):
                return function(*args, **(kwargs or {}))

    mode = CalorMode()
    mode.__enter__()

    def undo():
        is_on[0] = False
        stack = getattr(overrides, "_get_current_function_mode_stack", list)()
        # One that is below others stays there and does nothing.
        if stack and stack[-1] is mode:
            mode.__exit__(None, None, None)

    _undo.append(undo)


def _row(torch, folder, rows, function, args):
    """The scope of a call: by function, line, and what it works on."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        frame = frame.f_back
    tensors = [value for value in args[:4] if isinstance(value, torch.Tensor)]
    shapes = tuple(tuple(tensor.shape) for tensor in tensors)
    key = (function, frame.f_code, frame.f_lineno, shapes, tuple(tensor.dtype for tensor in tensors))
    row = rows.get(key)
    if row is None:
        name = getattr(function, "__name__", None) or type(function).__name__
        if name == "__get__":
            name = getattr(getattr(function, "__self__", None), "__name__", name)
        labels = {"op": "torch", "caller": getattr(frame.f_code, "co_qualname", frame.f_code.co_name)}
        if len(rows) >= _MOST_ROWS:
            return _scope(name, op="torch", shapes="various")
        if tensors:
            labels["shape"] = ",".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
            labels["dtype"] = ",".join(str(tensor.dtype).replace("torch.", "") for tensor in tensors)
            labels["device"] = str(tensors[0].device)
        row = _calor.scope_at(name, "torch", frame.f_code.co_filename, frame.f_lineno, labels)
        rows[key] = row
    return row
