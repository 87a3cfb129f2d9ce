#!/usr/bin/env python3
"""The same questions about one large trace, asked of papaver and of DuckDB: a Markdown table.

  lake.py [--events N] [--limit MB] [--group FOLDER] [--papaver PATH] [--keep FOLDER] [--spark] [--write]

Makes event lines as growth.py does (100,000,000 if --events does not say), saves the trace, and exports it to Parquet. Each
question is one goal, which `papaver query` answers from the saved trace and, with `--engine duckdb`, from the exported
folder; and it is a query that somebody who knows SQL and the folder would write by hand. With --spark, Spark answers too,
on two cores of this machine, from the same goals (`--engine spark`). Answers must be equal. papaver gets no more than the
limit of memory (2,000 MB) to answer and to export, as growth.py gives it; the engines take what they want.

A cell is the elapsed time in seconds and the peak of the memory of the largest process in megabytes, of one run of a whole
process; of Spark, whose memory is that of a Java machine of 8 GB, only the time. `-` means that the goal is not compiled to SQL, or did not end well.

10^8 events take 8 GB in FOLDER, where the files stay if it is given, and from which they are taken. With --write the table
also replaces the one in the chapter `performance` of the manual (src/manual/performance.md).
"""
import argparse, json, os, subprocess, sys, tempfile

import chapter, growth

HERE = os.path.dirname(os.path.abspath(__file__))

# A process may take all memory.
NO_LIMIT = -1

HAND = """import duckdb, json
db = duckdb.connect()
db.execute("SET enable_progress_bar = false")
for table in ("events", "calls"):
    files = f"{%r}/{table}/*/*.parquet"
    db.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{files}', union_by_name = true, hive_partitioning = false)")
for row in db.execute(%r).fetchall():
    print(json.dumps(row))
"""


