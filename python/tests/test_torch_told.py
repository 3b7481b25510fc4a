"""What is told of an operation of PyTorch, by its name and operands alone: PyTorch need not be there."""

import subprocess
import sys

import pytest
from calor import _calor


def tensor(*sizes, dtype="float32", device="cpu", strides=None):
    if strides is None:
        strides, step = [], 1
        for size in reversed(sizes):
            strides.insert(0, step)
            step *= size
    return list(sizes), list(strides), dtype, device


def told(name, *tensors, numbers=(), others=()):
    name, labels, work, backend = _calor.torch_told(name, list(tensors), [list(list_) for list_ in numbers], list(others))
    return name, dict(labels), work, backend


@pytest.mark.parametrize(
    "name, tensors, flops",
    [
        ("aten::mm", [tensor(4, 5), tensor(5, 6)], 2 * 4 * 5 * 6),
        ("aten::addmm", [tensor(6), tensor(4, 5), tensor(5, 6)], 2 * 4 * 5 * 6),
        ("aten::bmm", [tensor(3, 4, 5), tensor(3, 5, 6)], 3 * 2 * 4 * 5 * 6),
        ("aten::baddbmm", [tensor(3, 4, 6), tensor(3, 4, 5), tensor(3, 5, 6)], 3 * 2 * 4 * 5 * 6),
        ("aten::matmul", [tensor(7, 4, 5), tensor(5, 6)], 7 * 2 * 4 * 5 * 6),
        ("aten::matmul", [tensor(4, 5), tensor(7, 5, 6)], 7 * 2 * 4 * 5 * 6),
        ("aten::mv", [tensor(4, 5), tensor(5)], 2 * 4 * 5),
        ("aten::dot", [tensor(5), tensor(5)], 2 * 5),
        ("aten::linear", [tensor(2, 3, 5), tensor(6, 5), tensor(6)], 2 * 2 * 3 * 5 * 6),
        ("aten::scaled_dot_product_attention", [tensor(2, 4, 8, 16), tensor(2, 4, 10, 16), tensor(2, 4, 10, 12)],
         2 * 2 * 4 * 8 * 10 * (16 + 12)),
        ("aten::add", [tensor(4, 1), tensor(6)], 24),
        ("aten::relu_", [tensor(4, 6)], 24),
        ("aten::sum", [tensor(4, 6)], 24),
        ("aten::transpose", [tensor(4, 6)], 0),
        ("aten::eq", [tensor(4, 6), tensor(4, 6)], 0),
        ("mine::kernel", [tensor(4, 6)], 0),
        ("aten::mm", [], 0),
        ("aten::mm", [tensor(4, 5)], 0),
        ("aten::matmul", [tensor(), tensor()], 0),
    ],
)
def test_operations_on_floating_point_numbers_are_counted_as_by_hand(name, tensors, flops):
    assert told(name, *tensors)[2][2] == flops


@pytest.mark.parametrize(
    "name, numbers, others, flops",
    [
        # stride 2, padding 1, dilation 1: 8 by 8 results of 4 channels for each of 2 images, each of 3 x 3 x 3 products.
        ("aten::conv2d", ([2, 2], [1, 1], [1, 1]), (0, 1), 2 * 2 * 4 * 8 * 8 * 27),
        ("aten::convolution", ([2, 2], [1, 1], [1, 1], [0, 0]), (0, 0, 1), 2 * 2 * 4 * 8 * 8 * 27),
        ("aten::mkldnn_convolution", ([1, 1], [2, 2], [1, 1]), (0, 1), 2 * 2 * 4 * 8 * 8 * 27),
        # The other way round every element of the input is multiplied with a whole filter.
        ("aten::convolution", ([2, 2], [1, 1], [1, 1], [0, 0]), (0, 1, 1), 2 * 2 * 3 * 16 * 16 * 27),
        # A padding that is told by a word is not known.
        ("aten::conv2d", ([1, 1], [1, 1]), (0, 0, 1), 0),
    ],
)
def test_convolutions_are_counted_by_their_strides(name, numbers, others, flops):
    given = tensor(2, 3, 16, 16), tensor(4, 3, 3, 3)
    assert told(name, *given, numbers=numbers, others=others)[2][2] == flops


