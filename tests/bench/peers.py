#!/usr/bin/env python3
"""Papaver beside DuckDB, jq and bare JSON scanners on traces that other programs write: a Markdown table of ratios.

  peers.py [--rounds N] [--events N] [--jq-events N] [--papaver PATH] [--keep FOLDER] [--write] [KIND ...]

Makes a trace of about N events of each kind (see made_traces.py), and asks papaver, DuckDB (`pip install duckdb`; its
read_json finds the types itself) and jq how many calls there are of each name, and for how long; then the crates simd-json
and sonic-rs pass over the bytes, one thread, without any question. All run in alternating rounds. jq reads a smaller trace
of the same kind, of --jq-events. A peer that is not installed, or that cannot read the kind, has the cell `-`; one whose
answer differs from papaver's has the cell `differs`.

DuckDB and jq are asked in two ways. `flat`: they make what papaver makes, a table of events in the order of time, with a
column for each field and all attributes, and answer from it. The one of DuckDB has the numbers of events and of calls, depths
and, for spans, the parent's call too, and the sums of depths must be papaver's; jq numbers nothing. Otherwise they
read what the one question needs, while papaver always makes its whole relation.

Times are those of the whole process, less that of one that does nothing; the best of the rounds. The columns: MB/s of
processor time and of elapsed time; bytes of memory per event, above papaver on an empty trace; the time of DuckDB and of jq
by papaver's, per byte, as `elapsed (processor)`; in the same way the time of the fastest pass, on one thread, that parses all
values, and of the one that only checks the grammar, by what papaver takes to load the trace on all cores (0.5: papaver takes
twice as long); `lines` is what a byte takes in a file of
event lines (format `morphine`), loaded whole, by what it takes here, loaded whole: above 1 it is read faster.

Traces and the program of the scanners stay in FOLDER if that is given, and are taken from there. With --write the table also
replaces the one in the chapter `performance` of the manual (src/manual/performance.md).
"""
import argparse, multiprocessing, os, random, shutil, subprocess, sys, tempfile, time

import chapter, made_traces, readers, scanner

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300

COUNTS = """main :-
    tally(Name, event([%(event)s]), Pairs),
    forall(member(Name-Count, Pairs), ( %(sums)s, format("~w\\t~d%(more)s~n", [Name, Count, %(names)s]) )).
"""


def counts(event, *sums):
    """A script that counts the events of each name for which the constraint holds, and prints sums: of attributes of these events, of
    attributes of all events with the name (in parentheses), or zero."""
    goals, names = [], [f"Sum{number}" for number in range(len(sums))]
    for attribute, name in zip(sums, names):
        of_all = attribute.startswith("(")
        constraints = "name=Name" if of_all or not event else f"{event}, name=Name"
        goals.append(f"{name} = 0" if attribute == "0" else
                     f"aggregate_all(sum(N{name}), event([{constraints}, {attribute.strip('()')}=N{name}]), {name})")
    selector = f"{event}, name=Name" if event else "name=Name"
    return COUNTS % {"event": selector, "sums": ", ".join(goals), "more": "\\t~d" * len(sums), "names": ", ".join(names)}


# the questions of papaver: what peers are asked at all, and with the sums of depths and of numbers of calls, for which they make the whole relation
# (spans that begin at the same time may be numbered in another order)
SPANS = counts("port=call", "duration"), counts("port=call", "duration", "depth")
CALLS = counts("port=call", "0"), counts("port=call", "0", "depth", "call")
EVENTS = counts("", "0"), None
SYSTEM_CALLS = counts("port=call", "(dur)"), None
STATES = counts("", "balance"), counts("", "balance")

# the same in SQL and for jq; `{}` is the path
OTLP_SQL = """SELECT s.name, count(*), sum(s.endTimeUnixNano::HUGEINT - s.startTimeUnixNano::HUGEINT) FROM
    (SELECT unnest(scopes.spans) AS s FROM (SELECT unnest(resources.scopeSpans) AS scopes FROM
    (SELECT unnest(resourceSpans) AS resources FROM read_json('{}', maximum_object_size=2147483647)))) GROUP BY 1"""
