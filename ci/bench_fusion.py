"""What kernel fusion costs and what it saves.

  ci/bench fusion [--json FILE] [--devices sim,pocl,intel-cpu] [--program PROGRAM] [--chain PROGRAM]

Costs: the processor seconds that the fusion compiler takes for 1, 10 and 100 small kernels: with the same
range, and with ranges that differ so that every second kernel is remapped or guarded.  No cache is used, and
process start-up is not included.  Needs a build with tests.

Savings: the time of a list of 2, 4 and 8 element-wise kernels on each device, where each kernel reads what the
previous one wrote.  The variants: kernel by kernel; fused with barriers between the kernels; fused without them
(no_barriers), since no work-item needs the result of another; and fused without them, with the buffers between
the kernels promoted to private memory.  A row holds median wall times in milliseconds, from start_fusion to the
end of a wait; the variants alternate, and building and compiling are not included.  Each fused time is followed
by its speedup.  A device that is not installed has no rows.
"""
import json
import subprocess
import sys
from pathlib import Path

from bench_programs import program as program_of

ROOT = Path(__file__).resolve().parent.parent

COUNTS = (1, 10, 100)
COLUMNS = ("one_range_s", "one_range_bytes", "different_ranges_s", "different_ranges_bytes")

ELEMENTS = 1 << 20
WAYS = ("barriers", "fused", "promoted")
# The same as in conformance/subject/subjects.c.
SELECTORS = {
    "sim": ("sim", ""),
    "pocl": ("opencl", "platform=Portable Computing Language"),
    "intel-cpu": ("opencl", "platform=Intel(R) OpenCL"),
}
NOT_INSTALLED = 77


# ---- Costs ---------------------------------------------------------------------------------------


def bench_costs(program):
    rows = []
    print("kernels" + "".join(f"{name:>24}" for name in COLUMNS))
    for count in COUNTS:
        done = subprocess.run([program, str(count)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"ci/bench: {program} {count} ended with status {done.returncode}\n{done.stderr[-2000:]}")
        row = json.loads(done.stdout)
        print(f"{row['kernels']:7}" + "".join(f"{row[name]:24}" for name in COLUMNS), flush=True)
        rows.append(row)
    return rows


# ---- Saves ---------------------------------------------------------------------------------------


def device_command(program, device):
    """The command that runs a program on a device, configured like the subject of the same name."""
    backend, selector = SELECTORS[device]
    command = [program, backend, selector, str(ELEMENTS)]
    return [str(ROOT / "ci/on_intel_cpu"), *command] if device == "intel-cpu" else command


def bench_device(program, device):
    """The rows of one device; none if it is not installed."""
    done = subprocess.run(device_command(program, device), capture_output=True, text=True)
    if done.returncode == NOT_INSTALLED:
        print(f"{device:<12}is not installed", flush=True)
        return []
    if done.returncode != 0:
        sys.exit(f"ci/bench: {program} on {device} ended with status {done.returncode}\n{done.stderr[-2000:]}")
    rows = []
    for line in done.stdout.splitlines():
        row = {"device": device, **json.loads(line)}
        for way in WAYS:
            row[f"{way}_speedup"] = row["unfused_ms"] / row[f"{way}_ms"]
        cells = "".join(f"{row[way + '_ms']:14.3f} ({row[way + '_speedup']:5.2f} x)" for way in WAYS)
        print(f"{device:<12}{row['kernels']:7}{row['unfused_ms']:14.3f}{cells}{row['rounds']:8}", flush=True)
        rows.append(row)
    return rows


def bench_saves(arguments):
    program = str(Path(arguments.chain).resolve())
    print(f"\n{'device':<12}{'kernels':>7}{'unfused ms':>14}" + "".join(f"{way + ' ms':>24}" for way in WAYS) +
          f"{'rounds':>8}")
    return [row for device in arguments.devices.split(",") for row in bench_device(program, device)]


# ---- The command ---------------------------------------------------------------------------------


def bench(arguments):
    unknown = [device for device in arguments.devices.split(",") if device not in SELECTORS]
    if unknown:
        sys.exit(f"ci/bench: no device {unknown[0]!r}; known are {', '.join(SELECTORS)}")
    result = {"compiler": bench_costs(program_of(arguments.program)), "lists": bench_saves(arguments)}
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(result, indent=2) + "\n")


def add(commands):
    """Adds the command to ci/bench."""
    fusion = commands.add_parser("fusion", help="how long the fusion compiler takes, and how much time fusion saves")
    fusion.add_argument("--json", metavar="FILE", help="write the rows to FILE")
    fusion.add_argument("--devices", default="sim,pocl,intel-cpu", help="default: sim,pocl,intel-cpu")
    fusion.add_argument("--program", default=str(ROOT / "build/release/bench_fusion"),
                        help="default: build/release/bench_fusion")
    fusion.add_argument("--chain", default=str(ROOT / "build/release/bench_chain"),
                        help="default: build/release/bench_chain")
    fusion.set_defaults(run=bench)
