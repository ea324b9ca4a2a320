"""ci/bench kernels: the simulated device against its peers, kernel by kernel, in one run.

Every engine runs conformance/tools/bench/kernels on one processor: sim from the SPIR-V that assay compiles them
to, with its checks and without them (sim-); the OpenCL platforms from source.  A row's time is the median time
of a launch after warm-up, from the call to completion, excluding the build; Oclgrind, which takes seconds per
launch, launches once.  The engines' results are compared, so that a fast wrong answer does not count.
"""
import json
import math
import os
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "conformance/tools/bench/kernels"
OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
POCL = "/etc/OpenCL/vendors/pocl.icd"
# An engine that takes longer for one kernel, including the warm-up, is stopped.
LIMIT_S = 900


def icd(library):
    return {"OCL_ICD_VENDORS": library, "OCL_ICD_FILENAMES": library}


def intel_library():
    folder = subprocess.run([ROOT / "ci/setup", "--folder"], capture_output=True, text=True).stdout.strip()
    return f"{folder}/lib/libintelocl.so"


def engines(names):
    """Yields (engine, checks, backend, environment, warm-ups, repetitions) for each installed engine."""
    oclgrind = icd(OCLGRIND) | {"OCLGRIND_NUM_THREADS": "1", "OCLGRIND_LOG": "/dev/null"}
    checked = oclgrind | {"OCLGRIND_DATA_RACES": "1", "OCLGRIND_UNINITIALIZED": "1"}
    intel = intel_library()
    table = [("sim", True, "sim", {}, 3, 15, True),
             ("sim", False, "sim-unchecked", {}, 3, 15, True),
             ("pocl", False, "opencl", icd(POCL) | {"POCL_MAX_PTHREAD_COUNT": "1"}, 3, 15, Path(POCL).exists()),
             ("intel-cpu", False, "opencl", icd(intel), 3, 15, Path(intel).exists()),
             ("oclgrind", False, "opencl", oclgrind, 0, 1, Path(OCLGRIND).exists()),
             ("oclgrind", True, "opencl", checked, 0, 1, Path(OCLGRIND).exists())]
    for name, checks, *rest, installed in table:
        if name not in names:
            continue
        if installed:
            yield (name, checks, *rest)
        else:
            print(f"ci/bench: {name} is not installed", file=sys.stderr)


def cases(program, wide):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, is_wide, tolerance = line.split()
        if wide or is_wide == "0":
            yield name, float(tolerance)


def compile_spirv(assay, name, folder):
    """Compiles a kernel with assay and returns the SPIR-V file."""
    done = subprocess.run([assay, "postlink", KERNELS / f"{name}.cl", "-o", folder / name], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ci/bench: {name}.cl does not compile\n{done.stderr}")
    return folder / name / f"{name}_0.spv"


def time_launches(program, backend, name, code, environment, warm_up, repeat, out):
    """Returns the milliseconds of each launch; if the engine failed, prints an error message and returns None."""
    processor = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "-c", processor, program, backend, name, code, str(warm_up), str(repeat), out]
    try:
        done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"ci/bench: {name}: no answer in {LIMIT_S} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"ci/bench: {name} on {backend}: {done.stderr[-500:]}", file=sys.stderr)
        return None
    return [float(line) for line in done.stdout.split()]


def same(one, other, tolerance):
    if tolerance == 0:
        return one == other
    if len(one) != len(other):
        return False
    pairs = zip(struct.unpack(f"<{len(one) // 4}f", one), struct.unpack(f"<{len(other) // 4}f", other))
    return all(abs(a - b) <= tolerance * (1 + max(abs(a), abs(b))) for a, b in pairs)


def compare(results, name, tolerance):
    """Names the engines that differ from sim."""
    reference = results.get(("sim", True))
    if reference is None:
        return []
    return [f"{name}: {engine}{' with checks' if checks else ''} differs from sim"
            for (engine, checks), bytes_ in results.items() if not same(reference, bytes_, tolerance)]


