#!/usr/bin/env python3
"""How fast each reader is: a Markdown table of megabytes and events a second, and of memory.

  readers.py [--rounds N] [--megabytes N] [--papaver PATH] [--keep FOLDER] [--write] [FORMAT ...]

A sound trace of each format is made, of about N megabytes and with ids and texts that are new all the time, and loaded by
`papaver query 'trace_info(events, N)'`, in alternating rounds. A cell is the best of the rounds, of the whole process. `per
byte` is what a byte takes of processor time in the reader of event lines (`morphine`), divided by what it takes in this one:
above 1 it is read faster. Traces stay in FOLDER if that is given, and are taken from there.

With --write the table also replaces the one in the chapter `performance` of the manual (src/manual/performance.md), between
the lines `<!-- tests/bench/readers.py -->` and `<!-- end -->`. The text above it says how and where it was measured: change
that, too.
"""
import argparse, os, random, resource, subprocess, tempfile, time

import chapter

HERE = os.path.dirname(os.path.abspath(__file__))


def morphine(dice):
    """Lists that are sorted: calls, switches and exits of a quicksort in Mercury."""
    state = {"chrono": 0, "call": 0}

    def line(port, call, depth, goal, path=""):
        state["chrono"] += 1
        return f"{state['chrono']}: {call} [{depth}] {port} {goal} [{path}]\n"

    def new_call():
        state["call"] += 1
        return state["call"]

    def partition(pivot, numbers, depth):
        calls = []
        for at in range(len(numbers) + 1):
            calls.append(new_call())
            goal = f"partition({numbers[at:]}, {pivot}, -, -)"
            yield line("call", calls[at], depth + at, goal)
            yield line("switch", calls[at], depth + at, goal, "s1" if at < len(numbers) else "s2")
        for at in reversed(range(len(numbers) + 1)):
            low, high = ([n for n in numbers[at:] if (n <= pivot) == is_low] for is_low in (True, False))
            yield line("exit", calls[at], depth + at, f"partition({numbers[at:]}, {pivot}, {low}, {high})")

    def sort(numbers, depth):
        call = new_call()
        yield line("call", call, depth, f"qsort({numbers}, -)")
        if numbers:
            yield line("switch", call, depth, f"qsort({numbers}, -)", "s2")
            yield from partition(numbers[0], numbers[1:], depth + 1)
            for is_low in (True, False):
                yield from sort([n for n in numbers[1:] if (n <= numbers[0]) == is_low], depth + 1)
        yield line("exit", call, depth, f"qsort({numbers}, {sorted(numbers)})")

    while True:
        yield from sort([dice.randrange(100) for _ in range(12)], 1)


def mpd(dice):
    """Clients that ask a server one after the other, and come again as new processes with old numbers."""
    server, started = 0x9C5F420, [0x9C5F478 + 0x58 * i for i in range(60)]

    def line(place, proc, event, pid, extra):
        return f"rw.mpd, {place:<11}  {proc:<20}  {event:<8}  {pid:<8X}  {extra:<8X}\n"

    yield line(21, "rw.body", "BODY", 0x9C5F318, 0)
    yield line(22, "rw.body", "CREATEG", 0x9C5F318, 0)
    yield line(9, "rw.body", "SEND", 0x9C5F318, 0)
    yield line(9, "rw.server", "PROC", server, 0x9C5F318)
    yield line(12, "rw.server", "IN", server, 0)
    while True:
        pids = dice.sample(started, 20)
        for pid in pids:
            yield line(28, "rw.body", "SEND", 0x9C5F318, 0)
        for pid in pids:
            yield line(28, "rw.client", "PROC", pid, 0x9C5F318)
        for _ in range(dice.randrange(5, 20)):
            for pid in pids:
                yield line(30, "rw.client", "CALL", pid, 0)
            for pid in pids:
                yield line(12, "rw.server", "ARM", server, pid)
                yield line(12, "rw.server", "NI", server, pid)
                yield line(12, "rw.server", "IN", server, 0)
        for pid in pids:
            yield line(28, "rw.client", "ENDPROC", pid, 0x9C5F318)


def visandor(dice):
    """Trees of forks of two tasks on one agent; the ids of forks come again at each level."""
    now = {"time": 0}

    def line(code, node, k):
        now["time"] += dice.choice((0, 0, 0, 1, 2, 3))
        return f"{now['time']:8} {code} {node:X} {k} 6FFDEBE0 0 \n"

    def fork(level):
        node = 0x6FFDEBE0 + level
        yield line(1, node, 2)
        for k in (0, 1):
            yield line(2, node, k)
            if level < 14 and dice.random() < 0.93:
                yield from fork(level + 1)
            yield line(3, node, k)
        yield line(4, node, 2)

    yield "0\n"
    yield line(5, 0, 0)
    while True:
        yield from fork(1)


