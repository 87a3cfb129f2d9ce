#!/usr/bin/env python3
"""What `papaver record` costs: a Markdown table of each recorder beside the tool that people use.

  recorders.py [--rounds N] [--papaver PATH] [--write] [KIND ...]

Each program of tests/bench/recorders runs bare, under `papaver record`, and under the peer, in alternating rounds; the best
round of each counts. By hand, the file of `papaver recorder` writes event lines as they are, without papaver. Times are those of whole processes with all that they start. `slower` is elapsed time divided by that of
the bare program, `µs an event` the processor time (of program, recorder and papaver together) beyond the bare program's,
divided by the events, `bytes an event` what the file takes, and `MB` the largest process. An interpreter or peer that is not
there is left out, with a word.

With --write the table also replaces the one in the chapter `performance` of the manual (src/manual/performance.md), between
the lines `<!-- tests/bench/recorders.py -->` and `<!-- end -->`. The text above it says how and where it was measured: change
that, too.
"""
import argparse, ctypes, os, re, shutil, subprocess, sys, tempfile, time

import chapter

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "recorders")


def program(name):
    return os.path.join(PROGRAMS, name)


def lines(pattern):
    """Counts the lines of a file that match."""
    def count(path):
        with open(path, "rb") as file:
            return sum(1 for line in file if re.search(pattern, line))
    return count


def slices(path):
    """The events of a file of viztracer: two for each slice. They are read by another process: the memory of this one
    would count as that of the next program, which begins as a copy of it."""
    text = 'import json, sys; print(sum(1 for e in json.load(sys.stdin)["traceEvents"] if e.get("ph") == "X"))'
    with open(path) as file:
        return 2 * int(subprocess.run([sys.executable, "-c", text], stdin=file, capture_output=True, check=True).stdout)


def none(path):
    return None


BY_HAND = "erlang by hand"
SWI = "leash(-all), visible(+full), trace, go, notrace, nodebug"
ERL = ["erl", "-noshell", "-pa", "{folder}", "-eval", "{module}:go(), halt()."]

VIZTRACER = ["python3", "-m", "viztracer", "--quiet", "--ignore_c_function", "--log_func_args", "--log_func_retval",
             "--tracer_entries", "5000000"]

# kind, program, what it needs besides, the bare command, the peer's name and command with {out}, and its events
ROWS = [
    ("swi", "queens.pl", [], ["swipl", "-q", "-g", "go", "-t", "halt", "{program}"],
     "its own tracer", ["sh", "-c", f"exec swipl -q -g '{SWI}' -t halt {{program}} 2> {{out}}"], lines(rb"^ *\w+: \(")),
    ("swi", "nrev.pl", [], ["swipl", "-q", "-g", "go", "-t", "halt", "{program}"],
     "its own tracer", ["sh", "-c", f"exec swipl -q -g '{SWI}' -t halt {{program}} 2> {{out}}"], lines(rb"^ *\w+: \(")),
    ("python", "python/calls.py", [], ["python3", "{program}"], "viztracer", [*VIZTRACER, "-o", "{out}", "{program}"], slices),
    ("python", "python/lists.py", [], ["python3", "{program}"], "viztracer", [*VIZTRACER, "-o", "{out}", "{program}"], slices),
    (BY_HAND, "fib_long.erl", ["erlc"], ERL,
     "dbg to a file", ["sh", program("peer_dbg.sh"), "port", "{module}", "{out}"], none),
    ("erlang", "fib_long.erl", ["erlc"], ERL,
     "dbg to a file", ["sh", program("peer_dbg.sh"), "port", "{module}", "{out}"], none),
    ("erlang", "fib.erl", ["erlc"], ERL,
     "dbg to a file, printed", ["sh", program("peer_dbg.sh"), "printed", "{module}", "{out}"], none),
    ("erlang", "fib.erl", ["erlc"], ERL,
     "dbg as text", ["sh", program("peer_dbg.sh"), "text", "{module}", "{out}"], none),
    ("strace", "files.sh", [], ["sh", "{program}"],
     "strace", ["strace", "-f", "-ttt", "-T", "-y", "-s", "400", "-o", "{out}", "sh", "{program}"], none),
]


class Failed(Exception):
    """A command that did not end well."""


