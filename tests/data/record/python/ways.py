#!/usr/bin/env python3
"""What a program sees of itself, however it was started."""
import inspect
import os
import sys
import threading


def stack():
    return [frame.function for frame in inspect.stack()]


def error():
    try:
        raise ValueError("seen")
    except ValueError:
        import traceback

        return traceback.format_exc()


if __name__ == "__main__":
    print(__name__, sys.argv, sys.path[0], sys.flags.dev_mode, sys.warnoptions, __doc__)
    print(stack(), __builtins__.__name__, globals().get("__spec__") and __spec__.name, globals().get("__cached__"))
    print(error())
    print(sorted(name for name in os.environ if name.startswith(("PAPAVER", "PYTHON"))), sys.path[1:])
    print("sitecustomize" in sys.modules, threading.active_count(), sys.getprofile())
    print(sys.stdin.read(3) if "-i" in sys.argv else "")
