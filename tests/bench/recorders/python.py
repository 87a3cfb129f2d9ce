"""The cost of recording Python programs: python3 tests/bench/recorders/python.py RECORDER PYTHON...

RECORDER is what `papaver recorder python` prints. Each PYTHON runs each program of the folder `python` three times bare,
recorded without arguments, and recorded; and under viztracer with arguments and results if that is installed for it. The
least processor time of all processes counts. A table in Markdown says how much a program takes, and how much an event.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = sorted((Path(__file__).parent / "python").glob("*.py"))
VIZTRACER = ["-m", "viztracer", "--quiet", "--tracer_entries", "4000000", "--log_func_args", "--log_func_retval", "-o"]


def processor_time(command, **variables):
    """The least processor time of three runs, in seconds."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **variables})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def has_viztracer(python):
    return subprocess.run([python, "-c", "import viztracer"], stderr=subprocess.DEVNULL).returncode == 0


def row(python, program, folder):
    """A row of the table."""
    trace = folder / "trace.jsonl"
    recorded = {"PYTHONPATH": str(folder), "PAPAVER_OUT": str(trace)}
    bare = processor_time([python, program])
    names = processor_time([python, program], **recorded, PAPAVER_OPTIONS="no_args=1")
    whole = processor_time([python, program], **recorded)
    with open(trace) as lines:
        n_events = sum(1 for line in lines) - 2
    size = trace.stat().st_size // max(n_events, 1)
    viztracer = [python, *VIZTRACER, folder / "trace.json", "--include_files", program.parent, "--", program]
    peer = processor_time(viztracer) if has_viztracer(python) else None
    cells = [f"{program.stem}", f"{n_events}", f"{bare:.2f}", f"{names:.2f}", f"{whole:.2f}"]
    cells.append("-" if peer is None else f"{peer:.2f}")
    cells += [per_event(time, bare, n_events) for time in (names, whole, peer)]
    return "| " + " | ".join([*cells, f"{size}"]) + " |"


def per_event(time, bare, n_events):
    """Microseconds, where there are enough events to say."""
    return "-" if time is None or n_events < 1000 else f"{(time - bare) / n_events * 1e6:.1f}"


def main(recorder, pythons):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(recorder, folder / "sitecustomize.py")
        for python in pythons:
            print(subprocess.run([python, "-V"], stdout=subprocess.PIPE, text=True).stdout)
            print("| program | events | bare, s | no args, s | recorded, s | viztracer, s | no args, µs | recorded, µs | viztracer, µs | bytes |")
            print("|---|---|---|---|---|---|---|---|---|---|")
            for program in PROGRAMS:
                print(row(python, program, folder), flush=True)
            print()


main(sys.argv[1], sys.argv[2:])
