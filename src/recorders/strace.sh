#!/bin/sh
# Records the system calls of a command: strace.sh COMMAND [ARGUMENT]... writes trace.strace, or the file PAPAVER_OUT.
out=${PAPAVER_OUT:-trace.strace}
unset PAPAVER_OUT PAPAVER_OPTIONS
exec strace -DD -I 2 -f -ttt -T -y -s 400 -o "$out" -- "$@"
