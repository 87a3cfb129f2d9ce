"""The tables of the chapter `performance` of the manual, each between `<!-- SCRIPT -->` and `<!-- end -->`."""
import os, re

HERE = os.path.dirname(os.path.abspath(__file__))
CHAPTER = os.path.join(HERE, "../../src/manual/performance.md")


def write(script, lines):
    """Replaces the table that belongs to the script `tests/bench/NAME.py`."""
    with open(CHAPTER) as file:
        text = file.read()
    begin = f"<!-- tests/bench/{os.path.basename(script)} -->\n"
    pattern = re.compile(re.escape(begin) + ".*?(?=<!-- end -->)", re.S)
    if not pattern.search(text):
        raise SystemExit(f"{CHAPTER} has no line {begin.strip()}")
    with open(CHAPTER, "w") as file:
        file.write(pattern.sub(lambda _: begin + "".join(line + "\n" for line in lines), text, count=1))
