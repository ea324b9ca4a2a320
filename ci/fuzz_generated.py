"""ci/fuzz kernels and ci/fuzz programs: generated scenarios on the simulated device and on drivers.

A scenario is valid by construction (conformance/tools/generate), so any verdict but PASS is a defect: a result that
the model of programs does not allow, final memories of kernels that differ, a finding of the simulated device, a
refusal, a crash.  A failing scenario is kept in build/fuzz/crashes/KIND under its seed, and shrunk: units (statements
of a kernel; steps, definitions and calls of a program) are left out as long as the verdict and the kind of signature
stay the same.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRASHES = ROOT / "build/fuzz/crashes"
# What `assay generate` calls them, and the subjects: for kernels the simulated device's default, the schedules and
# builds that must agree with it, and drivers; for programs the reference and the shipped runtime.
KINDS = {
    "kernels": ("kernel", ["sim", "sim{schedule=forward}", "sim{schedule=backward}", "sim{schedule=seeded}",
                           "sim{engine=base}", "sim{engine=v3}", "sim{engine=v4}", "sim{tier=compiled}", "pocl",
                           "intel-cpu"]),
    "programs": ("program", ["sim", "dpcpp"]),
}
GOOD = {"PASS", "UNAVAILABLE"}
BATCH = 50
# How many failures of one kind are shrunk; more of them would show nothing new.
SHRUNK_OF_A_KIND = 2


class Tools:
    def __init__(self, folder, name, subjects):
        self.assay = folder / "assay"
        if not self.assay.exists():
            raise OSError(f"{self.assay} is not built (cmake --preset release)")
        self.kind, usual = KINDS[name]
        self.crashes = CRASHES / name
        self.subjects = [s for s in subjects or usual if self.knows(s)]

    def knows(self, subject):
        """True if this version of assay knows the subject's settings; otherwise prints a message."""
        done = self.run_assay(["run", "--on", subject, os.devnull])
        if done.returncode == 2 and "unknown setting" in done.stderr:
            print(f"ci/fuzz: not run: {subject} ({done.stderr.strip()})")
            return False
        return True

    def run_assay(self, words):
        return subprocess.run([self.assay, *words], capture_output=True, text=True, errors="replace", check=False)

    def generate(self, seed, file, without=()):
        words = ["--without", ",".join(map(str, without))] if without else []
        done = subprocess.run([self.assay, "generate", self.kind, str(seed), *words], capture_output=True, check=True)
        file.write_bytes(done.stdout)

    def units(self, seed):
        done = subprocess.run([self.assay, "generate", self.kind, str(seed), "--units"], capture_output=True, check=True)
        return int(done.stdout)

    def records(self, files, subjects):
        """The records of `assay run`, one for each file and subject."""
        results = files[0].parent / "results.jsonl"
        results.unlink(missing_ok=True)
        done = self.run_assay(["run", *files, "--on", ",".join(subjects), "--json", results])
        if done.returncode not in (0, 1):
            raise OSError(f"assay run ended with status {done.returncode}\n{done.stderr[-2000:]}")
        return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def kind_of(record):
    """The kind of a failure: its headline without the place and the numbers that differ from scenario to scenario."""
    words = record["signature"].split()[0].split(":") if record["signature"] else []
    return record["subject"], record["verdict"], re.sub(r"\d+", "", ":".join(words[:3]))


def failures(records):
    return [r for r in records if r["verdict"] not in GOOD]


