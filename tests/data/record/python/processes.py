"""Processes: python3 processes.py WAY"""
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings

warnings.simplefilter("always")


def work(n):
    return n if n == 0 else work(n - 1)


def square(n):
    """Waits for the other worker: none is ended, or found to be idle, before all of them have begun."""
    together.wait()
    return n * n


def begin(barrier):
    global together
    together = barrier


def die(n):
    work(n)
    sys.exit(3)


def wait_for(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else os.waitpid(pid, 0)[1]


def fork():
    pid = os.fork()
    if pid == 0:
        work(2)
        sys.stdout.flush()
        os._exit(4)
    print("child", wait_for(pid))


def fork_and_return():
    """The child leaves the functions that its parent entered."""
    pid = os.fork()
    if pid == 0:
        return work(1)
    print("child", wait_for(pid))
    return work(2)


def fork_many():
    pids = []
    for n in range(5):
        pid = os.fork()
        if pid == 0:
            for _ in range(300):
                work(n)
            if n == 2:
                grandchild = os.fork()
                work(3)
                if grandchild:
                    wait_for(grandchild)
            os._exit(0)
        pids.append(pid)
    for _ in range(300):
        work(1)
    print([wait_for(pid) for pid in pids])


def fork_and_kill():
    works, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        work(1)
        os.write(tell, b"!")
        time.sleep(600)
    os.read(works, 1)
    os.kill(pid, signal.SIGTERM)
    print("child", wait_for(pid))


def fork_and_destroy():
    """The child is killed without a warning, inside of a call; nothing that it did is lost."""
    works, tell = os.pipe()

    def last():
        os.write(tell, b"!")
        time.sleep(600)

    pid = os.fork()
    if pid == 0:
        for _ in range(700):
            work(1)
        last()
    os.read(works, 1)
    os.kill(pid, signal.SIGKILL)
    print("child", wait_for(pid))


def outlive():
    """The child goes on when its parent has ended, and with it the last end of the pipe that writes."""
    has_ended, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(tell)
        os.read(has_ended, 1)
        work(2)
        os._exit(0)
    work(1)


def pool(method):
    context = multiprocessing.get_context(method)
    of_two = {"initializer": begin, "initargs": (context.Barrier(2),)}
    with context.Pool(2, **of_two) as workers:
        print(workers.map(square, range(6), chunksize=1))
    process = context.Process(target=die, args=(2,))
    process.start()
    process.join()
    print(process.exitcode)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context, **of_two) as executor:
        print(list(executor.map(square, range(4))))


def run():
    text = "import os, sys; print([n for n in os.environ if 'PAPAVER' in n], len(sys.path))"
    print(subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE).stdout)
    print(subprocess.call("exit 3", shell=True), subprocess.check_output(["echo", "a"], preexec_fn=lambda: work(1)))
    try:
        subprocess.run(["/no/such/program"])
    except FileNotFoundError as error:
        print(error)
    with os.popen("echo b") as output:
        print(os.system("exit 2"), output.read())


ways = {
    "fork": fork,
    "fork-and-return": fork_and_return,
    "fork-many": fork_many,
    "fork-and-kill": fork_and_kill,
    "fork-and-destroy": fork_and_destroy,
    "outlive": outlive,
    "pool-fork": lambda: pool("fork"),
    "pool-spawn": lambda: pool("spawn"),
    "pool-forkserver": lambda: pool("forkserver"),
    "subprocess": run,
}
if __name__ == "__main__":
    ways[sys.argv[1]]()
