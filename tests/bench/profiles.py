#!/usr/bin/env python3
"""The machine in builds of all kinds: every program of `programs/` and the deep cases below, in 256 KB of stack.

  profiles.py [--only NAME[,NAME]] [--keep FOLDER] [--rounds N]

Builds papaver at opt-levels 0, 1, 2, 3 and s, with 1 and 16 codegen units, with and without link-time optimization, and a
crate that depends on papaver and has nothing about profiles (`depends`). For each it prints how long the build took,
dependencies included, the size of the program, how many answers were wrong in the small stack, and the sum of the
processor times of the programs at their large size, each the least of N rounds (`--rounds 0` leaves that out). A wrong
answer makes the exit status 1. `--keep` is where the builds are put and left; each takes minutes.
"""
import argparse, os, resource, shutil, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "programs")
STACK = 256 << 10

# Goals that repeat each kind of step many times; each has one answer.
DEEP_SCRIPT = """
sum(0, 0) :- !.
sum(N, S) :- M is N - 1, sum(M, T), S is T + N.
frames(0) :- !.
frames(N) :- M is N - 1, catch(frames(M), _, true), M >= 0.
caught(0) :- !.
caught(N) :- catch(throw(a(N)), a(M), true), L is M - 1, caught(L).
nest(0, a) :- !.
nest(N, f(T)) :- M is N - 1, nest(M, T).
"""
DEEP = [
    "sum(1000000, S), S =:= 500000500000",
    "frames(200000)",
    "caught(100000)",
    "\\+ ( between(1, 1000000, X), X > 1000000 )",
    "nest(1000000, T), copy_term(T, U), T == U, term_to_atom(T, A), atom_length(A, N), N > 3000000",
    "numlist(1, 300000, L), msort(L, M), M == L, foldl([X, A, B]>>(B is A + X), L, 0, S), S =:= 45000150000",
    "length(L, 2000), foldl([X, A, B]>>(freeze(A, B = X)), L, V, W), V = a, W = a",
]

DEPENDS = """[package]
name = "depends"
version = "0.1.0"
edition = "2024"
[dependencies]
papaver = { path = "%s" }
[[bin]]
name = "papaver"
path = "%s/src/main.rs"
[workspace]
"""


def builds():
    """Each build: its name, and the variables that set its profile."""
    for level in ["0", "1", "2", "3", "s"]:
        for units in ["1", "16"]:
            for lto in ["off", "false", "thin"]:
                yield f"{level}-{units}-{lto}", {"OPT_LEVEL": level, "CODEGEN_UNITS": units, "LTO": lto}
    yield "depends", {}


def build(name, profile, folder):
    """The program, and the seconds that it took to build it."""
    variables = {f"CARGO_PROFILE_RELEASE_{key}": value for key, value in profile.items()}
    environment = dict(os.environ, CARGO_TARGET_DIR=os.path.join(folder, name), **variables)
    crate = TOP
    if name == "depends":
        crate = os.path.join(folder, "crate")
        os.makedirs(crate, exist_ok=True)
        with open(os.path.join(crate, "Cargo.toml"), "w") as manifest:
            manifest.write(DEPENDS % (TOP, TOP))
        shutil.copy(os.path.join(TOP, "Cargo.lock"), crate)
    start = time.time()
    subprocess.run(["cargo", "build", "--release", "-q"], cwd=crate, env=environment, check=True)
    return os.path.join(folder, name, "release", "papaver"), time.time() - start


def run(arguments, text=""):
    """What a run in a small stack writes, its exit status, and its processor time."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=limit)
    process.stdin.write(text.encode())
    process.stdin.close()
    written = process.stdout.read().decode(errors="replace").strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return written, process.returncode, usage.ru_utime + usage.ru_stime


def wrong(papaver, script):
    """What is not as it should be: (what was run, what it wrote)."""
    for path in programs():
        size, answer = sized(path, "middle")
        written, _, _ = run([papaver, "run", path], size + ".\n")
        if written != answer:
            yield os.path.basename(path), written
    for goal in DEEP:
        written, status, _ = run([papaver, "-l", script, "-q"], goal + ".\n")
        if status != 0:
            yield goal, written


def programs():
    return sorted(os.path.join(PROGRAMS, name) for name in os.listdir(PROGRAMS))


def sized(path, size):
    with open(path) as file:
        line = next(line for line in file if line.startswith(f"% {size} "))
    return line[len(f"% {size} "):].strip().split(": ")


def seconds(papaver, rounds):
    """The processor times of all programs at their large size, each the least of some rounds."""
    total = 0.0
    for path in programs():
        size, _ = sized(path, "large")
        total += min(run([papaver, "run", path], size + ".\n")[2] for _ in range(rounds))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names of builds, with commas")
    parser.add_argument("--keep", help="the folder of the builds")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    only = options.only.split(",") if options.only else None
    folder = options.keep or tempfile.mkdtemp()
    script = os.path.join(folder, "deep.pl")
    os.makedirs(folder, exist_ok=True)
    with open(script, "w") as file:
        file.write(DEEP_SCRIPT)
    print("| level-units-lto | build s | MB | wrong | programs s |\n|---|---|---|---|---|", flush=True)
    all_right = True
    for name, profile in builds():
        if only and name not in only:
            continue
        papaver, took = build(name, profile, folder)
        faults = list(wrong(papaver, script))
        all_right &= not faults
        size = os.path.getsize(papaver) / 1e6
        timed = f"{seconds(papaver, options.rounds):.2f}" if options.rounds else ""
        print(f"| {name} | {took:.0f} | {size:.1f} | {len(faults)} | {timed} |", flush=True)
        for what, written in faults:
            print(f"{name}: {what}: {written[:300]}", file=sys.stderr)
        if not options.keep:
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    main()