JAEGER_SQL = """SELECT s.operationName, count(*), sum(s.duration) * 1000 FROM (SELECT unnest(trace.spans) AS s FROM
    (SELECT unnest(data) AS trace FROM read_json('{}', maximum_object_size=2147483647))) GROUP BY 1"""
ZIPKIN_SQL = "SELECT name, count(*), sum(duration) * 1000 FROM read_json('{}') GROUP BY 1"
CHROME_SQL = """SELECT r.name, count(*), sum(round(r.dur * 1000)::BIGINT) FROM
    (SELECT unnest(traceEvents) AS r FROM read_json('{}', maximum_object_size=2147483647)) WHERE r.ph = 'X' GROUP BY 1"""
TRACING_SQL = "SELECT span.name, count(*), 0 FROM read_json('{}') WHERE fields.message = 'new' GROUP BY 1"
PINO_SQL = "SELECT req.url, count(*), 0 FROM read_json('{}') WHERE msg = 'incoming request' GROUP BY 1"
ITF_SQL = """SELECT CASE i WHEN 1 THEN 'init' ELSE 'step' END, count(*), sum(s.balance."#bigint"::BIGINT) FROM
    (SELECT unnest(states) AS s, generate_subscripts(states, 1) AS i FROM read_json('{}', maximum_object_size=2147483647)) GROUP BY 1"""

# tables of events with everything that the file says of them, with the numbers of events and of calls, and depths; `events` of
# boxes come from `boxes`: `depths` finds the depth of each
NUMBERED = "; CREATE TEMP TABLE calls AS SELECT *, row_number() OVER (ORDER BY first, last DESC) AS call FROM boxes"
BY_PARENT = NUMBERED + """; CREATE TEMP TABLE boxes_with_depths AS WITH RECURSIVE found AS (
    SELECT tree, id, 1 AS depth, NULL::BIGINT AS parent_call, call FROM calls c WHERE NOT EXISTS (FROM calls p WHERE p.tree = c.tree AND p.id = c.parent)
    UNION ALL SELECT c.tree, c.id, f.depth + 1, f.call, c.call FROM calls c JOIN found f ON c.tree = f.tree AND c.parent = f.id)
    SELECT calls.*, depth, parent_call FROM calls JOIN found USING (call)"""
BOTH_ENDS = """; CREATE TEMP TABLE events AS SELECT row_number() OVER (ORDER BY time) AS chrono, * FROM
    (SELECT first AS time, 'call' AS port, * FROM boxes_with_depths UNION ALL SELECT last, 'exit', * FROM boxes_with_depths) ORDER BY chrono"""
COUNTED = "; SELECT name, count(*), %s FROM events WHERE port = 'call' GROUP BY 1"
OF_SPANS = BY_PARENT + BOTH_ENDS + COUNTED % "sum(last - first), sum(depth)"
OTLP_FLAT = """CREATE TEMP TABLE boxes AS SELECT traceId AS tree, spanId AS id, parentSpanId AS parent, flags, name, kind, startTimeUnixNano::BIGINT AS first,
    endTimeUnixNano::BIGINT AS last, status.code AS code, status.message AS message, scope, of_resource,
    map_from_entries([(a.key, coalesce(a.value.stringValue, a.value.intValue::VARCHAR)) FOR a IN attributes]) AS attributes
    FROM (SELECT unnest(scopes.spans, max_depth := 2), scopes.scope.name AS scope, of_resource FROM (SELECT unnest(resources.scopeSpans) AS scopes,
    map_from_entries([(a.key, a.value.stringValue) FOR a IN resources.resource.attributes]) AS of_resource FROM
    (SELECT unnest(resourceSpans) AS resources FROM read_json('{}', maximum_object_size=2147483647))))""" + OF_SPANS
JAEGER_FLAT = """CREATE TEMP TABLE boxes AS SELECT traceID AS tree, spanID AS id, "references"[1].spanID AS parent, operationName AS name, processID,
    startTime * 1000 AS first, (startTime + duration) * 1000 AS last, processes,
    map_from_entries([(t.key, t.value::VARCHAR) FOR t IN tags]) AS attributes FROM
    (SELECT unnest(trace.spans, max_depth := 2), trace.processes AS processes FROM
    (SELECT unnest(data) AS trace FROM read_json('{}', maximum_object_size=2147483647)))""" + OF_SPANS
