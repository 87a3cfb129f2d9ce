"""Many calls, and the peak of memory in kilobytes."""
import sys


def called(n):
    return n


for n in range(int(sys.argv[1])):
    called(n)


def peak():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1])


print(peak())