def questions(n_events):
    """The goal and the query of each question; the goal binds what the query selects, in the order of its columns."""
    at = ", ".join(str(number * n_events // 101) for number in range(1, 101))
    return {
        "events with a port": (
            "aggregate_all(count, event([port=exit]), N)",
            "SELECT count(*) FROM events WHERE port = 'exit'"),
        "port, name and depths": (
            "aggregate_all(count, event([name=safe, port=fail, depth=4..6]), N)",
            "SELECT count(*) FROM events WHERE name = 'safe' AND port = 'fail' AND depth BETWEEN 4 AND 6"),
        "pattern of an argument": (
            "aggregate_all(count, event([name=select, port=exit, args=[_, [1, 2|_]|_]]), N)",
            r"SELECT count(*) FROM events WHERE name = 'select' AND port = 'exit' AND regexp_matches(arg2, '^\[1, 2[],|]')"),
        "10,000 calls backwards": (
            "limit(10000, order_by([desc(C)], event([port=call, chrono=C])))",
            "SELECT chrono FROM events WHERE port = 'call' ORDER BY chrono DESC LIMIT 10000"),
        "failures and their calls": (
            "aggregate_all(sum(F - S), (event([port=fail, call=K, chrono=F]), call_start(K, S)), N)",
            "SELECT sum(chrono - enter)::BIGINT FROM events JOIN calls USING (call) WHERE port = 'fail'"),
        "100 stacks": (
            f"aggregate_all(count, (event([chrono=[{at}], call=K]), ancestor(K, _)), N)",
            f"WITH asked AS MATERIALIZED (SELECT tree_first AS asked_call FROM events JOIN calls USING (call) WHERE chrono IN ({at})) "
            "SELECT count(*) FROM asked JOIN calls ON tree_first < asked_call AND asked_call <= tree_last"),
        "durations by procedure": (
            "sum_by(P, X - S, (event([port=exit, call=K, chrono=X, proc=P]), call_start(K, S)), L), length(L, N)",
            "SELECT count(*) FROM (SELECT e.proc, sum(chrono - enter) FROM events e JOIN calls USING (call) "
            "WHERE port = 'exit' GROUP BY e.proc)"),
        "events by procedure and port": (
            "tally(P-Q, event([proc=P, port=Q]), L), length(L, N)",
            "SELECT count(*) FROM (SELECT proc, port, count(*) FROM events GROUP BY proc, port)"),
        "calls without an end": (
            "aggregate_all(count, (event([port=call, call=K]), \\+ event([call=K, port=[exit, fail]])), N)",
            "SELECT count(*) FROM events c WHERE port = 'call' AND NOT EXISTS "
            "(SELECT 1 FROM events e WHERE e.call = c.call AND e.port IN ('exit', 'fail'))"),
    }


def answers(measured):
    """The values of the last variable of each answer."""
    found = []
    for line in measured[2].splitlines():
        bindings = json.loads(line)["bindings"]
        found.append(int(list(bindings.values())[-1]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10**8)
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--group")
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--keep")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    limit = options.limit * 10**6, options.group
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--master local[2] --driver-memory 8g pyspark-shell")
    with tempfile.TemporaryDirectory() as own:
        folder = options.keep or own
        text, saved = (os.path.join(folder, f"growth.{options.events}.{ending}") for ending in ("trace", "papaver"))
        lake = os.path.join(folder, f"lake.{options.events}")
        made = [sys.executable, growth.__file__, "--make", text, str(options.events)]
        n_events = int(subprocess.run(made, capture_output=True, text=True, check=True).stdout.split()[0])
        if not os.path.exists(saved):
            subprocess.run([options.papaver, "convert", text, "-o", saved], check=True)
        export = growth.measure([options.papaver, "export", "--force", saved, "-o", lake], *limit)
        sizes = {table: sum(os.path.getsize(os.path.join(place, name)) for place, _, names in
                            os.walk(os.path.join(lake, table)) for name in names) for table in ("events", "calls")}
        spark = (" Spark, compiled |", "---|", " the same |", " |") if options.spark else ("", "", "", "")
        table = [f"| {n_events:,} events | papaver | DuckDB, compiled | DuckDB, by hand |" + spark[0], "|---|---|---|---|" + spark[1],
                 f"| size, MB | {os.path.getsize(saved) / 1e6:.0f} | {sizes['events'] / 1e6:.0f} and "
                 f"{sizes['calls'] / 1e6:.0f} (calls) | the same |" + spark[2],
                 f"| export the saved trace | {growth.cell(export)} | | |" + spark[3]]
        print("\n".join(table), flush=True)
        for name, (goal, query) in questions(n_events).items():
            ask = [options.papaver, "query", "-q", "--to", "json", goal]
            ours = growth.measure([*ask, saved], *limit)
            compiled = growth.measure([*ask, "--engine", "duckdb", lake], NO_LIMIT)
            hand = growth.measure([sys.executable, "-c", HAND % (lake, query)], NO_LIMIT)
            if ours and compiled and answers(ours) != answers(compiled):
                sys.exit(f"{name}: {answers(ours)[:3]} and, compiled, {answers(compiled)[:3]}")
            if ours and hand and answers(ours) != [json.loads(line)[0] for line in hand[2].splitlines()]:
                sys.exit(f"{name}: {answers(ours)[:3]} and, by hand, {hand[2][:60]}")
            line = f"| {name} | {growth.cell(ours)} | {growth.cell(compiled)} | {growth.cell(hand)} |"
            if options.spark:
                of_spark = growth.measure([*ask, "--engine", "spark", lake], NO_LIMIT)
                if ours and of_spark and answers(ours) != answers(of_spark):
                    sys.exit(f"{name}: {answers(ours)[:3]} and, by Spark, {answers(of_spark)[:3]}")
                line += f" {of_spark[0]:.2f} |" if of_spark else " - |"
            table.append(line)
            print(table[-1], flush=True)
    if options.write:
        chapter.write(__file__, table)


main()
