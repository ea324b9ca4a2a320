"""Measures what devices that stay open save: ci/bench reuse.

  ci/bench reuse [--json FILE] [--on SUBJECT,...] [--reuse N] [--jobs N]
                 [--assay PROGRAM] [SCENARIOS...]

Runs the scenarios (default: all; a pack will do) on each subject alone, once to fill the artefact cache, then with a
process for each, and then with --reuse N (default: 50).  A row has the seconds of both, as wall and as processor time of the
program and all its children, and their ratios; processor time is the one that means something on a busy machine.
Scenarios that are skipped or refused before a process starts cost the same in both.  Verdicts that differ between the two
runs are exit status 1.
"""
import json
import os
import sys
import tempfile
from pathlib import Path

from bench_programs import run_timed

ROOT = Path(__file__).resolve().parent.parent
ON = "pocl,intel-cpu,intel-gpu"


def run_once(arguments, subject, options):
    """Wall and processor seconds, and the records by scenario."""
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder, "records.jsonl")
        _, wall, cpu = run_timed([arguments.assay, "run", *arguments.scenarios, "--on", subject, "-j",
                                  str(arguments.jobs), "--json", str(records), "--quiet", *options], (0, 1))
        lines = [json.loads(line) for line in records.read_text().splitlines()]
    return wall, cpu, {line["scenario"]: line for line in lines}


def measure(arguments, subject):
    run_once(arguments, subject, [])
    fresh_wall, fresh_cpu, fresh = run_once(arguments, subject, [])
    wall, cpu, shared = run_once(arguments, subject, ["--reuse", str(arguments.reuse)])
    ran = sum(record["verdict"] != "SKIP" for record in fresh.values())
    different = [path for path, record in fresh.items()
                 if (record["verdict"], record["signature"]) != (shared[path]["verdict"], shared[path]["signature"])]
    return {"subject": subject, "scenarios": len(fresh), "ran": ran,
            "shared": sum("predecessors" in record for record in shared.values()),
            "fresh_wall": fresh_wall, "fresh_cpu": fresh_cpu, "wall": wall, "cpu": cpu,
            "ratio_wall": fresh_wall / wall, "ratio_cpu": fresh_cpu / cpu, "different": different}


def bench_reuse(arguments):
    rows = []
    print(f"{'subject':18}{'scenarios':>10}{'ran':>6}{'shared':>8}{'fresh s':>10}{'cpu s':>9}{'reuse s':>10}{'cpu s':>9}"
          f"{'ratio':>8}{'of cpu':>8}")
    for subject in arguments.on.split(","):
        row = measure(arguments, subject)
        print(f"{row['subject']:18}{row['scenarios']:10}{row['ran']:6}{row['shared']:8}{row['fresh_wall']:10.1f}"
              f"{row['fresh_cpu']:9.1f}{row['wall']:10.1f}{row['cpu']:9.1f}{row['ratio_wall']:8.2f}{row['ratio_cpu']:8.2f}",
              flush=True)
        rows.append(row)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=2) + "\n")
    different = [f"{path} on {row['subject']}" for row in rows for path in row["different"]]
    if different:
        sys.exit(f"ci/bench: other verdicts on devices that stay open: {', '.join(different)}")


def add(commands):
    parser = commands.add_parser("reuse", help="what devices that stay open save")
    parser.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    parser.add_argument("--on", default=ON, help=f"default: {ON}")
    parser.add_argument("--reuse", type=int, default=50, help="scenarios of a process; default: 50")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="default: one per processor")
    parser.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    parser.add_argument("scenarios", nargs="*", default=[str(ROOT / "scenarios")])
    parser.set_defaults(run=bench_reuse)
