"""ci/bench reduce: how small `assay reduce` makes generated failures, and how long it takes.

  ci/bench reduce [--json FILE] [--count N] [--assay PROGRAM]

Generates programs of 200 lines or more, and makes a mistake in each, in turns: a wrong expected value, a launch with too
many work-items, a step that is missing.  Those that fail on sim then are reduced.  A row has the lines before and after,
the runs, and the seconds.  A result that has more than 25 lines or is not formatted is exit status 1.
"""
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_programs import program as program_of

ROOT = Path(__file__).resolve().parent.parent
LINES_LEAST, LINES_MOST = 200, 25
FAILED = 1  # exit status of assay run


def wrong_value(text, draw):
    values = list(re.finditer(r"(?<=equals: \[)\d+", text))
    if not values:
        return text
    value = draw.choice(values)
    return text[:value.start()] + str(int(value.group()) + 1) + text[value.end():]


def wrong_range(text, draw):
    launches = list(re.finditer(r"(?<=range: \[)4(?=\])", text))
    if not launches:
        return text
    launch = draw.choice(launches)
    return text[:launch.start()] + "400" + text[launch.end():]


def missing_step(text, draw):
    steps = list(re.finditer(r"^  - (load|unload|copy|fill).*\n", text, re.MULTILINE))
    if not steps:
        return text
    step = draw.choice(steps)
    return text[:step.start()] + text[step.end():]


MISTAKES = {"value": wrong_value, "range": wrong_range, "step": missing_step}


def failures(assay, folder, count):
    """Makes files with scenarios that fail on sim; yields the kind of mistake and the file."""
    made = seed = 0
    while made < count:
        seed += 1
        text = subprocess.run([assay, "generate", "program", str(seed), "--variation", "fresh"], capture_output=True, text=True,
                              check=True).stdout
        if len(text.splitlines()) < LINES_LEAST:
            continue
        kind = list(MISTAKES)[made % len(MISTAKES)]
        file = Path(folder, f"{seed}.yaml")
        file.write_text(MISTAKES[kind](text, random.Random(seed)))
        if subprocess.run([assay, "run", str(file), "--on", "sim"], capture_output=True).returncode != FAILED:
            continue
        made += 1
        yield kind, file


def reduced(assay, file):
    """Lines before and after, runs and seconds."""
    short = file.with_suffix(".short.yaml")
    begin = time.monotonic()
    done = subprocess.run([assay, "reduce", str(file), "sim", "-o", str(short)], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"ci/bench: assay reduce ended with status {done.returncode}\n{done.stderr[-2000:]}")
    runs = re.findall(r"after (\d+) runs", done.stderr)
    return {"lines": len(file.read_text().splitlines()), "reduced": len(short.read_text().splitlines()), "runs": int(runs[-1]),
            "seconds": round(seconds, 2)}


def bench_reduce(arguments):
    assay = program_of(arguments.assay)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, file in failures(assay, folder, arguments.count):
            row = {"seed": int(file.stem), "mistake": kind, **reduced(assay, file)}
            short = file.with_suffix(".short.yaml")
            if subprocess.run([assay, "fmt", "--check", str(short)], capture_output=True).returncode != 0:
                sys.exit(f"ci/bench: seed {file.stem}, {kind}: the result is not formatted")
            rows.append(row)
            print(f"seed {row['seed']}, {kind}: {row['lines']} lines to {row['reduced']} in {row['seconds']:.1f} s, "
                  f"{row['runs']} runs", flush=True)
    print(f"{len(rows)} failures: at most {max(row['reduced'] for row in rows)} lines, {max(row['seconds'] for row in rows):.1f} s")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")
    long = [str(row["seed"]) for row in rows if row["reduced"] > LINES_MOST]
    if long:
        sys.exit(f"ci/bench: more than {LINES_MOST} lines are left of seed {', '.join(long)}")


def add(commands):
    parser = commands.add_parser("reduce", help="how small generated failures become, and how soon")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    parser.add_argument("--count", type=int, default=20, help="failures; default: 20")
    parser.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    parser.set_defaults(run=bench_reduce)
