#!/usr/bin/env python3
"""Durations of calls by procedure, papaver beside DuckDB: a Markdown table of seconds.

  durations.py [--rounds N] [--events N] [--papaver PATH] [--keep FOLDER] [--write]

Makes a trace of about N events, saves it with `papaver convert`, and puts the columns chrono, call, port and name of the
same events into a database of DuckDB (`pip install duckdb`). Then both are asked for the number of calls of each procedure
with the median, the 95th and the 99th percentile and the greatest of their durations: `papaver stats`, and a
GROUP BY over calls and one over names with quantile_disc, which takes the nearest rank as papaver does. Papaver also finds
self times, sums without recursive calls, depths and errors, which DuckDB is not asked for. A difference between the answers ends the script.

A cell is the best of the rounds, which alternate. Processes are whole: each opens its file, so that DuckDB's includes the
start of Python, which is measured by itself in the last row. A goal that only adds up durations, exit by exit, shows what the
rest of the statistics takes.

Files stay in FOLDER if that is given, and are taken from there. With --write the table also replaces the one in the chapter
`performance` of the manual (src/manual/performance.md).
"""
import argparse, csv, io, os, random, subprocess, sys, tempfile

import chapter
from peers import Best

HERE = os.path.dirname(os.path.abspath(__file__))

QUESTION = """WITH calls AS (SELECT call, any_value(name) AS name, max(chrono) - min(chrono) AS duration FROM events GROUP BY call)
    SELECT name, count(*), quantile_disc(duration, 0.5), quantile_disc(duration, 0.95),
    quantile_disc(duration, 0.99), max(duration) FROM calls GROUP BY name"""
SUMS = "sum_by(P, D, ( event([port=exit, call=K, chrono=X, proc=P]), call_start(K, S), D is X - S ), _)"
DUCKDB = """import duckdb, sys
if len(sys.argv) > 1:
    base = duckdb.connect(sys.argv[1], read_only=True)
    base.sql("SET enable_progress_bar = false")
    for row in base.sql(sys.argv[2]).fetchall():
        print(*row, sep=",")
"""
COLUMNS = ["calls", "p50", "p95", "p99", "max"]


def events(n_events, dice):
    """Calls that nest at random: (chrono, call, depth, port, name)."""
    names = [f"p{number}" for number in range(60)]
    chrono, call, stack = 0, 0, []
    while chrono < n_events or stack:
        chrono += 1
        ends = stack and (chrono >= n_events or len(stack) >= 40 or dice.random() < 0.5)
        if ends:
            number, name = stack.pop()
            yield chrono, number, len(stack) + 1, "exit", name
        else:
            call += 1
            name = names[int(60 * dice.random() ** 2)]
            stack.append((call, name))
            yield chrono, call, len(stack), "call", name


def make(options, folder):
    """The saved trace and the database."""
    saved, base = os.path.join(folder, "durations.papaver"), os.path.join(folder, "durations.duckdb")
    if os.path.exists(saved) and os.path.exists(base):
        return saved, base
    text, table = os.path.join(folder, "durations.trace"), os.path.join(folder, "durations.csv")
    with open(text, "w") as lines, open(table, "w") as rows:
        for chrono, call, depth, port, name in events(options.events, random.Random(7)):
            lines.write(f"{chrono}: {call} [{depth}] {port} {name}({chrono % 9}) []\n")
            rows.write(f"{chrono},{call},{port},{name}\n")
    subprocess.run([options.papaver, "convert", text, "-o", saved], check=True)
    load = "import duckdb, sys; base = duckdb.connect(sys.argv[1]); base.sql('SET enable_progress_bar = false'); base.sql('CREATE TABLE events AS SELECT * FROM read_csv(\\'' + sys.argv[2] + '\\', header = false, names = [\\'chrono\\', \\'call\\', \\'port\\', \\'name\\'])')"
    subprocess.run([sys.executable, "-c", load, base, table], check=True)
    os.remove(table)
    return saved, base


def of_papaver(output):
    rows = csv.DictReader(io.StringIO(output))
    return {row["name"].split("/")[0]: [int(row[column]) for column in COLUMNS] for row in rows}


def of_duckdb(output):
    rows = (line.split(",") for line in output.splitlines())
    return {name: [int(value) for value in values] for name, *values in rows}


def measured(options, folder):
    saved, base = make(options, folder)
    papaver = Best([options.papaver, "stats", "--to", "csv", saved])
    sums = Best([options.papaver, "query", "--to", "none", SUMS, saved])
    duckdb = Best([sys.executable, "-c", DUCKDB, base, QUESTION])
    start = Best([sys.executable, "-c", DUCKDB])
    for _ in range(options.rounds):
        for best in (papaver, sums, duckdb, start):
            best.run()
    if not (papaver.works() and sums.works() and duckdb.works()):
        raise SystemExit("one of the programs failed")
    if of_papaver(papaver.runs[0].output) != of_duckdb(duckdb.runs[0].output):
        raise SystemExit("the answers differ")
    return [("`papaver stats`", papaver), ("`sum_by/4` of durations", sums), ("DuckDB", duckdb), ("Python with DuckDB alone", start)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--events", type=int, default=10_000_000)
    arguments.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    arguments.add_argument("--keep")
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(options, options.keep or folder)
    table = ["| durations by procedure | processor, s | elapsed, s | memory, MB |", "|---|---|---|---|"]
    for name, best in rows:
        table.append(f"| {name} | {best.least('cpu'):.2f} | {best.least('elapsed'):.2f} | {best.least('memory') / 1024:.0f} |")
    print("\n".join(table))
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
