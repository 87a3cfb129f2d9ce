"""Every way to end: python3 ends.py WAY"""
import atexit
import os
import signal
import sys
import threading
import time


def work(n):
    return n if n == 0 else work(n - 1)


def by_exit(status):
    sys.exit(status)


def by_error():
    work(2)
    raise LookupError("lost", 3)


def by_chain():
    try:
        by_error()
    except LookupError as error:
        raise RuntimeError("after") from error


def by_signal(number):
    work(1)
    sys.stdout.flush()
    os.kill(os.getpid(), number)
    time.sleep(5)


def with_handler(number):
    def handler(number, frame):
        work(3)
        print("handled", number)
        sys.exit(9)

    print(signal.getsignal(number) == signal.SIG_DFL)
    signal.signal(number, handler)
    by_signal(number)


def work_for_a_minute():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        work(5)
    sys.exit("no alarm has come")


def by_alarm():
    class TimeIsUp(Exception):
        pass

    def handler(number, frame):
        raise TimeIsUp("alarm")

    signal.signal(signal.SIGALRM, handler)
    for _ in range(20):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        try:
            work_for_a_minute()
        except TimeIsUp:
            pass
    print("survived")
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    work_for_a_minute()


def in_thread():
    def run():
        work(1)
        sys.exit(7)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    print("main goes on")


def at_end():
    atexit.register(lambda: print("atexit", work(2)))
    sys.exit("a text on standard error")


def late_thread():
    def run():
        time.sleep(0.2)
        print("late", work(3))

    threading.Thread(target=run).start()


def daemon():
    def run():
        while True:
            work(2)

    for _ in range(3):
        threading.Thread(target=run, daemon=True).start()
    time.sleep(0.1)


def closed():
    """A program that closes every file, and opens others under the same numbers."""
    work(1)
    os.closerange(3, 2000)
    files = [os.open(os.devnull, os.O_WRONLY) for _ in range(3)]
    work(2)
    print([os.write(file, b"x") for file in files])


ways = {
    "return": lambda: work(3),
    "exit": lambda: by_exit(None),
    "exit0": lambda: by_exit(0),
    "exit3": lambda: by_exit(3),
    "exit300": lambda: by_exit(300),
    "exit-text": lambda: by_exit("a text"),
    "exit-true": lambda: by_exit(True),
    "exit-tuple": lambda: by_exit((1, 2)),
    "raise-exit": lambda: (_ for _ in ()).throw(SystemExit(4)),
    "_exit": lambda: (work(1), os._exit(5)),
    "exec": lambda: (work(1), os.execvp("sh", ["sh", "-c", "echo ${PAPAVER_OUT-none} ${PYTHONPATH-none}; exit 6"])),
    "error": by_error,
    "chain": by_chain,
    "interrupt": lambda: by_signal(signal.SIGINT),
    "terminate": lambda: by_signal(signal.SIGTERM),
    "hangup": lambda: by_signal(signal.SIGHUP),
    "terminate-handled": lambda: with_handler(signal.SIGTERM),
    "alarm": by_alarm,
    "thread": in_thread,
    "atexit": at_end,
    "late": late_thread,
    "daemon": daemon,
    "closed": closed,
    "environ": lambda: print([name for name in os.environ if "PAPAVER" in name], sys.path, sys.argv, __name__),
}
ways[sys.argv[1]]()
