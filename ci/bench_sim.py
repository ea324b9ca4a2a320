"""ci/bench sim: the cost of the simulated device alone, and whether it is linear.

Goals: one work-item runs 100 million instructions a second (SPIR-V instructions in the loop of lcg, without labels,
phis and lines), and 1500 million where kernels are compiled; 20 ms from the start of a process to the first result of a small module; 20 ms to read and decode a
module of 100 KB; memory at most 6 times the buffers plus 16 MB.  The growth of time with work-items, work-groups,
module size and buffer size is plotted; the cost per item may not double when there are four times as many.  Times
are the minimum processor time of several runs; for the start of a process, the minimum wall time.
"""
import json
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_programs import program as program_of

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "conformance/tools/bench/kernels"
LCG_STEPS = 1000000
# The factor by which the cost per item may grow when there are four times as many items: fewer of them fit in
# the caches.
GROWTH_MAX = 2

# Every work-item reads its words from one buffer and writes changed ones to another.
COPY = """
kernel void copy(global const uint *in, global uint *out, uint words) {
  for (uint i = get_global_id(0); i < words; i += get_global_size(0)) out[i] = in[i] * 3 + 1;
}
"""

# A loop that accesses no memory, so that only work-items and groups are measured.
SPIN = """
kernel void spin(global uint *out, uint n) {
  uint x = get_global_id(0);
  for (uint i = 0; i < n; i++) x = (x ^ i) * 16777619u;
  out[get_global_id(0)] = x;
}
"""

# One of the many kernels of a large module, with loops, branches, memory accesses and vectors.
PART = """
kernel void k{0}(global uint *out, uint n) {{
  uint4 v = (uint4)(n, {0}, n ^ {0}, n * 3);
  for (uint i = 0; i < n; i++) {{
    if ((i & 3) == {1}) v += (uint4)(out[(i * 7 + {0}) % 64]);
    else v = v.yzwx * (uint4)(i | 1) + (uint4)({0}u);
    out[(v.x + i) % 64] = v.y ^ v.z;
  }}
  out[n % 64] = v.w;
}}
"""


class Bench:
    def __init__(self, arguments, folder):
        self.program = program_of(arguments.program)
        self.assay = program_of(arguments.assay)
        self.folder = folder
        self.rows, self.bad = [], []

    def compile(self, name, source):
        file = self.folder / f"{name}.cl"
        file.write_text(source, encoding="utf-8")
        done = subprocess.run([self.assay, "postlink", file, "-o", self.folder / name], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"ci/bench: {name} does not compile\n{done.stderr}")
        return self.folder / name / f"{name}_0.spv"

    def words(self, spirv, kernel, items, local, repeat, *given, tier="interpreted"):
        return [str(word) for word in (self.program, tier, spirv, kernel, items, local, repeat, *given)]

    def run(self, *words, tier="interpreted"):
        done = subprocess.run(self.words(*words, tier=tier), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"ci/bench: {' '.join(map(str, words))}: {done.stderr}")
        return json.loads(done.stdout)

    def judge(self, name, value, unit, goal, more_is_better=False):
        """Records and prints a row, and whether it meets its goal (None: no goal)."""
        met = None if goal is None else (value >= goal if more_is_better else value <= goal)
        self.rows.append({"name": name, "value": value, "unit": unit, "goal": goal, "met": met})
        words = "" if goal is None else f", goal: {'at least' if more_is_better else 'at most'} {goal:g}"
        print(f"{name:40}{value:10.4g} {unit}{words}{'' if met in (None, True) else '   MISSED'}", flush=True)
        if met is False:
            self.bad.append(f"{name} misses its goal: {value:.4g} {unit}")


def instructions(spirv):
    """Yields (opcode, words) for each instruction of a module."""
    data = spirv.read_bytes()
    words = struct.unpack(f"<{len(data) // 4}I", data)
    at = 5
    while at < len(words):
        yield words[at] & 0xffff, words[at:at + (words[at] >> 16)]
        at += words[at] >> 16


def loop_length(spirv):
    """Counts the instructions in the only block that branches to itself, without its label, phis and lines."""
    label_op, phi_op, line_op, branch_op = 248, 245, 8, 250
    label, count = None, 0
    for opcode, words in instructions(spirv):
        if opcode == label_op:
            label, count = words[1], 0
        elif opcode not in (phi_op, line_op):
            count += 1
        if opcode == branch_op and label in words[2:4]:
            return count
    sys.exit(f"ci/bench: {spirv} has no loop of one block")


def bench_one_item(bench):
    spirv = bench.compile("lcg", (KERNELS / "lcg.cl").read_text(encoding="utf-8"))
    for tier, goal in (("interpreted", 100), ("compiled", 1500)):
        result = bench.run(spirv, "lcg", 1, 1, 9, "b4", f"u{LCG_STEPS}", tier=tier)
        rate = LCG_STEPS * loop_length(spirv) / min(result["launch_ms"]) / 1e3
        bench.judge(f"one work-item of lcg, {tier}", rate, "million instructions/s", goal, more_is_better=True)
    return spirv


