# Says what an outsider should find in this process's memory, then waits to be looked at. Fields are separated by tabs:
#   code    address  n_bytes  first_line  name  file
#   long    address                                      a function whose name is too long to be taken
#   other   address                                      an object that is no code
#   thread  native_id  pthread_id  name:line;name:line;...      its frames, innermost first
#   ready
# After the first line of input it runs without end.
import sys, threading, types


def say(*fields):
    sys.stdout.buffer.write(("\t".join(str(field) for field in fields) + "\n").encode())
    sys.stdout.buffer.flush()


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def report(frame):
    chain = []
    while frame:
        chain.append("%s:%d" % (name_of(frame.f_code), frame.f_lineno))
        frame = frame.f_back
    say("thread", threading.get_native_id(), threading.get_ident(), ";".join(chain))


class Waiter:
    def wait(self, lock, ready):
        report(sys._getframe()), ready.set(), lock.acquire()

    def steps(self, n):
        for i in range(n):

            def last():
                report(sys._getframe()), say("ready"), sys.stdin.readline()

            yield (
                last
                ()
            )


def outer(waiter):
    return list(
        waiter.steps(1)
    )


def renamed(code, name):
    if hasattr(code, "co_qualname"):
        return code.replace(co_name=name, co_qualname=name)
    return code.replace(co_name=name)


def functions():
    source = "def plain(): pass\ndef caf\xe9(): pass\ndef \u4e2d\u6587(): pass\n\n\nlambda:\\\n 1\n"
    for file in ("plain.py", "/tmp/caf\xe9.py", "/tmp/\u4e2d\u6587.py", "/tmp/\U0001f40d.py", "long" * 500):
        module = compile(source, file, "exec")
        yield module
        yield from (constant for constant in module.co_consts if isinstance(constant, types.CodeType))
    yield Waiter.steps.__code__
    yield renamed(outer.__code__, "x" * 4096)
    yield renamed(outer.__code__, "\U0001f40d" * 4096)
    yield renamed(outer.__code__, "")


kept = list(functions())
for code in kept:
    say("code", id(code), len(code.co_code), code.co_firstlineno, name_of(code), code.co_filename)
too_long = renamed(outer.__code__, "x" * 4097)
say("long", id(too_long))
for other in (None, outer, "text", kept, Waiter):
    say("other", id(other))

lock, ready = threading.Lock(), threading.Event()
lock.acquire()
threading.Thread(target=Waiter().wait, args=(lock, ready), daemon=True).start()
ready.wait()
outer(Waiter())
while True:
    pass
