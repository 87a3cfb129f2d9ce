#!/usr/bin/env python3
"""Whether a question has the same answer by every path: goals at random, on sound and damaged traces of event lines.

  paths.py [--cases N] [--events N] [--seed N] [--papaver PATH] [--only PATH,PATH] [TRACE]

A case is a goal, options of `query`, and a trace: TRACE, or a made one, as it is or with a fault in it. The answer of the
whole file is compared with that of the question as it is put, of an excerpt, of the machine alone, of a pipe, of the
file packed, of the saved trace, of a goal from standard input, and of the trace converted to JSON Lines. Standard output
and the status must be equal, and messages too where they do not depend on the path. Differences are
printed, and how many comparisons there were of each path. `--only one-shot,excerpt` leaves the other paths out, which
take long where TRACE is large.
"""
import argparse, collections, gzip, os, random, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

NAMES = ["sort", "partition", "append", "main", "no_such"]
PORTS = ["call", "exit", "redo", "fail", "switch", "else", "then"]
INTEGERS = ["chrono", "call", "depth"]

# seconds after which a case is given up, and counted as such
LONGEST = 20


def made(n_events, dice):
    """Event lines of a program that searches and sorts: boxes that nest, with redos and fails."""
    lines, state = [], {"call": 0}

    def line(port, call, depth, goal, path="", place=""):
        lines.append(f"{len(lines) + 1}: {call} [{depth}] {port} {goal} [{path}] {place}")

    def box(depth):
        state["call"] += 1
        call, name = state["call"], dice.choice(NAMES[:4])
        items = [dice.randrange(9) for _ in range(dice.randrange(5))]
        place = f" {dice.randrange(99)} "
        goal = {"main": "main", "sort": f"sort({items}, -)", "append": f"append({items}, '{name} a', -)",
                "partition": f"partition({dice.randrange(9)}, f(X, \"t{depth}\"), {items})"}[name]
        line("call", call, depth, goal, "", place)
        if dice.random() < 0.6:
            line(dice.choice(["switch", "then", "else"]), call, depth, goal, dice.choice(["s1", "s2, c1", "e", "c2, t"]), place)
        for _ in range(dice.randrange(3) if depth < 12 else 0):
            box(depth + 1)
        if dice.random() < 0.3:
            return line("fail", call, depth, goal, "", place)
        line("exit", call, depth, goal.replace("-", str(sorted(items))), "", place)
        if dice.random() < 0.3:
            line("redo", call, depth, goal, "", place)
            line("fail", call, depth, goal, "", place)

    while len(lines) < n_events:
        box(1)
    return lines[:n_events]


def port_of(line):
    found = re.search(r"\] (\w+) ", line)
    return found.group(1) if found else "call"


def edited(change):
    """A fault that changes one line."""
    def fault(lines, at):
        lines[at] = change(lines[at])
    return fault


def inserted(text):
    def fault(lines, at):
        lines.insert(at, text)
    return fault


def renumbered(which, by):
    """A fault that changes a number of a line: 0 the event, 1 the call, 2 the depth."""
    def fault(lines, at):
        count = iter(range(99))
        lines[at] = re.sub(r"\d+", lambda m: str(max(0, int(m.group()) + by)) if next(count) == which else m.group(), lines[at], count=which + 1)
    return fault


def moved(lines, at):
    lines[at], lines[at + 1] = lines[at + 1], lines[at]


def block_twice(lines, at):
    lines[at:at] = lines[max(0, at - 20):at]


