"""How long the fusion compiler takes for 1, 10 and 100 small kernels, in processor seconds: of one range,
and of ranges that differ, so that every second one is remapped or guarded.  Nothing is taken from a cache;
the time of starting a process is not in it.  Needs a build with tests.
"""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

COUNTS = (1, 10, 100)
COLUMNS = ("one_range_s", "one_range_bytes", "different_ranges_s", "different_ranges_bytes")


def bench(arguments):
    program = str(Path(arguments.program).resolve())
    rows = []
    print("kernels" + "".join(f"{name:>24}" for name in COLUMNS))
    for count in COUNTS:
        done = subprocess.run([program, str(count)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"ci/bench: {program} {count} ended with status {done.returncode}\n{done.stderr[-2000:]}")
        row = json.loads(done.stdout)
        print(f"{row['kernels']:7}" + "".join(f"{row[name]:24}" for name in COLUMNS), flush=True)
        rows.append(row)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")


def add(commands):
    """Adds the command to ci/bench."""
    fusion = commands.add_parser("fusion", help="how long the fusion compiler takes")
    fusion.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    fusion.add_argument("--program", default=str(ROOT / "build/release/bench_fusion"),
                        help="default: build/release/bench_fusion")
    fusion.set_defaults(run=bench)
