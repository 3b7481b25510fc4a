"""What operations have GPUs do, with a library in CUPTI's place that launches what a test asks for: there is no GPU here."""

import json
import os
import shutil
import subprocess
import sys
import textwrap

import pytest

SOURCES = os.path.join(os.path.dirname(__file__), "..", "..", "crates", "calor", "tests", "gpu")

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None, reason="the stand-in is compiled by cc, for Linux"
)

PROGRAM = """
import ctypes, json, os, sys, types
import calor
from calor import _calor, _torch

folder = sys.argv[1]
driver = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
gpu = ctypes.CDLL(os.path.join(folder, "libcupti.so.12"))
gpu.stand_in_kernel.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.stand_in_begin_kernel.argtypes = [ctypes.c_char_p, ctypes.c_uint64]
gpu.stand_in_copy.argtypes = [ctypes.c_int] * 3 + [ctypes.c_uint64] * 2
names = [ctypes.create_string_buffer(name) for name in (b"_Z4gemmIfEvPT_", b"relu")]

class Cuda:
    is_used = False

    def is_initialized(self):
        return self.is_used

def first_use():
    Cuda.is_used = True

cuda = Cuda()
cuda._lazy_init = first_use
original = cuda._lazy_init
torch = types.SimpleNamespace(
    cuda=cuda, version=types.SimpleNamespace(cuda="12.8"), __file__=os.path.join(folder, "torch", "__init__.py")
)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as PyTorch's packages lie in one, with the stand-in in it."""
    root = tmp_path_factory.mktemp("packages")
    inside = root / "nvidia" / "cuda_cupti" / "lib"
    inside.mkdir(parents=True)
    library = inside / "libcupti.so.12"
    for source, built in (("cupti.c", library), ("driver.c", root / "libcuda.so.1")):
        source, name = os.path.join(SOURCES, source), f"-Wl,-soname,{built.name}"
        subprocess.run(["cc", "-shared", "-fPIC", name, "-o", str(built), source], check=True)
    os.symlink(library, root / "libcupti.so.12")
    return root


def run(folder, program):
    text = PROGRAM + textwrap.dedent(program)
    environment = {name: value for name, value in os.environ.items() if name != "CALOR_CUPTI"}
    command = [sys.executable, "-c", text, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kernels_stand_under_the_scope_that_launched_them(folder):
    out = run(
        folder,
        """
        calor.enable_profiling(numpy=False, torch=False)
        _torch._watch_gpu(torch)
        with calor.scope("before"):
            gpu.stand_in_kernel(names[0], 1000)
        assert not gpu.stand_in_is_subscribed(), "nothing is asked for before the program uses a GPU"
        cuda._lazy_init()
        assert gpu.stand_in_is_subscribed() and cuda.is_used
        with calor.ProfileContext("step"):
            for _ in range(3):
                with calor.scope("linear"):
                    gpu.stand_in_kernel(names[0], 2_000_000)
            gpu.stand_in_kernel(names[1], 500_000)
            gpu.stand_in_copy(1, 1, 3, 1 << 20, 250_000)
        report = calor.profile_report(format="json")
        print(calor.profile_report())
        print(calor.profile_report(format="csv"))
        calor.export(os.path.join(folder, "run.calor"))
        read = calor.profile_report(profile=calor.load(os.path.join(folder, "run.calor")), format="json")
        assert read["gpu"] == report["gpu"], (read, report)
        assert calor.profile_report(context="step", format="json")["gpu"] == report["gpu"]
        _torch.disable()
        assert not gpu.stand_in_is_subscribed() and cuda._lazy_init is original, "nothing is left behind"
        print("JSON" + json.dumps(report))
        """,
    )
    text, report = out.split("JSON")
    report = json.loads(report)
    kernels = report["gpu"]["kernels"]
    told = [(row["name"], row["count"], row["total_ns"], row["launched_from"]["function"]) for row in kernels]
    assert told == [("void gemm<float>(float*)", 3, 6_000_000, "linear"), ("relu", 1, 500_000, "step")]
    assert report["gpu"]["copies"] == [
        {"kind": "host_to_device", "count": 1, "bytes": 1 << 20, "total_ns": 250_000, "device": 0, "pageable": True}
    ]
    assert report["linear"]["gpu_time_ms"] == 6.0
    assert report["step"]["gpu_time_ms"] == 6.75
    assert "gpu_time_ms" not in report["before"]
    assert "Kernels on GPUs" in text and "Copies on GPUs" in text and "gpu_ns" in text


def test_a_profiler_that_was_there_first_keeps_its_place(folder):
    out = run(
        folder,
        """
        gpu.stand_in_be_taken(1)
        calor.enable_profiling(numpy=False, torch=False)
        Cuda.is_used = True
        _torch._watch_gpu(torch)
        with calor.scope("step"):
            gpu.stand_in_kernel(names[0], 1000)
        print([text for code, text in calor._calor.warnings() if code == "torch_gpu_time"])
        report = calor.profile_report(format="json")
        assert "gpu" not in report and "gpu_time_ms" not in report["step"]
        _torch.disable()
        """,
    )
    assert "another profiler has CUPTI" in out


def test_a_first_use_that_is_not_seen_is_caught_up_with(folder):
    run(
        folder,
        """
        calor.enable_profiling(numpy=False, torch=False)
        _torch._watch_gpu(torch)
        original()
        assert not gpu.stand_in_is_subscribed()
        for _ in range(2):
            cuda._lazy_init()
            assert gpu.stand_in_is_subscribed()
        _torch.disable()
        """,
    )


def test_between_blocks_nothing_is_asked_for(folder):
    run(
        folder,
        """
        with calor.ProfileContext("first"):
            _torch._watch_gpu(torch)
            cuda._lazy_init()
            assert gpu.stand_in_is_subscribed()
            gpu.stand_in_kernel(names[0], 1000)
        assert not gpu.stand_in_is_subscribed(), "others may have it"
        gpu.stand_in_kernel(names[1], 1000)
        with calor.ProfileContext("second"):
            with calor.ProfileContext("inside"):
                assert gpu.stand_in_is_subscribed()
            gpu.stand_in_kernel(names[0], 2000)
            gpu.stand_in_begin_kernel(names[0], 1000)
        assert not gpu.stand_in_is_subscribed()
        report = calor.profile_report(format="json")
        told = {row["launched_from"]["function"]: row["total_ns"] for row in report["gpu"]["kernels"]}
        assert told == {"first": 1000, "second": 2000}, told
        (warning,) = [warning for warning in report["warnings"] if warning["code"] == "gpu_unfinished"]
        assert warning["count"] == 1 and "torch.cuda.synchronize()" in warning["message"], warning
        _torch.disable()
        with calor.ProfileContext("third"):
            assert not gpu.stand_in_is_subscribed()
        """,
    )


def test_a_gpu_that_is_first_used_between_blocks_is_recorded_in_the_next_one(folder):
    run(
        folder,
        """
        with calor.ProfileContext("first"):
            _torch._watch_gpu(torch)
        cuda._lazy_init()
        assert not gpu.stand_in_is_subscribed()
        with calor.ProfileContext("second"):
            assert gpu.stand_in_is_subscribed()
        calor.enable_profiling(numpy=False, torch=False)
        """,
    )


def test_a_build_without_cuda_is_left_alone(folder):
    run(
        folder,
        """
        torch.version.cuda = None
        _torch._watch_gpu(torch)
        assert cuda._lazy_init is original and not _torch._undo
        """,
    )
