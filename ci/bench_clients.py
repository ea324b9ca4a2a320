"""ci/bench clients: six routines of CLBlast through the OpenCL platform of `assay exec`, and through those of others.

Compiles ci/bench_clients.c with CLBlast's library (Debian: libclblast-dev) and runs it on the simulated device, PoCL,
Intel's CPU runtime and Oclgrind, those that are installed, one thread each. The first row is the processor time from the
first call to a command queue. All are milliseconds of processor time, which is meaningful on a busy machine; that of
threads of a driver counts. Oclgrind is measured once.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_kernels import OCLGRIND, POCL, ROOT, icd, intel_library

LIMIT_S = 1800  # of one engine


def engines(assay):
    """Yields (name, words before the program, environment, repeats) for each installed engine."""
    yield "sim", [assay, "exec", "--quiet", "--"], {}, 5
    intel = intel_library()
    for name, library, more, repeats in (("pocl", POCL, {"POCL_MAX_PTHREAD_COUNT": "1"}, 5), ("intel-cpu", intel, {}, 5),
                                         ("oclgrind", OCLGRIND, {"OCLGRIND_NUM_THREADS": "1", "OCLGRIND_LOG": "/dev/null"}, 1)):
        if Path(library).exists():
            yield name, [], icd(library) | more, repeats
        else:
            print(f"{name} is not installed", file=sys.stderr)


def run(arguments):
    columns = {}
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/bench_clients"
        if subprocess.run(["cc", "-O2", "-Wno-deprecated-declarations", ROOT / "ci/bench_clients.c", "-o", program,
                           "-lclblast", "-l:libOpenCL.so.1"], check=False).returncode != 0:
            sys.exit("ci/bench clients: CLBlast cannot be used; run ci/setup --with clients")
        for name, words, environment, repeats in engines(arguments.assay):
            try:
                done = subprocess.run([*words, program, str(repeats)], env=os.environ | environment, timeout=LIMIT_S,
                                      capture_output=True, text=True, check=False)
            except subprocess.TimeoutExpired:
                print(f"{name} takes more than {LIMIT_S} s", file=sys.stderr)
                continue
            if done.returncode != 0:
                print(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
                continue
            columns[name] = {row: float(value) for row, value in map(str.split, done.stdout.splitlines())}
    if "sim" not in columns:
        sys.exit(1)
    others = [name for name in columns if name != "sim"]
    print("| routine | " + " | ".join([*columns, *(f"sim / {name}" for name in others)]) + " |")
    print("|---" * (1 + len(columns) + len(others)) + "|")
    for row, time in columns["sim"].items():
        ratios = [f"{time / columns[name][row]:.3g}" for name in others]
        print(f"| {row} | " + " | ".join([*(f"{columns[name][row]:.3g}" for name in columns), *ratios]) + " |")
    for name in others:
        logs = [math.log(time / columns[name][row]) for row, time in columns["sim"].items() if row != "open"]
        print(f"sim / {name}, geometric mean of the routines: {math.exp(sum(logs) / len(logs)):.3g}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(columns, indent=1) + "\n", encoding="utf-8")


def add(commands):
    clients = commands.add_parser("clients", help="CLBlast through assay exec and other platforms")
    clients.add_argument("--json", metavar="FILE", help="write the times to FILE")
    clients.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    clients.set_defaults(run=run)
