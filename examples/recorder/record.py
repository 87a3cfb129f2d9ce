"""Records the calls of a Python program: python3 record.py PROGRAM TRACE"""
import json, sys, threading, time

program, trace = sys.argv[1:3]
out = open(trace, "w")
written = 0

def write(line):
    out.write(json.dumps(line, default=repr) + "\n")

def record(frame, kind, value):
    global written
    code = frame.f_code
    if kind in ("call", "return") and code.co_filename == program:
        names = code.co_varnames[:code.co_argcount]
        event = {"port": "call", "name": code.co_name, "args": [frame.f_locals.get(name) for name in names]}
        if kind == "return":
            event.update({"port": "exit", "result": value})
        write({**event, "time": time.perf_counter_ns(), "thread": threading.current_thread().name})
        written += 1

write({"papaver": 1, "port": "header", "source": "Python " + sys.version.split()[0], "recorder": "record.py",
       "distorts": ["a call that an exception left has an exit"]})
end = "ok"
threading.setprofile(record)
sys.setprofile(record)
try:
    exec(compile(open(program).read(), program, "exec"), {"__name__": "__main__"})
except BaseException as error:
    end = repr(error)
    raise
finally:
    sys.setprofile(None)
    write({"papaver": 1, "port": "trailer", "events": written, "lost": 0, "end": end})
    out.close()