def bench_start(bench, spirv):
    """Measures the time until a process has printed its first result."""
    def least_ms(command, environment=None):
        times = []
        for _ in range(15):
            begin = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            times.append((time.monotonic() - begin) * 1e3)
        return min(times)

    bench.judge("start to first result", least_ms(bench.words(spirv, "lcg", 1, 1, 1, "b4", "u1")), "ms", 20)
    scenario = bench.folder / "start.yaml"
    scenario.write_text("""assay: 1
summary: One work-item writes 7.
modules:
  app:
    sources:
      - language: opencl-c
        code: |
          kernel void k(global int *out) { *out = 7; }
memory:
  out: {type: int, count: 1}
steps:
  - submit: {kernel: k, range: [1], args: [{write: out}]}
  - expect: {memory: out, equals: [7]}
""", encoding="utf-8")
    bench.judge("the same through assay run", least_ms([bench.assay, "run", scenario, "--on", "sim"]), "ms", None)


def large_module(bench, kernels):
    return bench.compile(f"parts{kernels}", "".join(PART.format(i, i % 4) for i in range(kernels)))


def decode_ms(bench, spirv):
    runs = [bench.run(spirv, "k0", 1, 1, 1, "b256", "u1") for _ in range(7)]
    return min(r["read_ms"] + r["link_ms"] for r in runs)


def bench_decode(bench):
    """Returns [(bytes, ms)] for modules of growing size."""
    few = large_module(bench, 8).stat().st_size
    each = (large_module(bench, 16).stat().st_size - few) / 8
    sizes = []
    for kilobytes in (25, 100, 400, 1600):
        spirv = large_module(bench, max(1, round((kilobytes * 1000 - few) / each) + 8))
        sizes.append((spirv.stat().st_size, decode_ms(bench, spirv)))
    size, ms = sizes[1]
    bench.judge("reading and decoding a module of 100 KB", ms * 100000 / size, "ms", 20)
    return sizes


def bench_memory(bench, copy):
    """Measures the memory in use after one buffer was read completely and another was written."""
    size = 64 << 20
    result = bench.run(copy, "copy", 65536, 256, 1, f"b{size}", f"b{size}", f"u{size // 4}")
    if result["word"] != 0x01010101:
        sys.exit("ci/bench: the copy kernel has changed its input")
    used = (result["most_kib"] - result["before_kib"]) / 1024
    buffers = 2 * size / (1 << 20)
    bench.judge("memory for buffers of 128 MiB", used, "MiB", 6 * buffers + 16)


def plot(bench, what, unit, points):
    """Prints bars for the cost per item, which must stay constant."""
    print(f"\n{what}: nanoseconds for one {unit}")
    costs = [ms * 1e6 / count for count, ms in points]
    for (count, ms), cost, before in zip(points, costs, [None, *costs]):
        ratio = cost / before if before else None
        bar = "█" * max(1, round(50 * cost / max(costs)))
        print(f"{count:12} {ms:10.3f} ms  {bar} {cost:.4g}" + (f" (x{ratio:.2f})" if ratio else ""), flush=True)
        bench.rows.append({"name": what, "count": count, "ms": ms, "ratio": ratio})
        if ratio and ratio > GROWTH_MAX:
            bench.bad.append(f"not linear: one {unit} costs {ratio:.2f} times as much at {count}")


def grow(bench, spirv, kernel, rows):
    """Returns [(count, ms)] for rows of (count, items, local, arguments)."""
    return [(count, min(bench.run(spirv, kernel, items, local, 7, *given)["launch_ms"]))
            for count, items, local, given in rows]


def bench_growth(bench, copy, modules):
    spin = bench.compile("spin", SPIN)
    plot(bench, "work-items in each of 64 work-groups", "work-item",
         grow(bench, spin, "spin", [(64 * n, 64 * n, n, (f"b{256 * n}", "u1024")) for n in (64, 256, 1024, 4096)]))
    plot(bench, "work-groups of 64 work-items", "work-group",
         grow(bench, spin, "spin", [(n, 64 * n, 64, (f"b{256 * n}", "u256")) for n in (64, 256, 1024, 4096)]))
    plot(bench, "size of a module", "byte", modules)
    plot(bench, "size of two buffers, one read and one written", "byte",
         grow(bench, copy, "copy", [(n << 20, 16384, 256, (f"b{n << 20}", f"b{n << 20}", f"u{n << 18}"))
                                    for n in (1, 4, 16, 64)]))


def bench(arguments):
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as temporary:
        b = Bench(arguments, Path(temporary))
        lcg, copy = bench_one_item(b), b.compile("copy", COPY)
        bench_start(b, lcg)
        modules = bench_decode(b)
        bench_memory(b, copy)
        bench_growth(b, copy, modules)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(b.rows, indent=1) + "\n")
    if b.bad:
        sys.exit("ci/bench: " + "\n          ".join(b.bad))


def add(commands):
    """Adds the command to ci/bench."""
    sim = commands.add_parser("sim", help="cost of the simulated device, and whether it is linear")
    sim.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    sim.add_argument("--program", default=str(ROOT / "build/release/bench_sim"), help="default: build/release/bench_sim")
    sim.add_argument("--assay", default=str(ROOT / "build/release/assay"), help="default: build/release/assay")
    sim.set_defaults(run=bench)