ZIPKIN_FLAT = """CREATE TEMP TABLE boxes AS SELECT traceId AS tree, id, parentId AS parent, name, kind, localEndpoint.serviceName AS service,
    timestamp * 1000 AS first, (timestamp + duration) * 1000 AS last, unnest(tags) FROM read_json('{}')""" + OF_SPANS
CHROME_FLAT = """CREATE TEMP TABLE boxes AS SELECT name, cat, pid, tid, round(ts * 1000)::BIGINT AS first,
    round(ts * 1000)::BIGINT + round(dur * 1000)::BIGINT AS last, unnest(args) FROM (SELECT unnest(traceEvents, max_depth := 2) FROM
    read_json('{}', maximum_object_size=2147483647)) WHERE ph = 'X'""" + NUMBERED + """; CREATE TEMP TABLE ends AS
    SELECT *, sum(step) OVER (PARTITION BY pid, tid ORDER BY time, step, call) AS depth FROM
    (SELECT pid, tid, first AS time, 1 AS step, call FROM calls UNION ALL SELECT pid, tid, last, -1, call FROM calls);
    CREATE TEMP TABLE boxes_with_depths AS SELECT calls.*, depth FROM calls JOIN ends USING (call) WHERE step = 1""" + BOTH_ENDS + COUNTED % "sum(last - first), sum(depth)"
TRACING_FLAT = """CREATE TEMP TABLE lines AS SELECT row_number() OVER () AS chrono, "timestamp", level, fields.message AS message, target, threadName,
    threadId, span.id AS id, span.n AS n, span.item AS item, span.name AS name, spans,
    CASE WHEN fields.message IN ('new', 'exit', 'close') THEN len(spans) + 1 ELSE len(spans) END AS depth FROM read_json('{}');
    CREATE TEMP TABLE numbered AS SELECT *, CASE WHEN message = 'new' THEN count_if(message = 'new') OVER (ORDER BY chrono) END AS opened FROM lines;
    CREATE TEMP TABLE events AS SELECT *, if(message = 'new', 'call', message) AS port,
    max(opened) OVER (PARTITION BY threadId, depth, name ORDER BY chrono) AS call FROM numbered ORDER BY chrono""" + COUNTED % "0, sum(depth), sum(call)"
PINO_FLAT = """CREATE TEMP TABLE lines AS SELECT row_number() OVER () AS chrono, * EXCLUDE (req), req.method AS method, req.url AS name FROM read_json('{}');
    CREATE TEMP TABLE numbered AS SELECT *, CASE WHEN msg = 'incoming request' THEN count_if(msg = 'incoming request') OVER (ORDER BY chrono) END AS opened FROM lines;
    CREATE TEMP TABLE events AS SELECT *, 1 AS depth, if(msg = 'incoming request', 'call', msg) AS port,
    max(opened) OVER (PARTITION BY reqId ORDER BY chrono) AS call FROM numbered ORDER BY chrono""" + COUNTED % "0, sum(depth), sum(call)"
ITF_FLAT = """CREATE TEMP TABLE events AS SELECT i AS chrono, s.balance."#bigint"::BIGINT AS balance, s.log AS log, CASE i WHEN 1 THEN 'init' ELSE 'step' END AS name
    FROM (SELECT unnest(states) AS s, generate_subscripts(states, 1) AS i FROM read_json('{}', maximum_object_size=2147483647));
    SELECT name, count(*), sum(balance) FROM events GROUP BY 1"""

JQ = """reduce (%s) as $s ({}; (%s) as $name | .[$name] |= [.[0] + 1, .[1] + (%s)])
    | to_entries[] | [.key, .value[0], .value[1]] | @tsv"""
# numbers of jq are exact up to 2^53: the digits of a time that all have in common are cut off
OTLP_JQ = JQ % ("inputs | .resourceSpans[].scopeSpans[].spans[]", "$s.name", "($s.endTimeUnixNano[4:] | tonumber) - ($s.startTimeUnixNano[4:] | tonumber)")
JAEGER_JQ = JQ % ("inputs | .data[].spans[]", "$s.operationName", "$s.duration * 1000")
ZIPKIN_JQ = JQ % ("inputs | .[]", "$s.name", "$s.duration * 1000")
CHROME_JQ = JQ % ('inputs | .traceEvents[] | select(.ph == "X")', "$s.name", "$s.dur * 1000 | round")
TRACING_JQ = JQ % ('inputs | select(.fields.message == "new")', "$s.span.name", "0")
PINO_JQ = JQ % ('inputs | select(.msg == "incoming request")', "$s.req.url", "0")
ITF_JQ = JQ % ("inputs | .states[]", 'if $s["#meta"].index == 0 then "init" else "step" end', '$s.balance["#bigint"] | tonumber')

