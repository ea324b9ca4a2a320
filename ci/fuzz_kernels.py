"""ci/fuzz kernels: generated kernels on the simulated device under several schedules, on PoCL and on Intel's CPU runtime.

A kernel is valid by construction (conformance/tools/generate), so any verdict but PASS is a defect: final memories
that differ, a finding of the simulated device, a refusal, a crash.  A failing kernel is kept in
build/fuzz/crashes/kernels under its seed, and shrunk: statements are removed as long as the verdict and the
signature, except for its place, stay the same.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRASHES = ROOT / "build/fuzz/crashes/kernels"
# The simulated device: its default, then the schedules and builds that must agree with it.  Then
# drivers.
SUBJECTS = ["sim", "sim{schedule=forward}", "sim{schedule=backward}", "sim{schedule=seeded}", "sim{engine=base}",
            "sim{engine=v3}", "sim{engine=v4}", "pocl", "intel-cpu"]
GOOD = {"PASS", "UNAVAILABLE"}
BATCH = 50
# How many failures of one kind are shrunk; more of them would show nothing new.
SHRUNK_OF_A_KIND = 2


class Tools:
    def __init__(self, folder, subjects):
        self.assay = folder / "assay"
        self.generator = folder / "generate_kernel"
        for program in (self.assay, self.generator):
            if not program.exists():
                raise OSError(f"{program} is not built (cmake --preset release -DBUILD_TESTING=ON)")
        self.subjects = [s for s in subjects if self.knows(s)]

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
        done = subprocess.run([self.generator, str(seed), *words], capture_output=True, check=True)
        file.write_bytes(done.stdout)

    def statements(self, seed):
        done = subprocess.run([self.generator, str(seed), "--statements"], capture_output=True, check=True)
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
    """The kind of a failure: its signature without the place and the numbers that differ from kernel to kernel."""
    return record["subject"], record["verdict"], ":".join(record["signature"].split(":")[:3])


def failures(records):
    return [r for r in records if r["verdict"] not in GOOD]


def shrink(tools, seed, record, folder):
    """Writes CRASHES/SEED.small.yaml; returns how many statements are left."""
    subjects = list(dict.fromkeys(["sim", record["subject"]]))
    wanted, file = kind_of(record), folder / "shrink.yaml"

    def fails(without):
        tools.generate(seed, file, sorted(without))
        return any(kind_of(r) == wanted for r in failures(tools.records([file], subjects)))

    left = list(range(1, tools.statements(seed) + 1))
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
    tools.generate(seed, CRASHES / f"{seed}.small.yaml", sorted(without))
    return len(left)


def keep(tools, seed, record, folder, kinds):
    """Keeps one failing kernel and prints what is wrong with it."""
    CRASHES.mkdir(parents=True, exist_ok=True)
    tools.generate(seed, CRASHES / f"{seed}.yaml")
    print(f"found: {CRASHES / f'{seed}.yaml'} on {record['subject']}: {record['verdict']} {record['signature']}")
    print("       " + record.get("message", "").replace("\n", "\n       "))
    kind = kind_of(record)
    kinds[kind] = kinds.get(kind, 0) + 1
    if kinds[kind] <= SHRUNK_OF_A_KIND:
        left = shrink(tools, seed, record, folder)
        print(f"       shrunk to {left} statements: {CRASHES / f'{seed}.small.yaml'}", flush=True)


def run(arguments, folder):
    """Returns {subject: {verdict: count}}, and the seeds that failed."""
    tools = Tools(pathlib.Path(arguments.programs).resolve(), arguments.on.split(",") if arguments.on else SUBJECTS)
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
    parser.add_argument("--count", type=int, default=300, help="kernels: how many; default: 300")
    parser.add_argument("--seed", type=int, help="kernels: seed of the first; default: from the clock")
    parser.add_argument("--on", metavar="SUBJECT,…", help="kernels: sim and others; default: sim's variants, pocl, intel-cpu")
    parser.add_argument("--programs", metavar="FOLDER", default=str(ROOT / "build/release"),
                        help="kernels: folder of assay and generate_kernel; default: build/release")
    parser.add_argument("--no-record", action="store_true", help="kernels: add no line to docs/fuzz-records.jsonl")


def main(arguments, write_record):
    """The exit status is that of ci/fuzz."""
    import tempfile
    if arguments.seed is None:
        arguments.seed = int(time.time())
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="assay-kernels-") as folder:
        verdicts, failed = run(arguments, pathlib.Path(folder))
    for subject, counts in verdicts.items():
        print(f"{subject:24} " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    ran = any(counts.get("PASS") for subject, counts in verdicts.items() if subject != "sim")
    if not arguments.no_record:
        write_record({"fuzzer": "kernels", "seconds": round(time.monotonic() - begin), "executions": arguments.count,
                      "seed": arguments.seed, "subjects": list(verdicts), "crashes": len(failed)})
    if failed:
        return 1
    if not ran:
        print("ci/fuzz: nothing was compared", file=sys.stderr)
        return 3
    return 0
