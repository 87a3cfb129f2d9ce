#!/usr/bin/env python3
"""Compares the answers of Spark, on two cores of this machine, with papaver's: the same, in the same order.

    tests/spark.py [PAPAVER] [N]

asks N random goals (60) about samples. It needs pyspark (`pip install pyspark`) and Java 17 or later. Spark is started
once: papaver prints each goal as SQL, and the rows are compared with the bindings that `papaver query` writes."""
import json, os, random, subprocess, sys, tempfile

try:
    from pyspark.sql import SparkSession
except ImportError:
    sys.exit("not compared: python3 has no module pyspark (pip install pyspark)")

here = os.path.dirname(os.path.abspath(__file__))
papaver = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../target/debug/papaver")
number = int(sys.argv[2]) if len(sys.argv) > 2 else 60
samples = ["queens.trace", "qsort.jsonl"]
rules = """
nested(C, D) :- parent(C, P), event([call=P, depth=E]), D is E - 1.
nested(C, 0) :- call_start(C, _).
failed(C) :- event([call=C, port=fail]).
deepest(D, N) :- aggregate_all(max(E), event([depth=E]), D), event([depth=D, name=N]).
above(C, A) :- parent(C, A).
above(C, A) :- parent(C, B), above(B, A).
below(C, A, 1) :- child(C, A).
below(C, A, N) :- child(C, B), below(B, A, M), N is M + 1.
up_to(N, N).
up_to(N, M) :- N < 130, K is N + 1, up_to(K, M).

:- derived_trace(ends, [port=P, call=C, name=N, depth=D, origin=X, around=A],
                 ( event([port=P, call=C, name=N, depth=D, chrono=X]), P \\== call,
                   ( parent(C, B), event([call=B, port=call, name=A]) -> true ; true ) )).
:- derived_trace(ends, [port=call, call=C, name=N, depth=D, origin=X, around=top],
                 event([port=call, call=C, name=N, depth=D, depth < 4, chrono=X])).
:- derived_trace(failures, ends, [port=fail, call=C, name=N, depth=1, origin=X],
                 ( event([port=fail, chrono=X, call=C]), once(event([call=C, name=N])) )).
"""
constraints = ["port=call", "port=[exit, fail]", "port \\= call", "depth > 3", "depth = 2..4", "name = matches(\"^q\")",
               "name = N", "call = C", "depth = D", "arity > 1", "arity = not(2)", "chrono < 60", "name \\= main",
               "line_number > 20", "port = P"]


def events():
    return "event([" + ", ".join(random.sample(constraints, random.randint(1, 3)) + ["chrono < 90"]) + "])"


def goal():
    a, b = events(), events()
    return random.choice([
        a,
        f"event([chrono=X, call=C, chrono < 40]), {a}",
        f"event([chrono < 40, chrono=X]), fget_np([port=exit, chrono=Y, chrono < 60])",
        f"event([port=call, call=C]), \\+ {a}",
        f"event([port=call, call=C, chrono=X]), forall({a}, {b})",
        f"aggregate_all(count, ({a}, {b}), Z)",
        f"event([call=C, depth=D, chrono < 50]), X is D * 2 - 1, X < 8",
        f"(event([chrono=X, port=fail]) ; event([chrono=X, depth > 5])), {b}",
        f"parent(C, Q), {a}",
        f"event([port=call, call=C, chrono < 60]), ancestor(C, A)",
        f"event([port=call, call=A, chrono < 60]), ancestor(C, A), {a}",
        f"event([port=call, call=C]), \\+ (ancestor(C, A), event([call=A, port=fail]))",
        f"aggregate_all(count, ({a}, ancestor(B, A)), Z)",
        f"{a.replace('event', 'fget_np')}, stack(_S), member([level(L), detail(E, K, _)|_], _S)",
        f"event([chrono=X, depth > 4, stack=_S]), length(_S, Z)",
        f"tally(N-P, event([name=N, port=P]), _Ps), member(N-P-Z, _Ps)",
        f"sum_by(N, D, event([name=N, depth=D]), _Ps), member(N-Z, _Ps)",
        f"findall(D, {a.replace('event([', 'event([depth=D, ')}, _L), length(_L, Z)",
        f"limit(5, order_by([desc(D), asc(N)], event([depth=D, name=N, call=C])))",
        f"distinct(N, event([name=N, depth=D]))",
        f"nested(C, D), event([call=C, port=exit, chrono=X, chrono < 70])",
        f"failed(C), {a}",
        f"deepest(D, N)",
        f"above(C, A), {a}",
        f"event([port=call, call=C, chrono < 60]), above(C, A)",
        f"event([port=call, call=C]), \\+ (above(C, _A), event([call=_A, port=fail]))",
        f"event([port=exit, call=C, chrono < 60]), below(C, A, Z)",
        f"event([depth=D, chrono < 4]), up_to(D, Z)",
        f"event([call=C, chrono=X, chrono < 50]), ( event([call=C, port=exit, chrono=_E]) -> Z is _E - X ; Z = 0 )",
        f"event([call=C, port=call, chrono < 50]), once(event([call=C, port=P, port \\= call])), P \\== fail",
        f"event([call=C, depth < 4]), ignore(fget_np([call=C, port=exit])), fget_np([name=N])",
        f"event([port=call, call=C]), \\+ once({a})",
        f"event([port=call, call=C, chrono < 60]), limit(2, event([call=C, chrono=X])), X > 3",
        f"event([port=call, call=C, chrono < 60]), order_by([desc(X)], event([call=C, chrono=X, port=P]))",
        f"aggregate_all(count, distinct(N, event([name=N])), Z)",
    ])


