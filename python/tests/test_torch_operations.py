"""Operations of a real PyTorch. Without one these are skipped; what can be tested without is in ``test_torch_told``."""

import os
import subprocess
import sys
import textwrap
import threading

import calor
import pytest
from calor import _calor

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

HERE = __file__


@pytest.fixture(autouse=True)
def clean():
    calor.clear_profile()
    yield
    calor.disable_profiling()
    calor.clear_profile()


def recorded(run, detail=True):
    calor.enable_profiling(numpy=False, torch=detail)
    try:
        result = run()
    finally:
        calor.disable_profiling()
    return result


def rows(*path):
    return [row for row in _calor.operation_rows() if tuple(row["path"][-len(path) :]) == path]


def names():
    return {tuple(row["path"]): row["calls"] for row in _calor.scope_rows()}


def is_native():
    return "torch_fallback" not in dict(_calor.warnings())


def test_operations_have_shapes_types_work_and_the_line_of_the_program():
    a, b = torch.ones(4, 5), torch.ones(5, 6)
    line = sys._getframe().f_lineno + 1
    recorded(lambda: [a @ b for _ in range(3)])
    assert is_native()
    (row,) = rows("matmul")
    assert (row["calls"], row["flops"], row["backends"]) == (3, 3 * 2 * 4 * 5 * 6, [("blas", 3)])
    assert row["labels"]["shape"] == "4x5,5x6" and row["labels"]["dtype"] == "float32,float32->float32"
    assert (row["file"], row["line"]) == (HERE, line)
    (inner,) = rows("matmul", "mm")
    assert (inner["calls"], inner["file"]) == (3, None)


def test_work_counts_once_however_operations_are_nested():
    a, b = torch.ones(4, 5), torch.ones(5, 6)
    linear = torch.nn.Linear(5, 6)
    recorded(lambda: [a @ b, torch.mm(a, b), linear(a)])
    of_all = [row for row in _calor.operation_rows()]
    products = [row for row in of_all if row["flops"] >= 2 * 4 * 5 * 6]
    assert sum(row["flops"] // (2 * 4 * 5 * 6) for row in products) == 3, of_all
    # Called by the program, the inner operation has its work.
    (outer,) = [row for row in of_all if row["path"] == ["mm"]]
    (inner,) = rows("matmul", "mm")
    assert outer["flops"] == 2 * 4 * 5 * 6 and inner["flops"] == 0


def test_functions_of_torch_are_not_the_program():
    x = torch.ones(2, 8)
    linear = torch.nn.Linear(8, 8)
    recorded(lambda: torch.nn.functional.softmax(linear(x), dim=1))
    for name in ("linear", "softmax"):
        (row,) = rows(name)
        assert row["file"] == HERE


def test_results_are_the_same_and_errors_pass():
    x = torch.arange(12.0).reshape(3, 4)
    plain = (x @ x.T).softmax(0)
    assert torch.equal(recorded(lambda: (x @ x.T).softmax(0)), plain)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        recorded(lambda: x @ x)
    recorded(lambda: x + x)
    assert [row["path"] for row in rows("add")] == [["add"]]


def test_names_alone_are_quicker_and_have_no_shapes():
    x = torch.ones(3)
    recorded(lambda: x + x, "names")
    (row,) = rows("add")
    assert "shape" not in row["labels"] and row["labels"]["op"] == "torch" and row["file"] == HERE


def test_modules_are_scopes_by_their_place():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.ReLU()))
    recorded(lambda: [model(torch.ones(1, 4)) for _ in range(2)], "modules")
    seen = names()
    assert seen[("Sequential",)] == 2 and seen[("Sequential", "0", "linear")] == 2
    assert seen[("Sequential", "1", "1.0", "relu")] == 2
    calor.clear_profile()
    recorded(lambda: model(torch.ones(1, 4)))
    assert ("linear",) in names() and ("Sequential",) not in names()


def test_large_models_have_one_scope_for_modules_that_differ_in_a_number():
    model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.ReLU()) for _ in range(120)])
    recorded(lambda: model(torch.ones(1)), "modules")
    assert names()[("Sequential", "*", "*.*")] == 120


def test_the_way_back_is_under_backward():
    weight = torch.ones(5, 3, requires_grad=True)

    def step():
        (torch.ones(2, 5) @ weight).sum().backward()

    recorded(step)
    seen = names()
    assert seen[("backward",)] == 1
    assert seen[("backward", "MmBackward0", "mm")] == 1
    assert not any("evaluate_function" in name for path in seen for name in path)