def seqtrace(dice):
    """Balls that processes throw at one another, as the terms of a tracer."""
    time, unique = -576460746855914470, -576460752303423395

    def line(event, serial, ends, message):
        nonlocal time, unique
        time, unique = time + dice.randrange(400, 40000), unique + 1
        return f"{{seq_trace,1,{{{event},{{{serial - 1},{serial}}},{ends},{message}}},{{{time},{unique}}}}}.\n"

    yield "{seqtap_node,nonode@nohost,0,[]}.\n"
    pid, serial = "<0.100.0>", 0
    while True:
        to, serial = f"<0.{dice.randrange(100, 500)}.0>", serial + 1
        message = f'{{ball,{serial},<<"{serial * 7919 % 99991}">>,[{{from,{pid}}}]}}'
        yield line("send", serial, f"{pid},{to}", message)
        yield line("'receive'", serial, f"{pid},{to}", message)
        pid = to


def posix(dice):
    """Workers that wait for jobs, get them, do them, and say so."""
    yield '{"posix_trace":1,"source":"log","attr":{"max_data_size":128},"options":["TRC","TEF","TRL"]}\n'
    for number, name in ((33, "job_wait"), (34, "job_get"), (35, "job_done"), (36, "note")):
        yield f'{{"type":{number},"name":"{name}","class":"user"}}\n'
    yield '{"type":2,"name":"posix_trace_start","class":"system"}\n'
    now, job = 3176141185264, 0

    def line(number, thread, data):
        nonlocal now
        now += dice.randrange(300, 9000)
        time = f"{now // 10**9}.{now % 10**9:09}"
        return (f'{{"t":"{time}","id":{number},"pid":24220,"tid":{thread},"addr":"0x55d004599d{number}",'
                f'"trunc":"POSIX_TRACE_NOT_TRUNCATED","data":{data}}}\n')

    yield line(2, 1, '{"event_filter":[]}')
    while True:
        for thread in range(2, 6):
            job += 1
            number = (thread.to_bytes(4, "little") + job.to_bytes(4, "little")).hex()
            yield line(33, thread, f'"{number[:8]}"')
            yield line(34, thread, f'"{number}"')
            yield line(36, thread, '"%s"' % f"worker {thread} has {dice.getrandbits(32):08x}".encode().hex())
            yield line(35, thread, f'"{number}"')


FORMATS = {"morphine": morphine, "mpd": mpd, "visandor": visandor, "seqtrace": seqtrace, "posix": posix}


def make(name, folder, n_bytes):
    """The path of a trace of that format."""
    path = os.path.join(folder, f"{name}.{n_bytes}.trace")
    if not os.path.exists(path):
        with open(path, "w") as file:
            for line in FORMATS[name](random.Random(7)):
                n_bytes -= file.write(line)
                if n_bytes <= 0:
                    break
    return path


def load(papaver, path):
    """Processor and elapsed seconds, kilobytes of memory, and events."""
    start = time.monotonic()
    process = subprocess.Popen([papaver, "query", "trace_info(events, N)", path], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    answer = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - start
    return used.ru_utime + used.ru_stime, elapsed, used.ru_maxrss, int(answer.split("=")[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=80)
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--keep")
    parser.add_argument("formats", nargs="*", default=list(FORMATS), metavar="FORMAT")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = ["morphine"] + [name for name in options.formats if name != "morphine"]
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: make(name, options.keep or folder, options.megabytes * 10**6) for name in names}
        rounds = [{name: load(options.papaver, paths[name]) for name in names} for _ in range(options.rounds)]
        sizes = {name: os.path.getsize(path) for name, path in paths.items()}
    table = ["| format | MB/s, processor | MB/s, elapsed | million events/s | memory, MB | per byte |",
             "|---|---|---|---|---|---|"]
    base = None
    for name in names:
        cpu, elapsed, memory, n_events = (min(column) for column in zip(*(round[name] for round in rounds)))
        base = base or cpu / sizes[name]
        megabytes = sizes[name] / 1e6
        table.append(f"| `{name}` | {megabytes / cpu:.0f} | {megabytes / elapsed:.0f} | {n_events / elapsed / 1e6:.1f} "
                     f"| {memory / 1024:.0f} | {base * sizes[name] / cpu:.2f} |")
    print("\n".join(table))
    if options.write:
        if set(names) != set(FORMATS):
            raise SystemExit("--write needs all formats")
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
