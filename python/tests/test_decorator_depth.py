"""Decorated functions that call themselves: recursion that is too deep ends in an error of Python, never of the machine."""

import pytest
from functions_rows import in_new_process

DEEP = """
    import sys
    import calor
    if {is_on}:
        calor.enable_profiling(numpy=False, torch=False)
    sys.setrecursionlimit(100_000)

    @calor.profile
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    @calor.profile
    def walk(n):
        yield n
        if n:
            yield from walk(n - 1)

    print(down(400), sum(1 for _ in walk(100)))
    for work in (lambda: down(90_000), lambda: list(zip(walk(30_000), range(30_000)))):
        try:
            work()
        except RecursionError:
            print("RecursionError")
    codes = [told["code"] for told in calor.profile_report("json")["warnings"]]
    print(sys.version_info >= (3, 12) or "decorated_recursion_cut_short" in codes)
    """


@pytest.mark.parametrize("is_on", [True, False])
def test_recursion_that_is_too_deep_is_an_error_of_python_with_profiling_on_and_off(is_on):
    assert in_new_process(DEEP.format(is_on=is_on)) == "400 101\nRecursionError\nRecursionError\nTrue\n"


def test_threads_with_small_stacks_have_room_for_less():
    out = in_new_process(
        """
        import sys, threading
        import calor
        sys.setrecursionlimit(100_000)
        threading.stack_size(256 << 10)

        @calor.profile
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        def work():
            try:
                down(50_000)
            except RecursionError:
                print("RecursionError", down(50))

        thread = threading.Thread(target=work)
        thread.start(); thread.join()
        """
    )
    assert out == "RecursionError 50\n"