def cut_off(lines, at):
    lines[-1] = lines[-1][:len(lines[-1]) // 2] + "\0NO END"


FAULTS = {
    "sound": lambda lines, at: None,
    "a port in capitals": edited(lambda line: line.replace(f"] {port_of(line)} ", f"] {port_of(line).upper()} ")),
    "two blanks before the port": edited(lambda line: line.replace("] ", "]  ", 1)),
    "two blanks behind the port": edited(lambda line: line.replace(f" {port_of(line)} ", f" {port_of(line)}  ", 1)),
    "a tab": edited(lambda line: line.replace(" ", "\t", 1)),
    "a number twice": renumbered(0, -1),
    "a number that jumps": renumbered(0, 1000),
    "numbers from here on 0": renumbered(0, -10**9),
    "a block twice": block_twice,
    "a line twice": lambda lines, at: lines.insert(at, lines[at]),
    "a line that is missing": lambda lines, at: lines.pop(at),
    "two lines in the wrong order": moved,
    "arguments that are not closed": edited(lambda line: line.replace("(", "(g(", 1) if "(" in line else line.replace(" [", "(x [", 1)),
    "arguments that close twice": edited(lambda line: line.replace("]", "])", 2)),
    "a quote in the arguments": edited(lambda line: line.replace("(", "('", 1)),
    "an end that is none": edited(lambda line: line + "[ "),
    "an end with more": edited(lambda line: line + "more"),
    "an end that is missing": edited(lambda line: line[:line.rindex("[")]),
    "a cut line": edited(lambda line: line[:len(line) * 2 // 3]),
    "a cut head": edited(lambda line: line[:5]),
    "another call": renumbered(1, 3),
    "a call of long ago": renumbered(1, -100),
    "a call that is too great": renumbered(1, 10**19),
    "a depth that jumps": renumbered(2, 50),
    "a carriage return": edited(lambda line: line + "\r"),
    "a carriage return inside": edited(lambda line: line.replace(" ", "\r", 3)),
    "a byte of zeros": edited(lambda line: line.replace(" ", " \0", 1)),
    "bytes that are no text": edited(lambda line: line.replace("(", "(\udcff\udcfe", 1).replace("main", "ma\udcffin")),
    "a separator": edited(lambda line: line.replace("(", "(\x1f", 1)),
    "a name in quotes": edited(lambda line: re.sub(r"(\] \w+ )(\w+)", r"\1'\2 x'", line, count=1)),
    "a name in quotes that needs none": edited(lambda line: re.sub(r"(\] \w+ )(\w+)", r"\1'\2'", line, count=1)),
    "a name in capitals": edited(lambda line: re.sub(r"(\] \w+ )(\w)", lambda m: m.group(1) + m.group(2).upper(), line, count=1)),
    "a module": edited(lambda line: re.sub(r"(\] \w+ )(\w+)", r"\1m: \2", line, count=1)),
    "a determinism": edited(lambda line: re.sub(r"(\] \w+ )(\w+)", r"\1det \2", line, count=1)),
    "an arity": edited(lambda line: re.sub(r"\) \[", ")/7-1 [", line, count=1)),
    "no arguments": edited(lambda line: re.sub(r"\(.*\)", "()", line, count=1)),
    "types": edited(lambda line: re.sub(r"\)", " {int})", line, count=1)),
    "an unknown port": edited(lambda line: line.replace(f"] {port_of(line)} ", "] jump ")),
    "no port": edited(lambda line: line.replace(f"] {port_of(line)} ", "] ")),
    "no depth": edited(lambda line: re.sub(r"\[\d+\] ", "", line, count=1)),
    "no number": edited(lambda line: re.sub(r"^\d+: ", "", line)),
    "program output": inserted("hello, 12: world"),
    "blank lines": inserted("\n \t \n"),
    "a very long line": inserted("x" * 300_000),
    "very long arguments": edited(lambda line: line.replace("(", f"([{'a, ' * 50_000}b], ", 1)),
    "deep arguments": edited(lambda line: line.replace("(", f"({'f(' * 300}{')' * 300}, ", 1)),
    "live variables": inserted("Non-argument live variables:\n\tX = [1, 2] {list__list(int)}\n\tY = 3 {int}"),
    "an indented line": edited(lambda line: "\t" + line),
    "a head in the arguments": edited(lambda line: line.replace("(", "('7: 3 [2] exit append(', ", 1)),
    "a cut last line": cut_off,
}


def list_of(dice, values):
    return "[" + ", ".join(dice.sample(values, dice.randint(1, min(3, len(values))))) + "]"


def constraint(dice, n, names, out):
    """One constraint; variables that get integers are added to `out`."""
    kind = dice.randrange(12)
    if kind < 3:
        return "port=" + (dice.choice(PORTS) if kind < 2 else list_of(dice, PORTS))
    if kind < 5:
        return "name=" + (dice.choice(names) if kind < 4 else list_of(dice, names))
    if kind == 5:
        return f"proc={dice.choice(names)}" + dice.choice(["", "/2", "/3", "/0"])
    if kind == 6:
        attribute, low = dice.choice(INTEGERS), dice.randrange(n)
        low = low % 14 if attribute == "depth" else low
        return dice.choice([f"{attribute}={low}..{low + dice.randrange(n)}", f"{attribute} > {low}", f"{attribute} =< {low}"])
    if kind < 10:
        attribute, variable = dice.choice(INTEGERS), dice.choice(["A", "B", "C", "D"])
        out.append(variable)
        return f"{attribute}={variable}"
    return dice.choice(["args=[X|_]", "arg(1)=X", "goal_path=G", "line_number=L", "port=P", "name=N", "proc=Q", "arity=2", "arg(2)=[]",
                        "port \\= exit", "goal_path=[s1]", "line_number < 40"])


def constraints(dice, n, names, out):
    parts = [constraint(dice, n, names, out) for _ in range(dice.choice([1, 1, 2, 2, 3]))]
    return "[" + ", ".join(parts) + "]" if dice.random() < 0.8 else " and ".join(parts)


def search(dice, n, names, out, moves=False):
    word = dice.choice(["event", "event", "event", "fget_np", "fget", "det_fget_np"]) if moves else "event"
    return f"{word}({constraints(dice, n, names, out)})"


def conjunction(dice, n, names):
    """A search, and what may follow it; with the variables that have integers."""
    out = []
    goal = search(dice, n, names, out)
    if out and dice.random() < 0.4:
        goal += ", " + dice.choice([f"{out[0]} > {dice.randrange(n)}", f"{out[0]} mod 3 =:= 1", f"S is {out[0]} + 1, S < {n}"])
    if dice.random() < 0.2:
        goal += ", " + search(dice, n, names, out)
    if dice.random() < 0.15:
        goal += f", \\+ {search(dice, n, names, [])}"
    if dice.random() < 0.1:
        goal = f"event([port={dice.choice(['fail', 'exit'])}, call=K, chrono=F]), call_start(K, B), V is F - B"
        out = ["F", "B", "V", "K"]
    return goal, out or ["1"]


def generated(dice, n, names):
    """A goal, and options."""
    goal, out = conjunction(dice, n, names)
    kind = dice.randrange(13)
    options = dice.choice([[], [], ["--count"], ["--first"], ["-n", str(dice.randrange(1, 90))], ["--to", "json"], ["--to", "csv"], ["--to", "none"]])
    moves = []
    if kind == 0:
        return f"aggregate_all(count, ({goal}), T)", []
    if kind == 1:
        return f"aggregate_all(r(count, {dice.choice(['sum', 'min', 'max'])}({out[0]})), ({goal}), T)", []
    if kind == 2:
        return f"tally({out[0]}, ({goal}), T)", []
    if kind == 3:
        return f"tally({dice.choice(['P', 'P-N', 'N'])}, event([port=P, name=N, {constraint(dice, n, names, [])}]), T)", []
    if kind == 4:
        return f"forall(({goal}), {dice.choice([f'{out[0]} < {dice.randrange(2 * n)}', search(dice, n, names, []), 'fail'])})", []
    if kind == 5:
        return f"\\+ ({goal})", []
    if kind == 6:
        return f"findall({out[0]}, ({goal}), T), length(T, U)", []
    if kind == 7:
        return f"sum_by({out[-1]}, {out[0]}, ({goal}), T)", []
    if kind == 8:
        moves = [dice.choice(["last_np", "last", "trace_info(events, M), goto_np(M)", "trace_info(events, M), goto(M)"])]
        back = f"{dice.choice(['bget_np', 'bget', 'det_bget_np'])}({constraints(dice, n, names, [])})"
        back = dice.choice([back, f"findall(Z, limit({dice.randrange(1, 99)}, {back}), T)"])
        return f"{moves[0]}, {back}", dice.choice([["--first"], ["-n", "7"], ["-n", "7", "--to", "none"], ["--to", "json", "--first"], ["--count"]])
    if kind == 9:
        return f"{search(dice, n, names, [], True)}, {dice.choice(['bget_np', 'bget'])}({constraints(dice, n, names, [])})", options or ["-n", "50"]
    if kind == 10:
        return f"trace_info(events, M), {goal}", options
    return search(dice, n, names, out, True) if kind == 11 else goal, options


class Paths:
    """The ways to one trace."""

    def __init__(self, papaver, folder, name, text, only):
        self.papaver, self.text, self.only = papaver, text, only
        self.file = os.path.join(folder, f"{name}.trace")
        with open(self.file, "wb") as file:
            file.write(text)
        self.gz = self.file + ".gz"
        self.zst = self.file + ".zst"
        self.saved, self.jsonl = self.file + ".papaver", self.file + ".jsonl"
        if only:
            return
        with gzip.open(self.gz, "wb", compresslevel=1) as file:
            file.write(text)
        if not shutil.which("zstd") or self.quietly(["zstd", "-q", "-f", self.file, "-o", self.zst]):
            self.zst = None
        for converted in [self.saved, self.jsonl]:
            self.quietly([papaver, "convert", self.file, "-o", converted, "-q"])

    def quietly(self, command):
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def run(self, arguments, path, given=b""):
        command = [self.papaver, "query", arguments[0], path, *arguments[1:]]
        done = subprocess.run(command, input=given, capture_output=True, timeout=LONGEST)
        return done.returncode, done.stdout, done.stderr.replace(f" {path}: ".encode(), b" FILE: ")

    def typed(self, goal, path):
        """What a goal from standard input answers, without messages."""
        done = subprocess.run([self.papaver, path, "-q"], input=f"{goal}.\n".encode(), capture_output=True, timeout=LONGEST)
        return done.stdout

    def ways(self, goal, options):
        """By each path: what gives status, output, and messages where they count."""
        arguments = [goal, *options]
        ways = {
            "one-shot": lambda: self.run(arguments, self.file),
            "excerpt": lambda: self.run([*arguments, "--executor", "excerpt"], self.file),
            # the machine tells more often why nothing was found
            "machine": lambda: self.run([*arguments, "--executor", "machine"], self.file)[:2],
            "pipe": lambda: self.run(arguments, "-", self.text),
            "gzip": lambda: self.run(arguments, self.gz),
            "saved": lambda: self.run(arguments, self.saved),
            "jsonl": lambda: self.run(arguments, self.jsonl)[:2],
        }
        if self.zst:
            ways["zstd"] = lambda: self.run(arguments, self.zst)
        return {name: way for name, way in ways.items() if not self.only or name in self.only}


def case(paths, goal, options, counts):
    """The paths whose answers differ from that of the whole file, with both."""
    whole = paths.run([goal, *options, "--executor", "whole"], paths.file)
    assert b"unexpected argument" not in whole[2], "this program knows no --executor"
    for name, way in paths.ways(goal, options).items():
        answer = way()
        if name == "excerpt" and b"there is no excerpt" in answer[2]:
            continue
        counts[name] += 1
        if answer != whole[:len(answer)]:
            counts[name + ", different"] += 1
            yield name, whole, answer
    if not options and not paths.only:
        counts["standard input"] += 1
        whole, saved = paths.typed(goal, paths.file), paths.typed(goal, paths.saved)
        if whole != saved:
            counts["standard input, different"] += 1
            yield "standard input", (whole,), (saved,)


def show(title, path, whole, answer):
    print(title)
    for there, here in zip(whole, answer):
        if there != here:
            print(f"    whole: {str(there)[:300]}\n    {path}: {str(here)[:300]}")


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--only", type=lambda names: names.split(","))
    parser.add_argument("trace", nargs="?")
    options = parser.parse_args()
    dice, counts, n_cases = random.Random(options.seed), collections.Counter(), 0
    lines, names = made(options.events, dice), NAMES
    if options.trace:
        with open(options.trace, errors="surrogateescape") as file:
            lines = file.read().split("\n")[:-1]
        names = sorted({found.group(1) for found in (re.search(r"\] \w+ (\w+)", line) for line in lines[:20000]) if found})[:40] + ["no_such"]
    each = max(1, options.cases // len(FAULTS))
    for fault, damage in FAULTS.items():
        damaged = list(lines)
        # lines that have arguments, somewhere behind the first stretch if there is more
        at = dice.choice([at for at in range(len(lines) // 3, len(lines) - 1) if "(" in lines[at]])
        damage(damaged, at)
        text = "\n".join(damaged) + "\n"
        if fault == "a cut last line":
            text = text[:text.index("\0NO END")]
        with tempfile.TemporaryDirectory() as folder:
            paths = Paths(options.papaver, folder, "t", text.encode(errors="surrogateescape"), options.only)
            for _ in range(each):
                goal, arguments = generated(dice, len(lines), names)
                n_cases += 1
                try:
                    for path, whole, answer in case(paths, goal, arguments, counts):
                        show(f"{fault}, by {path}: {goal}  {' '.join(arguments)}", path, whole, answer)
                except subprocess.TimeoutExpired:
                    counts["given up"] += 1
        print(f"{fault}: {each} goals", file=sys.stderr)
    print(f"{n_cases} goals; comparisons:", ", ".join(f"{path} {counts[path]}" for path in sorted(counts)))
    sys.exit(any("different" in path for path in counts))


if __name__ == "__main__":
    main()