# a list of flat objects in the order of time, and the count from it
FLAT_JQ = "[%s] | sort_by(.time) | " + JQ % (".[] | select(.port == \"call\")", "$s.name", "$s.sum")
ENDS = '(. + {port: "call", time: .first}), (. + {port: "exit", time: .last})'
OTLP_FLAT_JQ = FLAT_JQ % ("""inputs | .resourceSpans[] | (.resource.attributes | map({key, value: (.value | .stringValue // .intValue)}) | from_entries)
    as $of_resource | .scopeSpans[] | .scope.name as $scope | .spans[] | (.attributes | map({key, value: (.value | .stringValue // .intValue)}) | from_entries)
    + $of_resource + {$scope, traceId, spanId, parentSpanId, flags, name, kind, first: .startTimeUnixNano, last: .endTimeUnixNano, code: .status.code,
    message: .status.message, sum: ((.endTimeUnixNano[4:] | tonumber) - (.startTimeUnixNano[4:] | tonumber))} | """ + ENDS)
JAEGER_FLAT_JQ = FLAT_JQ % ("""inputs | .data[] | .processes as $processes | .spans[] | (.tags | map({key, value}) | from_entries) + {traceID, spanID,
    parent: .references[0].spanID, name: .operationName, process: $processes[.processID], first: .startTime, last: (.startTime + .duration),
    sum: (.duration * 1000)} | """ + ENDS)
ZIPKIN_FLAT_JQ = FLAT_JQ % ("""inputs | .[] | .tags + {traceId, id, parentId, name, kind, service: .localEndpoint.serviceName, first: .timestamp,
    last: (.timestamp + .duration), sum: (.duration * 1000)} | """ + ENDS)
CHROME_FLAT_JQ = FLAT_JQ % ("""inputs | .traceEvents[] | select(.ph == "X") | .args + {name, cat, pid, tid, first: .ts, last: (.ts + .dur),
    sum: (.dur * 1000 | round)} | """ + ENDS)
TRACING_FLAT_JQ = FLAT_JQ % ("""inputs | .span + {spans, level, target, threadName, threadId, time: .timestamp, sum: 0,
    port: (if .fields.message == "new" then "call" else .fields.message end)}""")
PINO_FLAT_JQ = FLAT_JQ % ("""inputs | . + {method: .req.method, name: .req.url, sum: 0, port: (if .msg == "incoming request" then "call" else .msg end)}""")
ITF_FLAT_JQ = FLAT_JQ % ("""inputs | .states[] | {port: "call", time: .["#meta"].index, name: (if .["#meta"].index == 0 then "init" else "step" end), log,
    sum: (.balance["#bigint"] | tonumber)}""")

# per kind the questions: papaver, DuckDB and jq, DuckDB and jq with all attributes
KINDS = {
    "otlp": (SPANS, OTLP_SQL, OTLP_JQ, OTLP_FLAT, OTLP_FLAT_JQ), "otlp_document": (SPANS, OTLP_SQL, OTLP_JQ, OTLP_FLAT, OTLP_FLAT_JQ),
    "otlp_protobuf": (SPANS, None, None, None, None), "jaeger": (SPANS, JAEGER_SQL, JAEGER_JQ, JAEGER_FLAT, JAEGER_FLAT_JQ),
    "zipkin": (SPANS, ZIPKIN_SQL, ZIPKIN_JQ, ZIPKIN_FLAT, ZIPKIN_FLAT_JQ), "chrome": (SPANS, CHROME_SQL, CHROME_JQ, CHROME_FLAT, CHROME_FLAT_JQ),
    "strace": (SYSTEM_CALLS, None, None, None, None), "tracing": (CALLS, TRACING_SQL, TRACING_JQ, TRACING_FLAT, TRACING_FLAT_JQ),
    "pino": (CALLS, PINO_SQL, PINO_JQ, PINO_FLAT, PINO_FLAT_JQ), "swi": (CALLS, None, None, None, None),
    "gnu_prolog": (CALLS, None, None, None, None), "itf": (STATES, ITF_SQL, ITF_JQ, ITF_FLAT, ITF_FLAT_JQ), "lttng": (EVENTS, None, None, None, None)}

