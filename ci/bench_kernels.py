"""ci/bench kernels: the simulated device against its peers, kernel by kernel, in one run.

Every engine runs conformance/tools/bench/kernels on one processor: sim from the SPIR-V that assay compiles them
to, with its checks and without them (sim-), and as sim-compiled with its checks and its kernels compiled; the
OpenCL platforms from source.  A row's time is the median time of a launch after warm-up, from the call to
completion, excluding the build; Oclgrind, which takes seconds per launch, launches once.  The engines' results are
compared, so that a fast wrong answer does not count.

--set wild runs the kernels of conformance/tools/bench/kernels/wild, none of which was chosen for being fast.
Their results are compared with those of a sequential reference, the same kernels compiled as C.  It prints the
geometric mean, the 90th percentile and the five worst of sim's time against each peer, and how sim's time
divides: front end (source to SPIR-V), decoding (SPIR-V to register code), running, and checking.

--set unseen does the same with kernels that were written after the compiled tier, to measure and never to tune.
"""
import json
import math
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_programs import program as program_of

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
             ("sim-compiled", False, "sim-compiled", {}, 3, 15, True),
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


# The sets of the table (bench_set in cases.h) that each value of --set runs.
SETS = {"six": "0", "wide": "01", "wild": "2", "unseen": "3"}
# Those in kernels/wild, whose results are compared with a sequential reference.
WITH_REFERENCE = ("wild", "unseen")


def cases(program, chosen):
    """Yields (name, tolerance, source) for each kernel of the chosen set."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, number, tolerance = line.split()
        if number in SETS[chosen]:
            yield name, float(tolerance), KERNELS / ("wild" if chosen in WITH_REFERENCE else "") / f"{name}.cl"


def compile_spirv(assay, source, folder):
    """Compiles a kernel with assay; returns the SPIR-V file and the milliseconds that it took."""
    begin = time.monotonic()
    done = subprocess.run([assay, "postlink", source, "-o", folder / source.stem], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ci/bench: {source.name} does not compile\n{done.stderr}")
    return folder / source.stem / f"{source.stem}_0.spv", (time.monotonic() - begin) * 1e3


def time_launches(program, backend, name, code, environment, warm_up, repeat, out, options=()):
    """Returns the milliseconds of the build, the first launch, and each timed launch; if the engine failed, prints
    an error message and returns None."""
    processor = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "-c", processor, program, *options, backend, name, code, str(warm_up), str(repeat), out]
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


def compare(results, name, tolerance, against):
    """Names the engines that differ from the one named `against`."""
    reference = results.get(against)
    if reference is None:
        return []
    return [f"{name}: {engine}{' with checks' if checks else ''} differs from {against[0]}"
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
        print(f"{row['kernel']:18}{column(row['engine'], row['checks']):11}{bar} {row['ms']:.3g}")


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else None


def print_ratios(rows, columns):
    print("\ntime of each peer divided by sim's: above 1, sim is faster")
    times = {(r["kernel"], column(r["engine"], r["checks"])): r["ms"] for r in rows}
    others = [c for c in columns if c != "sim"]
    ratios = {c: [] for c in others}
    print(f"{'':18}{'sim ms':>10}" + "".join(f"{c:>12}" for c in others))
    for kernel in dict.fromkeys(r["kernel"] for r in rows):
        base = times.get((kernel, "sim"))
        cells = ""
        for c in others:
            other = times.get((kernel, c))
            if base and other:
                ratios[c].append(other / base)
            cells += f"{other / base:12.3g}" if base and other else f"{'-':>12}"
        print(f"{kernel:18}" + (f"{base:10.3f}" if base else f"{'-':>10}") + cells)
    means = {c: geometric_mean(v) for c, v in ratios.items()}
    print(f"{'geometric mean':28}" + "".join(f"{means[c]:12.3g}" if means[c] else f"{'-':>12}" for c in others))


def percentile(values, share):
    """The smallest of the values that at least this share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def print_wild(rows, columns):
    """Prints sim's time, interpreted and compiled, divided by each peer's, and the parts of sim's time."""
    of = {(r["kernel"], column(r["engine"], r["checks"])): r for r in rows}
    kernels = list(dict.fromkeys(r["kernel"] for r in rows))
    others = [(ours, c) for ours in ("sim", "sim-compiled") for c in columns if c not in (ours, "sim-")]
    for ours, peer in others:
        pairs = [(of[k, ours]["ms"] / of[k, peer]["ms"], k) for k in kernels if (k, ours) in of and (k, peer) in of]
        if not pairs:
            continue
        ratios = [ratio for ratio, _ in pairs]
        worst = ", ".join(f"{k} {ratio:.3g}" for ratio, k in sorted(pairs, reverse=True)[:5])
        print(f"\n{ours} / {peer}, {len(pairs)} kernels: geometric mean {geometric_mean(ratios):.3g}, "
              f"90th percentile {percentile(ratios, 0.9):.3g}\n  worst: {worst}")
    whole = [k for k in kernels if (k, "sim") in of and (k, "sim-") in of]
    if not whole:
        return
    front = sum(of[k, "sim"]["front_ms"] for k in whole)
    decode = sum(of[k, "sim"]["build_ms"] for k in whole)
    run = sum(of[k, "sim-"]["ms"] for k in whole)
    check = sum(of[k, "sim"]["ms"] for k in whole) - run
    cost = geometric_mean([of[k, "sim"]["ms"] / of[k, "sim-"]["ms"] for k in whole])
    print(f"\nsim, {len(whole)} kernels, one launch each: front end {front:.0f} ms, decoding {decode:.1f} ms, "
          f"running {run:.0f} ms, checking {check:.0f} ms; checks cost a factor of {cost:.3g}")
    for peer in [c for c in columns if not c.startswith("sim")]:
        there = [of[k, peer] for k in kernels if (k, peer) in of]
        first = sum(r["first_ms"] - r["ms"] for r in there)
        print(f"{peer}, {len(there)} kernels: building {sum(r['build_ms'] for r in there):.0f} ms, put off until the "
              f"first launch {first:.0f} ms, running {sum(r['ms'] for r in there):.0f} ms")