def test_bytes_are_read_and_written_once():
    assert told("aten::add", tensor(10, 10), tensor(10, 10))[2] == (100, 3 * 400, 100)
    # What stands for many elements is read once, and what is not known is not told.
    spread = tensor(10, 10, strides=[0, 1])
    assert told("aten::add", tensor(10, 10), spread)[2] == (100, 400 + 40 + 400, 100)
    assert told("aten::copy_", tensor(10), tensor(10, dtype="float64"))[2] == (10, 40 + 80, 0)
    assert told("aten::cat", tensor(3, 4), tensor(5, 4))[2] == (32, 2 * 4 * 32, 0)
    assert told("aten::embedding", tensor(100, 16), tensor(5, dtype="int64"))[2] == (80, 40 + 2 * 320, 0)
    assert told("aten::eq", tensor(10), tensor(10))[2] == (10, 80 + 10, 0)
    assert told("aten::index_put_", tensor(10, 10))[2] == (0, 0, 0)
    assert told("aten::add", tensor(0, 4), tensor(0, 4))[2] == (0, 0, 0)


def test_labels_tell_shape_type_device_and_gaps():
    name, labels, _, backend = told("aten::addmm", tensor(6), tensor(4, 5), tensor(5, 6, strides=[1, 5]))
    assert (name, backend) == ("addmm", "blas")
    assert labels == {
        "op": "torch",
        "shape": "6,4x5,5x6",
        "dtype": "float32,float32,float32->float32",
        "device": "cpu",
        "contiguous": "false",
    }
    _, labels, work, backend = told("aten::mul", tensor(4, device="cuda"), tensor(dtype="float64"))
    assert (labels["device"], backend, labels["shape"]) == ("cuda:0", "cuda", "4,scalar")
    # The host only begins it: bytes and operations in that time would be no rate of anything.
    assert tuple(work) == (0, 0, 0)
    assert labels["dtype"] == "float32,float64->float32"
    assert told("aten::mm", tensor(2, 2, dtype="int64"), tensor(2, 2, dtype="int64"))[3] == "cpu"
    assert told("aten::add_", tensor(3, dtype="float16"), tensor(3))[1]["dtype"] == "float16,float32->float16"
    assert told("aten::lt", tensor(3), tensor(3))[1]["dtype"] == "float32,float32->bool"
    assert told("mine::kernel", tensor(3))[0] == "mine::kernel"


def test_long_lists_of_operands_are_told_short():
    assert told("aten::stack", *[tensor(3)] * 20)[1]["shape"] == "3"
    assert told("aten::stack", *[tensor(3)] * 3)[1]["shape"] == "3,3,3"


def test_what_is_no_type_is_an_error():
    with pytest.raises(ValueError, match="no type float12"):
        told("aten::add", tensor(3, dtype="float12"))


FULL = """
import calor
from calor import _calor

def row(line, *sizes):
    operand = (list(sizes), [1] * len(sizes), "float32", "cpu")
    labels, at = _calor.torch_row("aten::relu", [operand], line)
    labels = dict(labels)
    return labels.get("shape"), labels.get("shapes"), at

codes = lambda: [warning for warning in calor.profile_report(format="json")["warnings"] if warning["code"].startswith("torch_")]
told = lambda: {warning["code"]: warning["count"] for warning in codes()}

first = [row(1, 4), row(1, 5)]
assert first == [("4", None, 1), ("5", None, 1)], first
for line in range(2, 2048):
    assert row(line, 4) == ("4", None, line)
# There is no room now: what is new to a line shares a row with all that is, and lines that are new with all lines.
assert row(1, 6) == (None, "various", 1) and row(9999, 4) == (None, "various", 0)
for _ in range(3):
    calor.clear_profile()
    assert [row(1, 4), row(1, 5)] == first, "lines keep the rows that they have"
    assert row(1, 4) == ("4", None, 1)
    with calor.ProfileContext("step"):
        pass
    assert told() == {}, told()
    assert row(1, 6) == row(1, 7) == (None, "various", 1)
    assert row(9999, 4) == (None, "various", 0)
    assert told() == {"torch_shapes_rounded": 1, "torch_lines_over_limit": 1}, told()
"""


def test_lines_keep_their_rows_when_all_was_cleared_and_there_is_no_room():
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
