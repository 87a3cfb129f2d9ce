"""What programs do to their interpreter: python3 habits.py WAY"""
import cProfile
import gc
import importlib
import inspect
import io
import pickle
import pstats
import signal
import sys
import threading
import time
import traceback
import types
import weakref


def work(n):
    return n if n == 0 else work(n - 1)


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


def pickled():
    copy = pickle.loads(pickle.dumps(Point(3)))
    print(copy == Point(3), type(copy).__module__)


def stacks():
    def inner():
        print([frame.function for frame in inspect.stack()], sys._getframe(1).f_code.co_name)
        print("".join(traceback.format_stack()))

    inner()
    print(len(threading.enumerate()), sys.getrecursionlimit())


def deepest():
    depth = 0

    def fall():
        nonlocal depth
        depth += 1
        fall()

    try:
        fall()
    except RecursionError as error:
        print(str(error).startswith("maximum recursion depth exceeded"))
    print(abs(depth - sys.getrecursionlimit()) < 60)
    print(work(500))


def lifetimes():
    class Thing:
        pass

    def use(thing):
        watch = weakref.ref(thing)
        del thing
        return watch() is None

    def keep():
        thing = Thing()
        watch = weakref.ref(thing)
        yield
        del thing
        yield watch() is None

    if sys.version_info >= (3, 12):
        print(use(Thing()), list(keep())[1])
    watch = weakref.ref(Thing())
    print(watch() is None)


def dropped():
    """A generator that is dropped ends at once."""

    def numbers():
        try:
            yield 1
        finally:
            print("closed", work(1))

    made = numbers()
    next(made)
    del made
    print("after")


def profiled():
    profile = cProfile.Profile()
    profile.enable()
    work(3)
    profile.disable()
    text = io.StringIO()
    pstats.Stats(profile, stream=text).print_stats("work")
    print("4/1" in text.getvalue())
    work(2)


def traced():
    seen = []

    def tracer(frame, event, arg):
        seen.append((frame.f_code.co_name, event))
        return tracer

    sys.settrace(tracer)
    work(1)
    sys.settrace(None)
    print(seen, sys.gettrace())
    seen.clear()
    sys.setprofile(tracer)
    work(1)
    sys.setprofile(None)
    print([one for one in seen if one[0] == "work"], sys.getprofile())
    work(2)


def debugged():
    import pdb

    debugger = pdb.Pdb(stdin=io.StringIO("step\nnext\nwhere\ncontinue\n"), stdout=sys.stdout, nosigint=True)
    debugger.set_trace()
    work(2)
    work(1)


def reloaded():
    import pack.part

    first = pack.part.double
    again = importlib.reload(pack.part)
    print(first(1), again.double(2), first is again.double)


def made():
    spaces = {}
    exec("def made(n):\n    return n * 2\nresult = made(4)", spaces)
    print(spaces["result"], eval("work(2)"), (lambda: work(1))())
    module = types.ModuleType("inside")
    exec(compile("def f(): return __name__", "inside.py", "exec"), module.__dict__)
    print(module.f())
    for n in range(2000):
        exec(f"def f{n}(): return {n}\nf{n}()", {})


def collected():
    class Node:
        def __del__(self):
            gone.append(work(1))

    gone = []
    node = Node()
    node.itself = node
    del node
    gc.collect()
    print(gone)


def handled():
    seen = []
    signal.signal(signal.SIGALRM, lambda number, frame: seen.append(work(2)))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(0.2)
    print(seen)


def many_threads():
    done = []

    def run(n):
        for _ in range(50):
            work(n)
        done.append(n)

    threads = [threading.Thread(target=run, args=(n,), name="same") for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(done))


ways = {name: value for name, value in globals().items() if type(value) is types.FunctionType}
if __name__ == "__main__":
    ways[sys.argv[1]]()
