#!/usr/bin/env python3
"""Papaver beside other Prologs: a Markdown table of ratios of CPU time.

  compare.py [--rounds N] [--size small|middle|large] [--papaver PATH] [--write] [PROGRAM ...]

Each program of `programs/` runs in papaver and in every other Prolog that is installed (SWI-Prolog -O, GNU Prolog native
code), in alternating rounds. A cell is the median over the rounds of the other's time by papaver's: above 1 papaver is
faster. Times are user and system time of the whole process, less that of a program that does nothing. `-` means that the
program does not run there, has a wrong answer, or takes longer than a minute. `consult` is the reading of a file of
facts, which is made for it; GNU Prolog has no part in that.

With --write the table also replaces the one in the chapter `performance` of the manual (src/manual/performance.md), between
the lines `<!-- tests/bench/compare.py -->` and `<!-- end -->`. The text above it says how and where it was measured: change
that, too.
"""
import argparse, os, re, resource, shutil, signal, statistics, subprocess, sys, tempfile

import chapter

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
EMPTY = ":- initialization(main).\nmain :- read(_), write(done), nl, halt.\n"
GNU_STACKS = {"GLOBALSZ": "1000000", "TRAILSZ": "500000", "LOCALSZ": "500000"}
LIMIT = 60


def sizes(path):
    """The sizes of a program with their answers: `% large 100: 5050`."""
    with open(path) as file:
        found = re.findall(r"^% (small|middle|large) (\d+): (.*)$", file.read(), re.M)
    return {name: (size, answer) for name, size, answer in found}


def fact_file(folder, size):
    """A program of many facts that looks up one of them."""
    path = os.path.join(folder, "consult.pl")
    with open(path, "w") as file:
        file.write(":- initialization(main).\nmain :- read(N), fact(N, A, _), write(A), nl, halt.\n")
        for i in range(1, size + 1):
            file.write("fact(%d, name_%d, [value(%d, 'a b'), \"text\", %d.5|_]).\n" % (i, i % 1000, i * 7, i))
    return path


class Engine:
    """One Prolog: `command(path)` gives the command that runs a program."""

    def __init__(self, name, command, env=None):
        self.name, self.command, self.env = name, command, dict(os.environ, **(env or {}))
        self.start = 0.0

    def time(self, path, size, answer):
        """CPU seconds of a run, None if it does not give the answer."""
        command = self.command(path)
        if command is None:
            return None
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=self.env, text=True, start_new_session=True)
        try:
            output, _ = process.communicate(size + ".\n", timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds if output.strip() == answer else None


def gnu_native(folder):
    """Compiles programs with gplc, each once."""
    built = {}

    def command(path):
        if path not in built:
            target = os.path.join(folder, os.path.basename(path) + ".native")
            done = subprocess.run(["gplc", "--no-top-level", "-o", target, path], capture_output=True)
            built[path] = [target] if done.returncode == 0 and "consult" not in path else None
        return built[path]

    return command


def engines(papaver, folder):
    """Papaver, and the others that are installed."""
    found = [Engine("papaver", lambda path: [papaver, "run", path])]
    if shutil.which("swipl"):
        found.append(Engine("SWI-Prolog -O", lambda path: ["swipl", "-O", "-q", path]))
    if shutil.which("gplc"):
        found.append(Engine("GNU Prolog native", gnu_native(folder), GNU_STACKS))
    return found


def compare(all_engines, path, size, answer, rounds):
    """Per engine the times of all rounds; no entry if it cannot do it."""
    times = {engine.name: [] for engine in all_engines}
    for _ in range(rounds):
        for engine in all_engines:
            if times[engine.name] is not None:
                seconds = engine.time(path, size, answer)
                if seconds is None:
                    times[engine.name] = None
                else:
                    times[engine.name].append(max(seconds - engine.start, 0.001))
    return times


def row(name, times, others):
    own = times["papaver"]
    cells = ["%.2f" % statistics.median(own) if own else "-"]
    for other in others:
        theirs = times[other.name]
        if own and theirs:
            cells.append("%.2f" % statistics.median(b / a for a, b in zip(own, theirs)))
        else:
            cells.append("-")
    return "| %s | %s |" % (name, " | ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", choices=["small", "middle", "large"], default="large")
    parser.add_argument("--papaver", default=os.environ.get("PAPAVER", "papaver"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write and options.programs:
        sys.exit("--write needs all programs")
    with tempfile.TemporaryDirectory() as folder:
        everyone = engines(options.papaver, folder)
        empty = os.path.join(folder, "empty.pl")
        with open(empty, "w") as file:
            file.write(EMPTY)
        for engine in everyone:
            starts = [engine.time(empty, "0", "done") for _ in range(5)]
            if None in starts:
                sys.exit("%s does not run an empty program" % engine.name)
            engine.start = statistics.median(starts)
        table = ["| program | papaver, s | %s |" % " | ".join(engine.name for engine in everyone[1:]),
                 "|---|---|%s" % ("---|" * (len(everyone) - 1))]
        print("\n".join(table), flush=True)
        names = options.programs or sorted(file[:-3] for file in os.listdir(PROGRAMS)) + ["consult"]
        for name in names:
            if name == "consult":
                count = {"small": 100, "middle": 10000, "large": 300000}[options.size]
                path, size, answer = fact_file(folder, count), str(count), "name_%d" % (count % 1000)
            else:
                path = os.path.join(PROGRAMS, name + ".pl")
                size, answer = sizes(path)[options.size]
            times = compare(everyone, path, size, answer, options.rounds)
            table.append(row(name, times, everyone[1:]))
            print(table[-1], flush=True)
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