def column(engine, checks):
    """The title of a column: "sim-" is sim without its checks, and "+" marks a peer with checks."""
    if engine == "sim":
        return engine if checks else f"{engine}-"
    return f"{engine}+" if checks else engine


def plot(rows):
    """Prints a line for each kernel and engine: a bar on a logarithmic scale."""
    low, high = min(r["ms"] for r in rows), max(r["ms"] for r in rows)
    width = 60 / max(math.log10(high / low), 1e-9)
    print(f"\nmilliseconds on a logarithmic scale, from {low:.3g} to {high:.4g}")
    for row in rows:
        bar = "█" * (1 + round(width * math.log10(row["ms"] / low)))
        print(f"{row['kernel']:16}{column(row['engine'], row['checks']):11}{bar} {row['ms']:.3g}")


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else None


def print_ratios(rows, columns):
    print("\ntime of each peer divided by sim's: above 1, sim is faster")
    times = {(r["kernel"], column(r["engine"], r["checks"])): r["ms"] for r in rows}
    others = [c for c in columns if c != "sim"]
    ratios = {c: [] for c in others}
    print(f"{'':16}{'sim ms':>10}" + "".join(f"{c:>12}" for c in others))
    for kernel in dict.fromkeys(r["kernel"] for r in rows):
        base = times.get((kernel, "sim"))
        cells = ""
        for c in others:
            time = times.get((kernel, c))
            if base and time:
                ratios[c].append(time / base)
            cells += f"{time / base:12.3g}" if base and time else f"{'-':>12}"
        print(f"{kernel:16}" + (f"{base:10.3f}" if base else f"{'-':>10}") + cells)
    means = {c: geometric_mean(v) for c, v in ratios.items()}
    print(f"{'geometric mean':26}" + "".join(f"{means[c]:12.3g}" if means[c] else f"{'-':>12}" for c in others))


def bench(arguments):
    if "oclgrind" in arguments.engines and not Path(OCLGRIND).exists():
        subprocess.run([ROOT / "ci/setup", "--with", "bench"], check=True)
    program, assay = Path(arguments.program).resolve(), Path(arguments.assay).resolve()
    todo = list(cases(program, arguments.set == "wide"))
    chosen = list(engines(arguments.engines))
    rows, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as temporary:
        folder = Path(temporary)
        for name, tolerance in todo:
            spirv, results = compile_spirv(assay, name, folder), {}
            for engine, checks, backend, environment, warm_up, repeat in chosen:
                code = spirv if engine == "sim" else KERNELS / f"{name}.cl"
                times = time_launches(program, backend, name, code, environment, warm_up, repeat, folder / "out")
                if not times:
                    wrong.append(f"{name}: {engine} failed")
                    continue
                results[engine, checks] = (folder / "out").read_bytes()
                rows.append({"kernel": name, "engine": engine, "checks": checks, "ms": statistics.median(times)})
                print(f"{name:16}{column(engine, checks):11}{rows[-1]['ms']:12.3f} ms", flush=True)
            wrong += compare(results, name, tolerance)
    columns = list(dict.fromkeys(column(r["engine"], r["checks"]) for r in rows))
    if rows:
        plot(rows)
        print_ratios(rows, columns)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    if wrong:
        sys.exit("ci/bench: " + "\n          ".join(wrong))


def add(commands):
    """Adds the command to ci/bench."""
    kernels = commands.add_parser("kernels", help="the simulated device against Oclgrind, PoCL and Intel's CPU runtime")
    kernels.add_argument("--json", metavar="FILE", help="write the rows {kernel, engine, checks, ms} to FILE")
    kernels.add_argument("--set", choices=["six", "wide"], default="six", help="six kernels, or twenty more; default: six")
    kernels.add_argument("--engines", type=lambda text: text.split(","), default=["sim", "pocl", "intel-cpu", "oclgrind"],
                         help="default: sim,pocl,intel-cpu,oclgrind; Oclgrind takes minutes")
    kernels.add_argument("--program", default=str(ROOT / "build/release/bench_kernels"),
                         help="default: build/release/bench_kernels")
    kernels.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    kernels.set_defaults(run=bench)
