"""Counts calls and resumptions of a program's functions, by cProfile: python3 oracle.py PROGRAM"""
import cProfile
import sys

path = sys.argv[1]
space = {"__name__": "__main__", "__file__": path}
profile = cProfile.Profile()
with open(path) as text:
    code = compile(text.read(), path, "exec")
try:
    profile.runctx(code, space, space)
finally:
    counts = {}
    for entry in profile.getstats():
        if getattr(entry.code, "co_filename", None) == path:
            place = f"{entry.code.co_name}:{entry.code.co_firstlineno}"
            counts[entry.code.co_name] = counts.get(entry.code.co_name, 0) + entry.callcount
    for name in sorted(counts):
        print(name, counts[name], file=sys.stderr)
