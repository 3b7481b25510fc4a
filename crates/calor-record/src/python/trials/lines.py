# Prints, for many functions, the table of lines and what the interpreter itself makes of it: one function a line,
# `table first_line n_bytes start:line,start:line,...`, where the line is - for instructions that belong to none.
import argparse, ast, dis, inspect, json.decoder, textwrap, types, typing

SOURCE = '''
import functools

@functools.lru_cache(maxsize=None)
@functools.wraps(
    print
)
def decorated(a,
              b=1):
    return (a
            + b)

class Holder:
    value = [x
             for x in range(3)
             if x]

    def generator(self):
        for i in range(10):
            try:
                yield i
            finally:
                del i
        with open("x") as f: yield from f

    async def coroutine(self):
        async with self as s:
            await s
        return [x async for x in self]

def nested(flag):
    def inner():
        return (lambda x:
                x + 1)(flag)
    while flag:
        flag -= inner(); continue
    else:
        return {k: v for k, v in zip("ab",
                                     "cd")}

def far(a):
    b = a
BLANK
    c = a(
        b,
BLANK
        b)
    return c
def wide():
    return [LONG]

def back(f):
    return f(1,
      f(2),
      f(3,
    4),
      5) and [
        f
        for f in (1,
                  2)]
'''
SOURCE = SOURCE.replace("BLANK", "\n" * 700).replace("LONG", ", ".join("x%d.y" % n for n in range(300)))


def inside(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from inside(constant)


def lines_of(code):
    if hasattr(code, "co_lines"):
        return [(start, line) for start, end, line in code.co_lines() if end > start]
    return list(dis.findlinestarts(code))


sources = [SOURCE]
for module in (argparse, ast, dis, inspect, json.decoder, textwrap, typing):
    sources.append(inspect.getsource(module))
for source in sources:
    for code in inside(compile(source, "made up", "exec")):
        table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
        lines = ["%d:%s" % (start, "-" if line is None else line) for start, line in lines_of(code)]
        print(table.hex() or "-", code.co_firstlineno, len(code.co_code), ",".join(lines))
