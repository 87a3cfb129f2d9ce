#!/usr/bin/env python3
# Asks papaver a goal about each of many traces on the workers of Spark; the answers are a data frame.
#
# $ python3 examples/spark/ask.py 'event([port=exception, name=N, depth=D])' 'examples/{spans,tracing,erlang}/*.jsonl' --by N,D
#
# Traces are files, folders and patterns in any file system that Spark reads. Options that --help does not list go to
# `papaver query`, such as -q.
import argparse, json, os, subprocess, sys, tempfile
from pyspark import SparkFiles, StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def ask(files, goal, papaver, rules, options):
    """On a worker, for each file: each answer as a line of JSON; then the status of papaver and its messages."""
    command = [SparkFiles.get(os.path.basename(papaver)) if os.sep in papaver else papaver, "query", "--to", "json"]
    command += [word for rule in rules for word in ["-l", SparkFiles.get(os.path.basename(rule))]] + list(options)
    for file in files:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as messages:
            path = file.path.removeprefix("file:")
            if "content" in file:
                path = os.path.join(folder, os.path.basename(path))
                with open(path, "wb") as copy:
                    copy.write(file.content)
            try:
                run = subprocess.Popen([*command, "--", goal, path], stdout=subprocess.PIPE, stderr=messages)
            except OSError as error:
                yield file.path, 2, f"cannot run papaver: {error}\n"
                continue
            with run:
                for line in run.stdout:
                    yield None, '{"trace": ' + json.dumps(file.path) + ", " + line[1:].decode()
            messages.seek(0)
            yield file.path, run.returncode, messages.read().decode(errors="replace").replace(path, file.path)


def answers(spark, goal, traces, papaver="papaver", rules=(), options=()):
    """The answers, with the columns `trace`, one for each variable, and `event` if the goal moves to one; and the traces,
    with the columns `trace`, `status` (0 with answers, 1 without, 2 after an error) and `messages`."""
    spark.conf.set("spark.sql.caseSensitive", True)
    for file in ([papaver] if os.sep in papaver else []) + list(rules):
        spark.sparkContext.addFile(file)
    files = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(traces)
    # the workers share a local file system, if Spark reads it, so that they can open its files themselves
    is_local = all(path.startswith("file:") for path in files.inputFiles())
    files = files.select("path") if is_local else files.select("path", "content")
    told = files.rdd.mapPartitions(lambda rows: ask(rows, goal, papaver, rules, options))
    told.persist(StorageLevel.MEMORY_AND_DISK)
    found = spark.read.json(told.filter(lambda row: row[0] is None).map(lambda row: row[1]))
    columns = {"trace": "trace", "bindings": "bindings.*", "goals": "goals", "event": "event"}
    found = found.select([column for key, column in columns.items() if key in found.columns])
    ends = told.filter(lambda row: row[0] is not None)
    return found, spark.createDataFrame(ends, "trace STRING, status INT, messages STRING")


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("goal")
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--papaver", default="papaver", help="the command on the workers, or the path of a program to send")
    parser.add_argument("-l", "--load", default=[], action="append", help="rules to send to the workers and consult there")
    parser.add_argument("--by", type=lambda names: names.split(","), help="count the answers by these columns")
    parser.add_argument("-o", "--output", help="the folder in which to write the answers as Parquet")
    args, options = parser.parse_known_args()
    spark = SparkSession.builder.appName("papaver").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    found, ends = answers(spark, args.goal, args.traces, args.papaver, args.load, options)
    for end in ends.where("messages <> ''").orderBy("trace").toLocalIterator():
        sys.stderr.write(f"{end.trace}:\n{end.messages}")
    if found.columns:
        shown = found.groupBy(args.by).count().orderBy(args.by) if args.by else found
        shown.show(truncate=False)
        if args.output:
            found.write.parquet(args.output)
    ends.groupBy("status").count().orderBy("status").show()
    has_errors = not ends.where("status NOT IN (0, 1)").isEmpty()
    spark.stop()
    return 2 if has_errors else 0 if found.columns else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PySparkException as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