def shrink(tools, seed, record, folder):
    """Writes SEED.small.yaml; returns how many units are left."""
    subjects = list(dict.fromkeys(["sim", record["subject"]]))
    wanted, file = kind_of(record), folder / "shrink.yaml"

    def fails(without):
        tools.generate(seed, file, sorted(without))
        if "expect:" not in file.read_text(encoding="utf-8"):
            return False  # no launch is left
        return any(kind_of(r) == wanted for r in failures(tools.records([file], subjects)))

    left = list(range(1, tools.units(seed) + 1))
    without, size = set(), max(len(left) // 2, 1)
    while size >= 1 and left:
        at = 0
        while at < len(left):
            chunk = left[at:at + size]
            if fails(without | set(chunk)):
                without |= set(chunk)
                del left[at:at + size]
            else:
                at += size
        size //= 2
    tools.generate(seed, tools.crashes / f"{seed}.small.yaml", sorted(without))
    return len(left)


def keep(tools, seed, record, folder, kinds):
    """Keeps one failing scenario and prints what is wrong with it."""
    tools.crashes.mkdir(parents=True, exist_ok=True)
    tools.generate(seed, tools.crashes / f"{seed}.yaml")
    print(f"found: {tools.crashes / f'{seed}.yaml'} on {record['subject']}: {record['verdict']} {record['signature']}")
    print("       " + record.get("message", "").replace("\n", "\n       "))
    kind = kind_of(record)
    kinds[kind] = kinds.get(kind, 0) + 1
    if kinds[kind] <= SHRUNK_OF_A_KIND:
        left = shrink(tools, seed, record, folder)
        print(f"       shrunk to {left} units: {tools.crashes / f'{seed}.small.yaml'}", flush=True)


def run(arguments, folder):
    """Returns {subject: {verdict: count}}, and the seeds that failed."""
    tools = Tools(pathlib.Path(arguments.programs).resolve(), arguments.name, arguments.on.split(",") if arguments.on else None)
    verdicts, failed, kinds = {}, [], {}
    for begin in range(arguments.seed, arguments.seed + arguments.count, BATCH):
        seeds = range(begin, min(begin + BATCH, arguments.seed + arguments.count))
        files = {seed: folder / f"{seed}.yaml" for seed in seeds}
        for seed, file in files.items():
            tools.generate(seed, file)
        records = tools.records(list(files.values()), tools.subjects)
        for record in records:
            of_subject = verdicts.setdefault(record["subject"], {})
            of_subject[record["verdict"]] = of_subject.get(record["verdict"], 0) + 1
        bad = failures(records)
        for record in bad:
            seed = int(pathlib.Path(record["file"]).stem)
            if seed not in failed:  # keeps the first subject's failure, which is sim's if sim itself is wrong
                failed.append(seed)
                keep(tools, seed, record, folder, kinds)
        for file in files.values():
            file.unlink()
    return verdicts, failed


def add_arguments(parser):
    parser.add_argument("--count", type=int, default=300, help="kernels, programs: how many; default: 300")
    parser.add_argument("--seed", type=int, help="kernels, programs: seed of the first; default: from the clock")
    parser.add_argument("--on", metavar="SUBJECT,…", help="kernels, programs: sim and others; default: kernels on sim's "
                        "variants, pocl and intel-cpu, programs on sim and dpcpp")
    parser.add_argument("--programs", metavar="FOLDER", default=str(ROOT / "build/release"),
                        help="kernels, programs: folder of assay; default: build/release")
    parser.add_argument("--no-record", action="store_true", help="kernels, programs: add no line to docs/fuzz-records.jsonl")


def main(arguments, write_record):
    """The exit status is that of ci/fuzz."""
    import tempfile
    if arguments.seed is None:
        arguments.seed = int(time.time())
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as folder:
        verdicts, failed = run(arguments, pathlib.Path(folder))
    for subject, counts in verdicts.items():
        print(f"{subject:24} " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    # Kernels have no expected values apart from those of another subject.
    ran = arguments.name == "programs" or \
        any(counts.get("PASS") for subject, counts in verdicts.items() if subject != "sim")
    if not arguments.no_record:
        write_record({"fuzzer": arguments.name, "seconds": round(time.monotonic() - begin), "executions": arguments.count,
                      "seed": arguments.seed, "subjects": list(verdicts), "crashes": len(failed)})
    if failed:
        return 1
    if not ran:
        print("ci/fuzz: nothing was compared", file=sys.stderr)
        return 3
    return 0