DUCKDB = """import duckdb, sys
duckdb.sql("SET enable_progress_bar = false")
*makes, question = sys.argv[1].split(";") if len(sys.argv) > 1 else [None]
for make in makes:
    duckdb.sql(make)
for name, count, *totals in duckdb.sql(question).fetchall() if question else []:
    print(name, count, *map(int, totals), sep="\\t")
"""


class Run:
    """One process: its output, processor and elapsed seconds, and kilobytes of memory; `output` is None if it failed."""

    def __init__(self, command):
        start = time.monotonic()
        process = subprocess.Popen(["timeout", str(LIMIT)] + command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.output = output if process.returncode == 0 else None
        self.cpu, self.elapsed, self.memory = used.ru_utime + used.ru_stime, time.monotonic() - start, used.ru_maxrss

    def answer(self):
        """The counts and sums by name."""
        rows = (line.split("\t") for line in (self.output or "").splitlines())
        return {name: tuple(int(float(number)) for number in numbers) for name, *numbers in rows}


class Best:
    """The best of several runs of one command."""

    def __init__(self, command):
        self.command, self.runs = command, []

    def run(self):
        self.runs.append(Run(self.command))

    def least(self, what):
        return min(getattr(run, what) for run in self.runs)

    def works(self):
        return all(run.output is not None for run in self.runs)


def make(kind, folder, n_events):
    """The path of a trace of the kind. Another process makes it: the peak of a child's memory is at least that of this one."""
    path = os.path.join(folder, f"{kind}.{n_events}.trace")
    if not os.path.exists(path):
        maker = multiprocessing.Process(target=write, args=(kind, path, n_events))
        maker.start()
        maker.join()
        if maker.exitcode != 0:
            sys.exit(f"cannot make {path}")
    return path


def write(kind, path, n_events):
    with open(path, "wb") as file:
        for text in made_traces.MAKERS[kind](random.Random(7), n_events):
            file.write(text if isinstance(text, bytes) else text.encode())


def commands(options, folder, kind):
    """The commands to run by name, each with the path that it reads."""
    questions, sql, jq, sql_flat, jq_flat = KINDS[kind]
    script, whole = (os.path.join(folder, f"{kind}.{name}.pl") for name in ("question", "whole"))
    for path, question in zip((script, whole), questions):
        with open(path, "w") as file:
            file.write(question or "")
    large, small = make(kind, folder, options.events), make(kind, folder, options.jq_events)
    found = {"question": ([options.papaver, "run", script, large], large), "load": ([options.papaver, "query", "trace_info(events, N)", large], large)}
    if options.has_duckdb and sql:
        found["DuckDB"] = ([sys.executable, "-c", DUCKDB, sql.format(large)], large)
        found["whole question"] = ([options.papaver, "run", whole, large], large)
        found["DuckDB, flat"] = ([sys.executable, "-c", DUCKDB, sql_flat.format(large)], large)
    if shutil.which("jq") and jq:
        found["jq"] = (["jq", "-rn", jq, small], small)
        found["jq, flat"] = (["jq", "-rn", jq_flat, small], small)
        found["small question"] = ([options.papaver, "run", script, small], small)
    if sql:
        found.update({name: ([options.scan, mode, large], large) for name, mode in scanner.PASSES.items()})
    return found


def starts(options, folder):
    """Each program without work, and papaver's memory in kilobytes."""
    empty = os.path.join(folder, "empty.trace")
    with open(empty, "w") as file:
        file.write("1: 1 [1] call main\n")
    commands = {"papaver": [options.papaver, "query", "trace_info(events, N)", empty], "jq": ["jq", "-rn", "1"],
                "DuckDB": [sys.executable, "-c", DUCKDB]}
    found = {name: Best(command) for name, command in commands.items() if shutil.which(command[0])}
    for best in found.values():
        for _ in range(5):
            best.run()
    return found, found["papaver"].least("memory")


def measured(options, folder, kind):
    """The best runs by name, and the sizes of what they read."""
    wanted = commands(options, folder, kind)
    bests = {name: Best(command) for name, (command, _) in wanted.items()}
    for _ in range(options.rounds):
        for best in bests.values():
            if not best.runs or best.works():
                best.run()
    return bests, {name: os.path.getsize(path) for name, (_, path) in wanted.items()}


def row(kind, bests, sizes, start, start_memory, lines):
    """The row of the table, and the seconds that a byte takes to load."""
    if not bests["question"].works():
        return f"| `{kind}` | cannot be read |", None
    own = {"DuckDB": "question", "DuckDB, flat": "whole question", "jq": "small question", "jq, flat": "small question"}

    def program(name):
        found = name.split(",")[0]
        return found if found in start else "papaver" if name in (*own.values(), "load") else None

    def per_byte(name, what="cpu"):
        nothing = start[program(name)].least(what) if program(name) else 0
        return max(bests[name].least(what) - nothing, 0.001) / sizes[name]

    def ratio(name):
        if name not in bests or not bests[name].works():
            return "-"
        if bests[name].runs[0].answer() != bests[own[name]].runs[0].answer():
            return "differs"
        question = own[name].removeprefix("small ")
        elapsed, cpu = (per_byte(name, what) / per_byte(question, what) for what in ("elapsed", "cpu"))
        return f"{elapsed:.1f} ({cpu:.1f})"

    def passes(names):
        names = [name for name in names if name in bests and bests[name].works()]
        if not names:
            return "-"
        elapsed, cpu = (min(per_byte(name, what) for name in names) / per_byte("load", what) for what in ("elapsed", "cpu"))
        return f"{elapsed:.2f} ({cpu:.2f})"

    n_events = int(bests["load"].runs[0].output.split("=")[1])
    size, question = sizes["question"] / 1e6, bests["question"]
    cells = [f"`{kind}`", f"{n_events / 1e6:.2f}", f"{size:.0f}", f"{1 / per_byte('question') / 1e6:.0f}", f"{size / question.least('elapsed'):.0f}",
             f"{(question.least('memory') - start_memory) * 1024 / n_events:.0f}", ratio("DuckDB, flat"), ratio("jq, flat"), ratio("DuckDB"), ratio("jq"),
             passes(["simd-json", "sonic-rs"]), passes(["sonic-rs, skipping"]), f"{lines / per_byte('load'):.2f}" if lines else "-"]
    return "| " + " | ".join(cells) + " |", per_byte("load")


def event_lines(options, folder, start):
    """Seconds that a byte takes in a file of event lines, and in a POSIX trace."""
    found = []
    for name in ("morphine", "posix"):
        path = readers.make(name, folder, 80 * 10**6)
        best = Best([options.papaver, "query", "trace_info(events, N)", path])
        for _ in range(max(options.rounds, 3)):
            best.run()
        found.append((best.least("cpu") - start) / os.path.getsize(path))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--events", type=int, default=10**6)
    parser.add_argument("--jq-events", type=int, default=10**5)
    parser.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    parser.add_argument("--keep")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    options = parser.parse_args()
    if options.write and set(options.kinds) != set(KINDS):
        sys.exit("--write needs all kinds")
    options.has_duckdb = subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode == 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        options.scan = scanner.build(os.path.join(folder, "scan"))
        start, start_memory = starts(options, folder)
        lines, posix = event_lines(options, folder, start["papaver"].least("cpu"))
        print(f"event lines {1 / lines / 1e6:.0f} MB/s, POSIX {1 / posix / 1e6:.0f} MB/s of processor time", file=sys.stderr)
        table = ["| kind | million events | MB | MB/s, processor | MB/s, elapsed | bytes/event | DuckDB, flat | jq, flat | DuckDB | jq | values | grammar | lines |",
                 "|---" * 13 + "|"]
        print("\n".join(table), flush=True)
        for kind in options.kinds:
            text, _ = row(kind, *measured(options, folder, kind), start, start_memory, lines)
            table.append(text)
            print(text, flush=True)
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
