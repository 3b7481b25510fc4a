"""Calls two Python functions for `calor ab --why --python`: in turns, timed, when it is asked on standard input; or one of
them so often, to be recorded. It is given to the interpreter as text, so nothing of it is left behind."""

import importlib
import importlib.util
import inspect
import json
import os
import signal
import sys
import time


class Refused(Exception):
    """Something that the user can put right, in words."""


def load_setup(path):
    if path is None:
        return None
    if not os.path.isfile(path):
        raise Refused(f"there is no file {path}: check what --setup names")
    spec = importlib.util.spec_from_file_location("calor_setup", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["calor_setup"] = module
    spec.loader.exec_module(module)
    return module


def resolve(name, setup):
    """`numpy:add`, `package.module:Class.method`, `numpy.add`, or the name of a function of the setup file."""
    if ":" in name:
        module_name, _, path = name.partition(":")
    elif setup is not None and hasattr(setup, name.split(".")[0]):
        module_name, path = None, name
    elif "." in name:
        module_name, _, path = name.rpartition(".")
    else:
        raise Refused(f"`{name}` is no function: write MODULE:FUNCTION, as in numpy:add, or a function of the --setup file")
    try:
        found = setup if module_name is None else importlib.import_module(module_name)
    except ImportError as error:
        raise Refused(missing(error, module_name)) from None
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Refused(f"`{module_name or 'the --setup file'}` has no `{path}`: check the name `{name}`") from None
    if not callable(found):
        raise Refused(f"`{name}` cannot be called: name a function")
    return found


def missing(error, module_name):
    name = getattr(error, "name", None) or module_name
    return (
        f"{name} cannot be imported by {sys.executable} ({error}): install it there, as in `{sys.executable} -m pip install "
        f"{name.split('.')[0]}`, or name another Python with --interpreter"
    )


class Operation:
    def __init__(self, spec):
        sys.path.insert(0, os.getcwd())
        self.setup = load_setup(spec["setup"])
        self.functions = [resolve(name, self.setup) for name in spec["names"]]
        self.shape = spec["shape"]
        self.dtypes = spec["dtypes"]
        self.made = {}

    def arguments(self, side, n):
        """The arguments of a call on about n elements; kept for the size that was asked for last."""
        key = (n, self.dtypes[side])
        if key not in self.made:
            self.made = {known: made for known, made in self.made.items() if known[0] == n}
            self.made[key] = self.make(side, n)
        return self.made[key]

    def make(self, side, n):
        dtype, shape = self.dtypes[side], self.shape_of(n)
        make = getattr(self.setup, "arguments", None)
        if make is not None:
            names = list(inspect.signature(make).parameters)
            first = n if names and names[0] in ("n", "size", "count") else shape
            given = make(first, dtype) if len(names) > 1 else make(first)
            return given if isinstance(given, tuple) else (given,)
        try:
            import numpy
        except ImportError as error:
            raise Refused(
                missing(error, "numpy") + "; or make the arguments without it in `arguments(shape, dtype)` of a --setup file"
            ) from None
        try:
            kind = numpy.dtype(dtype)
        except TypeError:
            raise Refused(f"numpy has no type `{dtype}`: name one such as float32 or int64 with --dtype") from None
        numbers = numpy.random.default_rng(7)
        return tuple((numbers.random(shape) * 100 + 1).astype(kind) for _ in range(self.n_inputs(side)))

    def n_inputs(self, side):
        """How many arrays the function takes: what its kind tells, or its signature, or two."""
        function = self.functions[side]
        if hasattr(function, "nin"):
            return function.nin
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            other = self.functions[1 - side]
            return other.nin if hasattr(other, "nin") else 2
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return max(1, sum(1 for it in parameters if it.kind in plain and it.default is inspect.Parameter.empty))

    def shape_of(self, n):
        """A shape like the one that was asked for, with about n elements: its first side is longer or shorter."""
        if not self.shape:
            return (n,)
        row = 1
        for side in self.shape[1:]:
            row *= side
        if n < row:
            return tuple([1] * (len(self.shape) - 1) + [n])
        return tuple([max(1, n // row)] + self.shape[1:])

    def call(self, side, n):
        return self.functions[side](*self.arguments(side, n))

    def check(self, n):
        one, other = self.call(0, n), self.call(1, n)
        difference = differs(one, other)
        if difference:
            raise Refused(
                f"A and B return different things for {n} elements: {difference}; compare them, or leave that out with --no-check"
            )
        return {"bytes": self.bytes(n, one)}

    def bytes(self, n, result=None):
        result = self.call(0, n) if result is None else result
        held = [getattr(it, "nbytes", None) for it in (*self.arguments(0, n), result)]
        return sum(it for it in held if it) or None


def differs(one, other):
    """What two results differ in; nothing where they are the same within rounding."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)) and not is_flat(one):
        if len(one) != len(other):
            return f"{len(one)} and {len(other)} results"
        return next((found for found in map(differs, one, other) if found), None)
    try:
        import numpy

        one, other = numpy.asarray(one), numpy.asarray(other)
        if one.shape != other.shape:
            return f"shapes {one.shape} and {other.shape}"
        if one.dtype.kind in "fc" or other.dtype.kind in "fc":
            small = min(it.dtype.itemsize // (2 if it.dtype.kind == "c" else 1) for it in (one, other))
            tolerance = {2: 2e-2, 4: 1e-4}.get(small, 1e-8)
            apart = ~numpy.isclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
            allowed = f", where {tolerance:g} of the value and {tolerance:g} are allowed"
        else:
            apart, allowed = one != other, ""
        if not numpy.any(apart):
            return None
        return f"{int(apart.sum())} of {apart.size} elements{largest(one[apart], other[apart])}{allowed}"
    except ImportError:
        return None if one == other else "they are not equal"


def largest(one, other):
    """By how much elements differ at most; nothing where they are no numbers."""
    import numpy

    try:
        with numpy.errstate(all="ignore"):
            by = numpy.abs(one.astype(numpy.complex128) - other.astype(numpy.complex128))
    except (TypeError, ValueError):
        return ""
    if numpy.isnan(by).all():
        return ", which are no numbers on one side"
    at = int(numpy.nanargmax(by))
    return f", by {by[at]:.3g} at most ({one[at]} and {other[at]})"


def is_flat(values):
    return bool(values) and all(isinstance(it, (int, float)) for it in values)


def calor_calls(function, arguments, calls):
    for _ in range(calls):
        function(*arguments)


def timed(operation, side, n, calls):
    function, arguments = operation.functions[side], operation.arguments(side, n)
    calor_calls(function, arguments, 1)
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    calor_calls(function, arguments, calls)
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
    return {"cpu": cpu, "wall": wall}


def answer(operation, asked):
    if asked["do"] == "check":
        return operation.check(asked["n"])
    if asked["do"] == "bytes":
        return {"bytes": operation.bytes(asked["n"])}
    return timed(operation, asked["side"], asked["n"], asked["calls"])


def serve(spec):
    # What the functions print must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    operation = None
    for line in sys.stdin:
        try:
            operation = operation or Operation(spec)
            told = answer(operation, json.loads(line))
        except Refused as refused:
            told = {"error": str(refused)}
        except Exception as error:  # Whatever the functions raise is for the user.
            told = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told) + "\n")


def main():
    # Whoever started this tells of an interrupt, in words.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    spec = json.loads(sys.argv[1])
    if len(sys.argv) == 2:
        serve(spec)
        return
    side, n, calls = (int(word) for word in sys.argv[2:5])
    operation = Operation(spec)
    calor_calls(operation.functions[side], operation.arguments(side, n), calls)


main()
