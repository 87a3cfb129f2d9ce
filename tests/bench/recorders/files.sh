# Opens and reads a file in a new process, 300 times.
i=0
while [ $i -lt 300 ]; do
    cat /dev/null
    i=$((i+1))
done
