"""What recording a GPU costs a small transformer that is trained, and whether kernels are told as torch.profiler tells them.

Needs PyTorch, a GPU, and the package: ``python benches/python/torch_gpu.py`` prints a page. CUPTI serves one profiler in a
process, so each way has processes of its own, which take turns; a figure is the median over processes of the median over
rounds. ``--keep FOLDER`` leaves a profile there.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

WAYS = ("nothing", "calor names", "calor operations", "calor modules", "torch.profiler", "torch.profiler shapes")
STEPS, ROUNDS, PROCESSES = 30, 7, 5
#: Operations whose time on the GPU is held against that of torch.profiler.
OPERATIONS = ("linear", "addmm", "mm", "layer_norm", "scaled_dot_product_attention", "relu", "sum")


def train(torch, model, optimizer, batch, steps):
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()


def transformer(torch):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0)
    model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).cuda()
    return model, torch.optim.SGD(model.parameters(), lr=1e-3), torch.randn(16, 64, 256, device="cuda")


def measure(way, keep):
    """One process of one way: milliseconds a step, and what was told of ``STEPS`` steps."""
    import torch

    told = {}
    if way.startswith("calor"):
        import calor

        detail = {"names": "names", "operations": True, "modules": "modules"}[way.split()[1]]
        calor.enable_profiling(numpy=False, torch=detail)
        told["version"] = calor.__version__
    model = transformer(torch)
    train(torch, *model, 10)

    def rounds():
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            train(torch, *model, STEPS)
            times.append((time.perf_counter() - start) / STEPS * 1e3)
        return statistics.median(times)

    if way.startswith("torch.profiler"):
        kinds = torch.profiler.ProfilerActivity
        with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA], record_shapes="shapes" in way):
            train(torch, *model, 5)
            told["ms"] = rounds()
        with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA]) as profile:
            train(torch, *model, STEPS)
        on_gpu = [event for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
        # What a range of the program spans on the GPU is told as an event of its own: `Optimizer.step#SGD.step`.
        others = ("Memcpy", "Memset", "Optimizer.")
        kernels = [event for event in on_gpu if not event.name.startswith(others)]
        told["kernels"] = len(kernels)
        told["kernel_ms"] = sum(event.device_time_total for event in kernels) / 1e3
        rows = {row.key: row.device_time_total / 1e3 for row in profile.key_averages()}
        told["operations"] = {name: sum(rows.get("aten::" + name + end, 0.0) for end in ("", "_")) for name in OPERATIONS}
    else:
        told["ms"] = rounds()
    if way.startswith("calor"):
        calor.clear_profile()
        train(torch, *model, STEPS)
        report = calor.profile_report(format="json")
        kernels = report["gpu"]["kernels"]
        told["kernels"] = sum(row["count"] for row in kernels)
        told["kernel_ms"] = sum(row["total_ns"] for row in kernels) / 1e6
        told["operations"] = {
            name: sum(row.get("gpu_ns", 0) for row in report["operations"] if row["operation"] == name) / 1e6
            for name in OPERATIONS
        }
        told["warnings"] = [warning["code"] for warning in report["warnings"]]
        if keep and way == "calor modules":
            keep_profile(calor, torch, model, keep)
    told["torch"] = f"{torch.__version__} (CUDA {torch.version.cuda}), {torch.cuda.get_device_name(0)}"
    print(json.dumps(told))


def keep_profile(calor, torch, model, folder):
    """A few steps and some copies, with pages about them."""
    calor.clear_profile()
    with calor.ProfileContext("train"):
        train(torch, *model, 5)
    pageable = torch.ones(1 << 20)
    pinned = pageable.pin_memory()
    with calor.scope("copies"):
        for _ in range(5):
            pageable.cuda()
            pinned.cuda(non_blocking=True)
        pinned.cuda().cpu()
        torch.cuda.synchronize()
    for name in ("transformer.calor", "transformer.html", "transformer.txt", "transformer.flame.html"):
        calor.export(os.path.join(folder, name))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    arguments.add_argument("--processes", type=int, default=PROCESSES, help="of each way (5)")
    arguments.add_argument("--keep", metavar="FOLDER", help="leave a profile and pages about it there")
    given = arguments.parse_args()
    if given.way:
        return measure(given.way, given.keep)
    told = {way: [] for way in WAYS}
    for number in range(given.processes):
        for way in WAYS:
            command = [sys.executable, os.path.abspath(__file__), "--way", way]
            keep = ["--keep", given.keep] if given.keep and number == 0 else []
            done = subprocess.run([*command, *keep], capture_output=True, text=True, timeout=300)
            if done.returncode:
                sys.exit(f"{way}: {done.stderr}")
            told[way].append(json.loads(done.stdout.splitlines()[-1]))
    print(page(told, given.processes))


def page(told, n_processes):
    plain = statistics.median(run["ms"] for run in told["nothing"])
    lines = [f"- PyTorch: {told['nothing'][0]['torch']}; Python {sys.version.split()[0]}"]
    lines += [f"- a step of training: forward, backward, SGD; {STEPS} steps a round, {ROUNDS} rounds, {n_processes} processes a way, in turns", ""]
    lines += ["| way | a step, ms (lowest to highest process) | x nothing | kernels of 30 steps | their time, ms |", "|---|---:|---:|---:|---:|"]
    for way, runs in told.items():
        times = [run["ms"] for run in runs]
        middle = statistics.median(times)
        kernels = sorted({run["kernels"] for run in runs if "kernels" in run})
        kernel_ms = [run["kernel_ms"] for run in runs if "kernel_ms" in run]
        seen = ", ".join(map(str, kernels)) or "-"
        took = f"{statistics.median(kernel_ms):.2f}" if kernel_ms else "-"
        lines.append(f"| {way} | {middle:.2f} ({min(times):.2f} to {max(times):.2f}) | {middle / plain:.2f} | {seen} | {took} |")
    lines += ["", "Time on the GPU by operation, of 30 steps, the median of processes:", ""]
    lines += ["| operation | calor, ms | torch.profiler, ms | ratio |", "|---|---:|---:|---:|"]
    for name in OPERATIONS:
        ours = statistics.median(run["operations"][name] for run in told["calor operations"])
        theirs = statistics.median(run["operations"][name] for run in told["torch.profiler"])
        lines.append(f"| {name} | {ours:.3f} | {theirs:.3f} | {ours / theirs:.3f} |" if theirs else f"| {name} | {ours:.3f} | - | - |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
