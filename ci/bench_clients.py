"""ci/bench clients: six routines of CLBlast, the kernels of clpeak and some of pyopencl's tests through the OpenCL platform
of `assay exec`, and through those of others.

Compiles ci/bench_clients.c with CLBlast's library (Debian: libclblast-dev) and runs it on the simulated device, with and
without compiled kernels, on PoCL, Intel's CPU runtime and Oclgrind, those that are installed, one thread each. The first
row is the processor time from the first call to a command queue. All are milliseconds of processor time, which is
meaningful on a busy machine; that of threads of a driver counts. Oclgrind is measured once.

Then clpeak measures them, without Oclgrind, which would take hours. Its clock is that of the process's processor time,
because a small library answers it; all devices are CPUs to it, for which its kernels are smaller.  pyopencl's tests, which ci/clients fetches, are measured whole, with the interpreter and
all compilers, from empty caches; Oclgrind is left out here, too.
"""
import ctypes
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_kernels import OCLGRIND, POCL, ROOT, icd, intel_library

LIMIT_S = 1800  # of one engine
CLPEAK = ["clpeak", "--global-bandwidth", "--compute-sp", "--compute-dp", "--compute-integer", "--transfer-bandwidth"]
PYOPENCL_TESTS = ["test_enqueue_copy", "test_clrandom", "test_arrays_in_structs"]
PR_SET_CHILD_SUBREAPER = 36
CLOCK = """#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    return (int)syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, out);
}
"""


def engines(assay):
    """Yields (name, words before the program, environment, repeats) for each installed engine."""
    exec_words = [assay, "exec", "--quiet", "--type", "cpu"]
    yield "sim", [*exec_words, "--"], {}, 5
    yield "sim-compiled", [*exec_words, "--tier", "compiled", "--"], {}, 5
    intel = intel_library()
    for name, library, more, repeats in (("pocl", POCL, {"POCL_MAX_PTHREAD_COUNT": "1"}, 5), ("intel-cpu", intel, {}, 5),
                                         ("oclgrind", OCLGRIND, {"OCLGRIND_NUM_THREADS": "1", "OCLGRIND_LOG": "/dev/null"}, 1)):
        if Path(library).exists():
            yield name, [], icd(library) | more, repeats
        else:
            print(f"{name} is not installed", file=sys.stderr)


def output_of(name, command, environment):
    """What a program prints, or None after a message."""
    try:
        done = subprocess.run(command, env=os.environ | environment, timeout=LIMIT_S, capture_output=True, text=True, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name} takes more than {LIMIT_S} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"{name}: exit status {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
        return None
    return done.stdout


def compiled(source, output, *options):
    command = ["cc", "-O2", "-Wno-deprecated-declarations", *options, "-x", "c", source, "-o", output, "-x", "none",
               "-lclblast", "-l:libOpenCL.so.1"]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("ci/bench clients: CLBlast cannot be used; run ci/setup --with clients")
    return output


def clblast(assay, folder):
    """{engine: {routine: milliseconds}}"""
    program = compiled(ROOT / "ci/bench_clients.c", f"{folder}/bench_clients")
    columns = {}
    for name, words, environment, repeats in engines(assay):
        printed = output_of(name, [*words, program, str(repeats)], environment)
        if printed:
            columns[name] = {row: float(value) for row, value in map(str.split, printed.splitlines())}
    return columns


def clpeak(assay, folder):
    """{engine: {"test, width": rate}}"""
    Path(folder, "clock.c").write_text(CLOCK, encoding="utf-8")
    clock = compiled(f"{folder}/clock.c", f"{folder}/clock.so", "-shared", "-fPIC")
    columns = {}
    for name, words, environment, _ in engines(assay):
        printed = name != "oclgrind" and output_of(name, [*words, "env", f"LD_PRELOAD={clock}", *CLPEAK], environment)
        if not printed:
            continue
        columns[name], test = {}, ""
        for line in printed.splitlines():
            heading, rate = re.match(r"\s+(\S.*\((?:GBPS|GFLOPS|GIOPS)\))$", line), re.match(r"\s+(\S.*?)\s+: ([\d.]+)$", line)
            test = heading[1] if heading else test
            if rate and test:
                columns[name][f"{test}, {rate[1]}"] = float(rate[2])
    return columns


def children_ms():
    """Processor time of the processes that this one has waited for, in milliseconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def pyopencl(assay, folder):
    """{engine: {test: milliseconds}}"""
    python = Path(intel_library()).parent.parent / "clients/bin/python"
    tests = next(iter(sorted((ROOT / "build/clients").glob("pyopencl-*/test"))), None)
    if not python.exists() or not tests:
        print("pyopencl or its tests are missing; run ci/setup --with clients, and ci/clients pyopencl", file=sys.stderr)
        return {}
    # A compile worker of assay is not a child of the program that it works for.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    columns = {}
    for name, words, environment, _ in engines(assay):
        for test in PYOPENCL_TESTS if name != "oclgrind" else []:
            cache = f"{folder}/{name}-{test}"
            caches = {"PYOPENCL_NO_CACHE": "1", "ASSAY_CACHE_DIR": cache, "POCL_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
            Path(cache).mkdir()
            begin = children_ms()
            command = [*words, str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests / f"{test}.py")]
            printed = output_of(name, command, environment | caches)
            try:
                while True:
                    os.wait()
            except ChildProcessError:
                pass
            if printed:
                columns.setdefault(name, {})[test] = children_ms() - begin
    return columns


def table(columns, title, is_rate):
    """Prints the columns, and how many times as long sim takes as each other engine, also in the geometric mean."""
    sims = [name for name in columns if name.startswith("sim")]
    pairs = [(sim, name) for name in columns if name not in sims for sim in sims]
    print(f"| {title} | " + " | ".join([*columns, *(f"{sim} / {name}" for sim, name in pairs)]) + " |")
    print("|---" * (1 + len(columns) + len(pairs)) + "|")
    ratios = {pair: [] for pair in pairs}
    for row in columns["sim"]:
        values = {name: column.get(row) for name, column in columns.items()}
        cells = [f"{value:.3g}" if value else "" for value in values.values()]
        for sim, name in pairs:
            has_both = values[sim] and values[name]
            ratio = has_both and (values[name] / values[sim] if is_rate else values[sim] / values[name])
            if has_both and row != "open":
                ratios[sim, name].append(ratio)
            cells.append(f"{ratio:.3g}" if has_both else "")
        print(f"| {row} | " + " | ".join(cells) + " |")
    for (sim, name), values in ratios.items():
        print(f"{sim} / {name}, geometric mean: {math.exp(sum(map(math.log, values)) / len(values)):.3g}")


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        results = {"clblast": clblast(arguments.assay, folder), "clpeak": clpeak(arguments.assay, folder),
                   "pyopencl": pyopencl(arguments.assay, folder)}
    if "sim" not in results["clblast"] or "sim" not in results["clpeak"]:
        sys.exit(1)
    table(results["clblast"], "routine, ms", False)
    table(results["clpeak"], "test", True)
    if "sim" in results["pyopencl"]:
        table(results["pyopencl"], "pyopencl's tests, ms", False)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def add(commands):
    clients = commands.add_parser("clients", help="CLBlast, clpeak and pyopencl through assay exec and other platforms")
    clients.add_argument("--json", metavar="FILE", help="write the times to FILE")
    clients.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    clients.set_defaults(run=run)