def host_result(program, name, source, out):
    """The result of the sequential reference; ends the program if there is none."""
    if time_launches(program, "host", name, source, {}, 0, 1, out) is None:
        sys.exit(f"ci/bench: {name} has no reference")
    return out.read_bytes()


def bench(arguments):
    if "oclgrind" in arguments.engines and not Path(OCLGRIND).exists():
        subprocess.run([ROOT / "ci/setup", "--with", "bench"], check=True)
    program, assay = program_of(arguments.program), program_of(arguments.assay)
    is_wild = arguments.set in WITH_REFERENCE
    todo = list(cases(program, arguments.set))
    chosen = list(engines(arguments.engines))
    rows, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as temporary:
        folder = Path(temporary)
        for name, tolerance, source in todo:
            (spirv, front_ms), results = compile_spirv(assay, source, folder), {}
            if is_wild:
                results["the reference", False] = host_result(program, name, source, folder / "out")
            for engine, checks, backend, environment, warm_up, repeat in chosen:
                code = spirv if engine.startswith("sim") else source
                if is_wild and engine != "oclgrind":
                    warm_up, repeat = 2, 5
                times = time_launches(program, backend, name, code, environment, warm_up, repeat, folder / "out",
                                      ["--processor-time"] if arguments.processor_time else [])
                if not times:
                    wrong.append(f"{name}: {engine} failed")
                    continue
                build_ms, first_ms, *launches = times
                results[engine, checks] = (folder / "out").read_bytes()
                rows.append({"kernel": name, "engine": engine, "checks": checks, "ms": statistics.median(launches),
                             "front_ms": front_ms, "build_ms": build_ms, "first_ms": first_ms})
                print(f"{name:18}{column(engine, checks):11}{rows[-1]['ms']:12.3f} ms", flush=True)
            wrong += compare(results, name, tolerance, ("the reference", False) if is_wild else ("sim", True))
    columns = list(dict.fromkeys(column(r["engine"], r["checks"]) for r in rows))
    if rows:
        plot(rows)
        print_ratios(rows, columns)
    if rows and is_wild:
        print_wild(rows, columns)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    if wrong:
        sys.exit("ci/bench: " + "\n          ".join(wrong))


def add(commands):
    """Adds the command to ci/bench."""
    kernels = commands.add_parser("kernels", help="the simulated device against Oclgrind, PoCL and Intel's CPU runtime")
    kernels.add_argument("--json", metavar="FILE", help="write the rows {kernel, engine, checks, ms, …} to FILE")
    kernels.add_argument("--set", choices=list(SETS), default="six", help="six kernels, twenty more, the wild set, or the unseen one; default: six")
    kernels.add_argument("--processor-time", action="store_true",
                         help="measure the processor time of the process, which a busy machine changes less")
    kernels.add_argument("--engines", type=lambda text: text.split(","), default=["sim", "pocl", "intel-cpu", "oclgrind"],
                         help="default: sim,pocl,intel-cpu,oclgrind; Oclgrind takes minutes")
    kernels.add_argument("--program", default=str(ROOT / "build/release/bench_kernels"),
                         help="default: build/release/bench_kernels")
    kernels.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    kernels.set_defaults(run=bench)