def test_batches_and_steps_of_optimizers_are_scopes():
    data = torch.utils.data.TensorDataset(torch.ones(12, 3))
    linear = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)

    def train():
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=4):
            optimizer.zero_grad()
            linear(batch).sum().backward()
            optimizer.step()
        with torch.autograd.profiler.record_function("mine"):
            torch.ones(2)

    recorded(train)
    seen = names()
    assert seen[("_SingleProcessDataLoaderIter.__next__",)] == 4
    assert seen[("SGD.step",)] == 3 and seen[("SGD.zero_grad",)] == 3
    assert seen[("mine", "ones")] == 1


def test_many_shapes_have_few_rows_and_the_work_is_still_exact():
    shapes = [(n, 1 + n % 5) for n in range(1, 301)]
    recorded(lambda: [torch.ones(shape) + torch.ones(shape) for shape in shapes])
    added = rows("add")
    assert len(added) <= 8 + 8 + 1
    assert sum(row["calls"] for row in added) == 300
    assert sum(row["flops"] for row in added) == sum(n * m for n, m in shapes)
    assert {row["labels"].get("shapes") for row in added} == {None, "rounded", "various"}


def test_calls_of_several_threads_are_all_counted():
    x = torch.ones(4)

    def work():
        for _ in range(1000):
            x + x

    def run():
        threads = [threading.Thread(target=work) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    recorded(run)
    assert sum(row["calls"] for row in rows("add")) == 4000


def test_turning_it_off_leaves_torch_as_it_was():
    call, backward = torch.nn.Module.__call__, torch.autograd.backward
    recorded(lambda: None, "modules")
    assert torch.nn.Module.__call__ is call and torch.autograd.backward is backward
    calor.clear_profile()
    torch.ones(3) + 1
    assert not _calor.operation_rows()
    for _ in range(50):
        recorded(lambda: torch.ones(3).add(1))
    assert sum(row["calls"] for row in rows("add")) == 50


def test_what_is_not_a_way_to_record_is_an_error():
    with pytest.raises(ValueError, match="'modules' or 'names'"):
        calor.enable_profiling(torch="everything")


def run_program(text, **environment):
    program = [sys.executable, "-c", textwrap.dedent(text)]
    done = subprocess.run(program, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_torch_is_not_imported_by_us_and_seen_when_it_is_imported_later():
    told = run_program(
        """
        import sys, calor
        from calor import _calor
        calor.enable_profiling(numpy=False)
        assert "torch" not in sys.modules
        import torch
        torch.ones(3).add(1)
        print(*[row["name"] for row in _calor.operation_rows() if len(row["path"]) == 1])
        assert torch.__spec__.loader is torch.__loader__ and "exec_module" not in vars(torch.__loader__)
        """
    )
    assert "add" in told


def test_where_it_does_not_fit_functions_are_seen_as_python_calls_them():
    told = run_program(
        """
        import torch, calor
        from calor import _calor
        calor.enable_profiling(numpy=False)
        a = torch.ones(3, 4)
        torch.matmul(a, a.T).relu()
        calor.disable_profiling()
        torch.ones(5)
        rows = {row["name"]: row for row in _calor.operation_rows()}
        assert rows["matmul"]["labels"]["shape"] == "3x4,4x3", rows
        assert rows["relu"]["line"] == 6 and rows["ones"]["calls"] == 1, rows
        print(*dict(_calor.warnings()))
        """,
        CALOR_TORCH_FALLBACK="1",
    )
    assert told == ["torch_fallback"]


def test_a_forked_child_goes_on():
    told = run_program(
        """
        import os, torch, calor
        from calor import _calor
        calor.enable_profiling(numpy=False)
        torch.ones(3).add(1)
        child = os.fork()
        if child == 0:
            torch.ones(3).mul(2)
            os._exit(0 if any(row["name"] == "mul" for row in _calor.operation_rows()) else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert told == ["0"]


def test_compiling_is_not_kept_from_what_it_does():
    text = """
        import sys, torch, calor
        {}
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
        torch.compile(model, backend="eager")(torch.ones(2, 3))
        counters = sys.modules["torch._dynamo"].utils.counters
        print(counters["frames"]["ok"], counters["stats"]["unique_graphs"], len(counters["graph_break"]))
        """
    alone = run_program(text.format(""))
    for options in ("", "torch='modules'"):
        assert run_program(text.format(f"calor.enable_profiling({options})")) == alone