class Run:
    """A command with all processes that it starts: seconds elapsed and of processor, and megabytes of the largest."""

    def __init__(self, command, folder):
        begun = time.monotonic()
        started = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = started.stderr.read()
        self.elapsed, self.seconds, self.megabytes = None, 0.0, 0.0
        while True:
            try:
                pid, status, used = os.wait4(-1, 0)
            except ChildProcessError:
                break
            self.seconds += used.ru_utime + used.ru_stime
            self.megabytes = max(self.megabytes, used.ru_maxrss / 1024)
            if pid == started.pid:
                self.elapsed = time.monotonic() - begun
                if status != 0:
                    raise Failed(f"{' '.join(command)}: status {status}: {said.decode()[-300:].strip()}")
        started.returncode = 0


def adopt_orphans():
    """Makes processes whose parents have ended children of this one, so that they are counted."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def events_of(papaver, path):
    answer = subprocess.run([papaver, "query", "trace_info(events, N)", path], capture_output=True, text=True, check=True)
    return int(answer.stdout.split("=")[1])


def cells(best, bare, n_events, size):
    """How much slower, µs an event, bytes an event, megabytes."""
    slower = f"{best.elapsed / bare.elapsed:.1f}"
    cost = f"{(best.seconds - bare.seconds) / n_events * 1e6:.1f}" if n_events else "-"
    return [slower, cost, f"{size / n_events:.0f}" if n_events else "-", f"{best.megabytes:.0f}"]


def by_hand(papaver, bare, folder, out):
    """The command that records a program of Erlang without papaver."""
    recorder = os.path.join(folder, "papaver_recorder.erl")
    with open(recorder, "w") as file:
        subprocess.run([papaver, "recorder", "erlang"], stdout=file, check=True)
    subprocess.run(["erlc", "-o", folder, recorder], check=True)
    return ["env", f"PAPAVER_OUT={out}", *bare[:4], "-run", "papaver_recorder", *bare[4:]]


def measure(row, options, folder):
    kind, name, needs, bare, peer_name, peer, count = row
    for needed in [bare[0], *needs]:
        if not shutil.which(needed):
            print(f"{kind}: {needed} cannot be had", file=sys.stderr)
            return None
    module = os.path.basename(name).rsplit(".", 1)[0]
    fill = {"program": program(name), "folder": folder, "module": module}
    if name.endswith(".erl"):
        subprocess.run(["erlc", "+debug_info", "-o", folder, program(name)], check=True)
    out, theirs = os.path.join(folder, "ours.zst"), os.path.join(folder, "peer.json")
    bare = [word.format(**fill) for word in bare]
    ours = [options.papaver, "record", "-q", "--with", kind, "--force", "-o", out, "--", *bare]
    if kind == BY_HAND:
        out = os.path.join(folder, "ours.jsonl")
        ours = by_hand(options.papaver, bare, folder, out)
    peer = [word.format(out=theirs, **fill) for word in peer]
    commands = {"bare": bare, "ours": ours}
    try:
        Run(peer, folder)
        commands["peer"] = peer
    except (Failed, OSError) as error:
        print(f"{kind}: {peer_name} cannot be had: {error}", file=sys.stderr)
    best = {}
    for _ in range(options.rounds):
        for which, command in commands.items():
            run = Run(command, folder)
            known = best.setdefault(which, run)
            if run.seconds < known.seconds:
                best[which] = run
    n_events = events_of(options.papaver, out)
    line = [f"{kind}, `{name}`", f"{n_events:,}", f"{best['bare'].elapsed:.2f}"]
    line += cells(best["ours"], best["bare"], n_events, os.path.getsize(out))
    if "peer" in best:
        n_peer = count(theirs) or n_events
        line += [peer_name, *cells(best["peer"], best["bare"], n_peer, os.path.getsize(theirs))]
    else:
        line += [peer_name, "-", "-", "-", "-"]
    return "| " + " | ".join(line) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    options.papaver = os.path.abspath(options.papaver)
    adopt_orphans()
    table = [
        "| recorder | events | bare s | slower | µs an event | bytes an event | MB | peer | slower | µs an event | bytes an event | MB |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        if options.kinds and row[0] not in options.kinds:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                line = measure(row, options, folder)
            except Failed as error:
                line = None
                print(f"{row[0]}, {row[1]}: {error}", file=sys.stderr)
        if line:
            print(line, flush=True)
            table.append(line)
    if options.write:
        chapter.write(__file__, table)


main()
