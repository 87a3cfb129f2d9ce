#!/usr/bin/env python3
"""How time and memory grow with the number of events: a Markdown table.

  growth.py [--events N,N,...] [--limit MB] [--group FOLDER] [--papaver PATH] [--keep FOLDER] [--write]

Makes event lines of a search for queens that do not attack each other: a million events, which are repeated with other
numbers until there are N (so the arguments repeat, too). The text is loaded and converted to a saved trace, and then each
question is put to the saved trace by a process of its own, which begins with nothing in memory. No process gets more than
the limit of memory for its data (RLIMIT_DATA), which leaves out mapped files; with --group (as root), each runs in a new
control group below FOLDER, such as /sys/fs/cgroup/memory, whose limit holds for all its memory and its files in the system's
cache. A process that needs more has the cell `-`. A trace that cannot be converted within the limit is converted without, so
that there are answers.

A cell is the elapsed time in seconds and the peak of the process's memory in megabytes, of which mapped files are a part. The
number of exits must be that of the text.

10^8 events take 7 GB in FOLDER, where traces stay if it is given, and from which they are taken. With --write the table also
replaces the one in the chapter `performance` of the manual (src/manual/performance.md).
"""
import argparse, os, random, resource, subprocess, sys, tempfile, time

import chapter

HERE = os.path.dirname(os.path.abspath(__file__))
BASE = 10**6

# what a user asks, in the language
QUESTIONS = {
    "events with a port": "aggregate_all(count, event([port=exit]), N)",
    "port, name and depths": "aggregate_all(count, event([name=safe, port=fail, depth=4..6]), N)",
    "pattern of an argument": "aggregate_all(count, event([name=select, port=exit, args=[_, [1, 2|_]|_]]), N)",
    "10,000 calls backwards": "trace_info(events, M), goto_np(M), findall(C, limit(10000, bget_np([port=call, chrono=C])), L), last(L, N)",
    "failures and their calls": "aggregate_all(sum(F - S), (event([port=fail, call=K, chrono=F]), call_start(K, S)), N)",
    "100 stacks": "trace_info(events, M), aggregate_all(count, (between(1, 100, I), C is I * M // 101, event([chrono=C, call=K]), ancestor(K, _)), N)",
    "durations by procedure": "sum_by(P, X - S, (event([port=exit, call=K, chrono=X, proc=P]), call_start(K, S)), L), length(L, N)",
    "events by procedure and port": "tally(P-Q, event([proc=P, port=Q]), L), length(L, N)",
    "a rule called for each event": "assertz((step(P, N0, N) :- P == exit -> N is N0 + 1 ; N = N0)), foldt([port=P], step(P), 0, N)",
    "calls without an end": "aggregate_all(count, (event([port=call, call=K]), \\+ event([call=K, port=[exit, fail]])), N)",
    "10,000 events by number": "trace_info(events, M), aggregate_all(sum(D), (between(1, 10000, I), C is (I * 102947) mod M + 1, event([chrono=C, depth=D])), N)",
}


def search(dice):
    """(number, depth, port, goal) of searches with eight queens, one after the other."""
    n_calls = 0

    def new_call():
        nonlocal n_calls
        n_calls += 1
        return n_calls

    def place(left, placed, depth):
        call, found = new_call(), False
        yield call, depth, "call", f"place({left}, {placed})"
        for queen in left:
            rest = [other for other in left if other != queen]
            select, safe = new_call(), new_call()
            yield select, depth + 1, "call", f"select(-, {left}, -)"
            yield select, depth + 1, "exit", f"select({queen}, {left}, {rest})"
            yield safe, depth + 1, "call", f"safe({queen}, {placed})"
            if any(abs(queen - other) == far for far, other in enumerate(placed, 1)):
                yield safe, depth + 1, "fail", f"safe({queen}, {placed})"
            else:
                yield safe, depth + 1, "exit", f"safe({queen}, {placed})"
                found = not rest
                if rest:
                    found = yield from place(rest, [queen] + placed, depth + 1)
            if found:
                break
            yield select, depth + 1, "redo", f"select({queen}, {left}, {rest})"
        yield call, depth, "exit" if found else "fail", f"place({left}, {placed})"
        return found

    while True:
        left = list(range(1, 9))
        dice.shuffle(left)
        yield from place(left, [], 1)


