"""Measures how fast generated programs are drawn, linked, run and judged: ci/bench fuzz.

  ci/bench fuzz [--json FILE] [--seeds N] [--seed S] [--assay PROGRAM]

Runs `assay fuzz` on sim in one process per batch with N seeds (default: 2560) twice: once to fill the artefact cache, and
once with the same seeds.  A row has the seeds per second of processor time of the second run, user and system, of the
program and all its children.  Every seed is two runs, of the program as drawn and of a variation.
"""
import json
import tempfile
from pathlib import Path

from bench_programs import program as program_of, run_timed

ROOT = Path(__file__).resolve().parent.parent


def seconds_of(arguments):
    """Processor seconds of one run."""
    with tempfile.TemporaryDirectory() as folder:
        return run_timed([program_of(arguments.assay), "fuzz", "--seeds", str(arguments.seeds), "--seed",
                          str(arguments.seed), "--jobs", "1", "--out", str(Path(folder, "out"))])[2]


def bench_fuzz(arguments):
    seconds_of(arguments)
    seconds = seconds_of(arguments)
    row = {"seeds": arguments.seeds, "seed": arguments.seed, "cpu": seconds, "seeds_per_second": arguments.seeds / seconds}
    print(f"{row['seeds']} seeds in {seconds:.1f} s of processor time: {row['seeds_per_second']:.0f} a second")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([row], indent=2) + "\n")


def add(commands):
    parser = commands.add_parser("fuzz", help="generated programs per second")
    parser.add_argument("--json", metavar="FILE", help="write the row to FILE")
    parser.add_argument("--seeds", type=int, default=2560, help="default: 2560")
    parser.add_argument("--seed", type=int, default=1, help="as for assay fuzz; default: 1")
    parser.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    parser.set_defaults(run=bench_fuzz)