def derived_goal():
    a = ", ".join(random.sample(["port=fail", "depth > 1", "name=N", "call=C", "origin < 300", "name \\= main", "port=P"], 2))
    return random.choice([
        f"event([{a}, origin=O, chrono=X])",
        f"fget_np([{a}]), bget_np([chrono=X])",
        f"tally(N-P, event([name=N, port=P, {a}]), _Ps), member(N-P-Z, _Ps)",
        f"aggregate_all(count, event([{a}]), Z)",
        f"event([call=C, {a}]), call_end(C, E)",
    ])


# Goals that must be joined by equal values alone.
ancestors = ["event([chrono=14, call=C]), ancestor(C, A)", "event([chrono=14, call=A]), ancestor(C, A)", "ancestor(C, A)",
             "event([port=call, call=C]), \\+ ancestor(C, 3)", "event([chrono < 30, chrono=X, stack=S])"]


def bindings(line):
    answer = json.loads(line)
    bound = {name: value for name, value in answer["bindings"].items() if not isinstance(value, dict)}
    if bound:
        return bound
    return {"chrono": answer["event"]["chrono"]} if answer.get("event") else {"answer": True}


def main():
    random.seed(19)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \
        .config("spark.sql.shuffle.partitions", "2") \
        .config("spark.sql.warehouse.dir", tempfile.gettempdir()).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    agreed, filled = 0, 0
    with tempfile.TemporaryDirectory() as top:
        script = os.path.join(top, "rules.pl")
        with open(script, "w") as out:
            out.write(rules)
        for sample in samples:
            subprocess.run([papaver, "export", "-q", os.path.join(here, "data", sample), "-o", os.path.join(top, sample)],
                           check=True)
        for _ in range(number):
            on = random.choice([[], [], [], ["--on", "ends"], ["--on", "failures"]])
            sample, asked = random.choice(samples), derived_goal() if on else goal()
            run = subprocess.run([papaver, "query", "-q", "--to", "json", "-l", script, *on, asked,
                                  os.path.join(here, "data", sample)], capture_output=True, text=True)
            expected = [bindings(line) for line in run.stdout.splitlines()]
            printed = subprocess.run([papaver, "sql", "--dialect", "spark", "-l", script, *on, asked,
                                      os.path.join(top, sample)], capture_output=True, text=True)
            if "Spark's SQL cannot say" in printed.stderr:
                continue
            if run.returncode > 1 or printed.returncode:
                sys.exit(f"{asked}: {run.stderr}{printed.stderr}")
            rows = spark.sql(printed.stdout).collect()
            found = [{k: v for k, v in row.asDict().items() if not k.startswith("order_")} for row in rows]
            if found != expected:
                sys.exit(f"{sample}: {asked}\npapaver: {expected[:20]}\nspark:   {found[:20]}\n{printed.stdout}")
            agreed, filled = agreed + 1, filled + bool(expected)
        for asked in ancestors:
            printed = subprocess.run([papaver, "sql", "--dialect", "spark", asked, os.path.join(top, samples[0])],
                                     capture_output=True, text=True, check=True)
            plan = spark.sql("EXPLAIN " + printed.stdout).collect()[0][0]
            if "NestedLoop" in plan or "Cartesian" in plan:
                sys.exit(f"{asked}: a join without equal values\n{plan}")
    print(f"{agreed} goals agree, {filled} of them with answers")


main()