def base():
    """The events of the search, with the greatest number of a call; they end where a search ends."""
    events = []
    for event in search(random.Random(7)):
        if len(events) >= BASE and event[1] == 1 and event[2] == "call":
            break
        events.append(event)
    return events, max(number for number, *_ in events)


def make(path, n_events):
    """Writes at least so many event lines; gives the numbers of events and of exits."""
    events, n_calls = base()
    events = events[:n_events]
    times = -(-n_events // len(events))
    if not os.path.exists(path):
        with open(path, "w") as file:
            for time_ in range(times):
                chrono, call = time_ * len(events), time_ * n_calls
                file.writelines(f"{chrono + index}: {call + number} [{depth}] {port} {goal} []\n"
                                for index, (number, depth, port, goal) in enumerate(events, 1))
    return times * len(events), times * sum(port == "exit" for _, _, port, _ in events)


def join(group, limit):
    """Makes a control group with the limit, and this process a member of it."""
    os.makedirs(group)
    version_2 = os.path.exists(os.path.join(group, "memory.max"))
    for name, value in [("memory.max" if version_2 else "memory.limit_in_bytes", limit), ("cgroup.procs", os.getpid())]:
        with open(os.path.join(group, name), "w") as file:
            file.write(str(value))


def measure(command, limit, groups=None):
    """Seconds, megabytes and output of a process; none if it fails."""
    group = groups and os.path.join(groups, f"growth.{os.getpid()}")
    limited = lambda: join(group, limit) if group else resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limited)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds, process.returncode = time.monotonic() - start, os.waitstatus_to_exitcode(status)
    if group:
        os.rmdir(group)
    return (seconds, used.ru_maxrss / 1024, output) if process.returncode == 0 else None


def cell(measured):
    return f"{measured[0]:.2f} ({measured[1]:.0f})" if measured else "-"


def column(options, folder, n_events):
    """The cells of a size, by row."""
    text, saved = (os.path.join(folder, f"growth.{n_events}.{ending}") for ending in ("trace", "papaver"))
    # in a process of its own: a child's peak of memory is at least that of the process that starts it
    made = subprocess.run([sys.executable, __file__, "--make", text, str(n_events)], capture_output=True, text=True, check=True)
    n_made, n_exits = map(int, made.stdout.split())
    limit = options.limit * 10**6, options.group
    cells = {"text, MB": f"{os.path.getsize(text) / 1e6:.0f}"}
    cells["load the text"] = cell(measure([options.papaver, "query", "trace_info(events, N)", text], *limit))
    cells["convert to a saved trace"] = cell(measure([options.papaver, "convert", text, "-o", saved], *limit))
    if not os.path.exists(saved):
        subprocess.run([options.papaver, "convert", text, "-o", saved], check=True)
    cells["saved trace, MB"] = f"{os.path.getsize(saved) / 1e6:.1f}"
    for name, goal in QUESTIONS.items():
        measured = measure([options.papaver, "query", goal + ", write(N), nl", saved, "-q", "--to", "none"], *limit)
        if name == "events with a port" and measured and int(measured[2]) != n_exits:
            sys.exit(f"{n_exits} exits, and papaver finds {measured[2]}")
        cells[name] = cell(measured)
    return n_made, cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", default="100000,1000000,10000000,100000000")
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--group")
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--keep")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        return print(*make(options.make[0], int(options.make[1])))
    with tempfile.TemporaryDirectory() as folder:
        columns = [column(options, options.keep or folder, int(number)) for number in options.events.split(",")]
    table = ["| seconds (MB) | " + " | ".join(f"{n_events:,} events" for n_events, _ in columns) + " |",
             "|---" * (len(columns) + 1) + "|"]
    for name in columns[0][1]:
        table.append(f"| {name} | " + " | ".join(cells[name] for _, cells in columns) + " |")
    print("\n".join(table))
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
