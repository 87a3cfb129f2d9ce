#!/usr/bin/env python3
"""Many small traces in one command, beside programs that read the same files: a Markdown table.

  many.py [--rounds N] [--traces N] [--papaver PATH] [--write]

Makes N traces (10,000) of about 10 kB in event lines, and the same number in JSON Lines; each is the beginning of a sample of
tests/data, with another number in its first lines. papaver counts the exits of each, adds them up by name, decides two checks
about each, and makes one profile of all. Beside that, `cat` reads the bytes, and `jq` and DuckDB (`pip install duckdb`) count
the exits of the JSON Lines, which must be as many. A cell is the best of the rounds, which alternate, for the whole process.
Where the script may empty the system's cache (Linux, as root), as many rounds follow in which each process finds it empty.

With --write the table also replaces the one in the chapter `performance` of the manual (src/manual/performance.md).
"""
import argparse, os, sys, tempfile

import chapter
from peers import Best

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../data")
BYTES = 10_000
CHECKS = """check(ends) :- forall(event([port=call, call=C]), event([port=[exit, fail], call=C])) ; true.
check(shallow) :- never([depth > 100]).
"""
COUNT = "event([port=exit])"
DUCKDB = """import duckdb, sys
duckdb.sql("SET enable_progress_bar = false")
print(duckdb.sql("SELECT count(*) FROM read_json('" + sys.argv[1] + "/*.jsonl', columns = {port: 'VARCHAR'}) WHERE port = 'exit'").fetchall()[0][0])
"""


def make(folder, sample, ending, n_traces):
    """The folder with the traces; the number of their bytes."""
    os.makedirs(folder)
    with open(os.path.join(DATA, sample)) as file:
        lines = file.readlines()
    kept, size = [], 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size >= BYTES:
            break
    text = "".join(kept)
    for number in range(n_traces):
        with open(os.path.join(folder, f"{number:05}{ending}"), "w") as out:
            out.write(text.replace("[1,", f"[{number % 10},", 3))
    return size * n_traces


def empty_cache():
    """Whether the system's cache of files is empty now."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
        return True
    except OSError:
        return False


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--traces", type=int, default=10_000)
    arguments.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as top:
        lines, objects, checks = (os.path.join(top, name) for name in ("lines", "objects", "checks.pl"))
        sizes = {lines: make(lines, "queens.trace", ".trace", options.traces), objects: make(objects, "queens.jsonl", ".jsonl", options.traces)}
        with open(checks, "w") as out:
            out.write(CHECKS)
        papaver = options.papaver
        tally = "tally(N, event([port=exit, name=N]), Ns)"
        rows = [
            ("event lines", "`query --count`", lines, Best([papaver, "query", "--count", COUNT, lines])),
            ("", "`query --total`, a tally", lines, Best([papaver, "query", "--total", tally, lines])),
            ("", "`check --total`, two checks", lines, Best([papaver, "check", "--total", checks, lines])),
            ("", "`stats --total`", lines, Best([papaver, "stats", "--total", lines])),
            ("", "`cat`", lines, Best(["sh", "-c", f"cat {lines}/* > /dev/null"])),
            ("JSON Lines", "`query --count`", objects, Best([papaver, "query", "--total", "--count", COUNT, objects])),
            ("", "`jq`", objects, Best(["sh", "-c", f"find {objects} -name '*.jsonl' | xargs jq -c 'select(.port == \"exit\") | 1' | wc -l"])),
            ("", "DuckDB", objects, Best([sys.executable, "-c", DUCKDB, objects])),
            ("", "`cat`", objects, Best(["sh", "-c", f"cat {objects}/* > /dev/null"])),
        ]
        for _ in range(options.rounds):
            for *_, best in rows:
                best.run()
        from_disk = [Best(best.command) for *_, best in rows]
        for _ in range(options.rounds):
            for best in from_disk:
                if empty_cache():
                    best.run()
        for (_, what, _, best), cold in zip(rows, from_disk):
            if not (best.works() and cold.works()):
                raise SystemExit(f"{what} failed")
        counts = [int("".join(c for c in best.runs[0].output if c.isdigit())) for *_, best in rows[5:8]]
        if len(set(counts)) > 1:
            raise SystemExit(f"the counts differ: {counts}")
        table = ["| traces | command | processor, s | elapsed, s | MB a second | elapsed from the disk, s |", "|---|---|---|---|---|---|"]
        for (kind, what, folder, best), cold in zip(rows, from_disk):
            elapsed = best.least("elapsed")
            of_disk = f"{cold.least('elapsed'):.2f}" if cold.runs else "-"
            table.append(f"| {kind} | {what} | {best.least('cpu'):.2f} | {elapsed:.2f} | {sizes[folder] / elapsed / 1e6:.0f} | {of_disk} |")
    print("\n".join(table))
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
