#!/usr/bin/env python3
"""How the page of a large trace is made, opens and zooms, in Chromium: a Markdown table beside the budgets.

  frames.py [--events N] [--papaver PATH] [--keep FOLDER] [--wheels N] [--write]

Makes the trace of durations.py, of about N events, and measures the load of its text (`papaver info`), the page as a file
(`papaver view -o`), its size, the time until Chromium has drawn its first picture, and its frames while the wheel zooms in and
out again, by Chromium's own tracing: of each frame the task of the main thread that runs its callbacks and paints. Then the
same frames on the page of the server, and how long the server takes for a tile of the whole trace.

A budget holds for a machine that does nothing else. Beside the time that passes stands the time of the processor, which depends
less on what else runs. The greatest frames are told as the 95th percentile.

The trace stays in FOLDER if that is given, and is taken from there. With --write the table also replaces the one in the chapter
`performance` of the manual (src/manual/performance.md).
"""
import argparse, json, os, random, subprocess, tempfile, time, urllib.request

import chapter, chromium, durations

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS, TILES = 2048, 10


def make(options, folder):
    path = os.path.join(folder, "frames.trace")
    if not os.path.exists(path):
        with open(path, "w") as lines:
            for chrono, call, depth, port, name in durations.events(options.events, random.Random(7)):
                lines.write(f"{chrono}: {call} [{depth}] {port} {name}({chrono % 9}) []\n")
    return path


def timed(command):
    """Seconds that passed, and seconds of the processor."""
    before, start = os.times(), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return time.monotonic() - start, after.children_user + after.children_system - before.children_user - before.children_system


def percentile(values, percent):
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def zoomed(page, options):
    """The frames while the wheel turns in at a third of the timeline, and out again."""

    def turn():
        for delta in [-120] * options.wheels + [120] * options.wheels:
            page.wheel(500, 200, delta)
            time.sleep(0.016)

    page.ask("papaver.fit()")
    time.sleep(1)
    found = chromium.frames(page.traced(turn))
    if len(found) < options.wheels // 2:
        raise SystemExit(f"Chromium drew {len(found)} frames only")
    return found


def rows_of_frames(name, found):
    for word, which in [("median", 50), ("95th percentile", 95)]:
        passed, processor = (percentile([one[place] for one in found], which) for place in (0, 1))
        yield f"frame while zooming, {name}, {word} of {len(found)}", f"{passed:.1f} ms", f"{processor:.1f} ms", "16 ms"


def measured(options, folder):
    trace, page_file = make(options, folder), os.path.join(folder, "frames.html")
    load = timed([options.papaver, "info", trace])
    build = timed([options.papaver, "view", trace, "-o", page_file])
    yield "load of the text", f"{load[0]:.2f} s", f"{load[1]:.2f} s", ""
    yield "load and page", f"{build[0]:.2f} s", f"{build[1]:.2f} s", "3 times the load"
    yield "page", f"{os.path.getsize(page_file) / 1e6:.2f} MB", "", "8 MB"
    page = chromium.Page(options.chromium)
    yield "first picture of the file", f"{page.open('file://' + page_file):.0f} ms", "", "2,000 ms"
    yield from rows_of_frames("file", zoomed(page, options))
    page.close()
    server = subprocess.Popen([options.papaver, "view", "--no-open", trace], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    try:
        page = chromium.Page(options.chromium)
        yield "first picture of the served page", f"{page.open(address):.0f} ms", "", "2,000 ms"
        yield from rows_of_frames("served", zoomed(page, options))
        page.close()
        yield from rows_of_tiles(address, server.pid)
    finally:
        server.terminate()
        server.wait()


def rows_of_tiles(address, process):
    """The tile of the whole trace, and one of a hundredth of it, as the page asks for them."""
    with urllib.request.urlopen(address + "tile?columns=1") as answer:
        length = json.load(answer)["to"]
    for name, part in [("the whole trace", 1), ("a hundredth of it", 0.01)]:
        passed, before = [], processor_time(process)
        for turn in range(TILES):
            start = time.monotonic()
            urllib.request.urlopen(f"{address}tile?axis=number&from={turn * length * (1 - part) / TILES}&to={turn * length * (1 - part) / TILES + length * part}&columns={COLUMNS}&rows=0-63").read()
            passed.append(time.monotonic() - start)
        processor = (processor_time(process) - before) / TILES
        yield f"tile of {name}, best of {TILES}", f"{min(passed) * 1000:.1f} ms", f"{processor * 1000:.1f} ms", "20 ms"


def processor_time(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--events", type=int, default=10_000_000)
    arguments.add_argument("--papaver", default=os.path.join(HERE, "../../target/release/papaver"))
    arguments.add_argument("--chromium", default="chromium")
    arguments.add_argument("--wheels", type=int, default=60)
    arguments.add_argument("--keep")
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measured(options, options.keep or folder))
    table = ["| page of a large trace | passed | processor | budget |", "|---|---|---|---|"]
    table += ["| " + " | ".join(row) + " |" for row in rows]
    print("\n".join(table))
    if options.write:
        chapter.write(__file__, table)


if __name__ == "__main__":
    main()
