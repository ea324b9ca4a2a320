"""Builds a program that contains every mutant: build/mutate/tree is the tree with the mutants written into it,
build/mutate/build is its build, and build/mutate/probe is one that shows which code the compiler and the linker drop.

A mutant has a number for as long as its file does not change: each file has a range of numbers with some room, so a
change to one file leaves the others, and their object files, as they are.  Mutants that do not compile are refused;
the compiler's messages say which.
"""
import hashlib
import json
import multiprocessing
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

import mutate_generate
import source_text
from mutate_syntax import Source

PARTS = ("reference/", "sim/")
PROGRAMS = ("assay", "libassay_compiler.so", "libassay_tier.so")
TARGETS = ("assay", "assay_compiler", "assay_tier", "assay_reference")
TOOL = ("ci/mutate_generate.py", "ci/mutate_syntax.py", "ci/mutate_build.py", "ci/mutant.h", "ci/mutant.c")
SECTION = ".debug_mutants"
GENERATED = (".h", ".inc", ".c", ".def")
ROUNDS = 12


def say(text):
    print(f"ci/mutate: {text}", file=sys.stderr, flush=True)


def is_product(name):
    return name.startswith(PARTS) and name.endswith(source_text.C_SUFFIXES) and not re.search(r"/(test|fuzz)/", name)


def digest(parts):
    total = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


def write_if_changed(path, data):
    """Keeps the time of files that stay the same, so that they are not compiled again."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def read_json(path, default):
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else default


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(file.name, path)


def run(arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode != 0:
        print((done.stdout + done.stderr)[-4000:], file=sys.stderr)
        sys.exit(f"ci/mutate: {' '.join(map(str, arguments[:6]))} … fails")
    return done.stdout


# ---- Generating --------------------------------------------------------------------------------

_sources = {}


def _source_of(name):
    if name not in _sources:
        _sources[name] = Source(pathlib.Path(name).read_bytes())
    return _sources[name]


def _generate(task):
    """Runs in a process of its own, in the root of the tree."""
    path, arguments, root = task
    os.chdir(root)

    def wanted(name):
        absolute = os.path.normpath(os.path.join(root, name))
        relative = os.path.relpath(absolute, root)
        return relative if is_product(relative) else None

    try:
        return mutate_generate.generate(path, arguments, wanted, _source_of)
    except ValueError as problem:
        return str(problem)


class Build:
    """The instrumented tree and its build."""

    def __init__(self, root, jobs):
        self.root = pathlib.Path(root).resolve()
        self.folder = self.root / "build" / "mutate"
        self.tree = self.folder / "tree"
        self.build = self.folder / "build"
        self.probed = self.folder / "probe"
        self.jobs = jobs
        self.mutants = {}  # {number: mutant} of those that exist in the programs
        self.ranges = {}   # {file: range of the numbers of its mutants}
        self.refused = 0
        self.dropped = 0

    def make(self):
        """Brings everything up to date; sets `mutants`, `state` (of the programs) and `identity` (of the mutants)."""
        files = {name: (self.root / name).read_bytes() for name in source_text.tree_files(self.root)}
        product = sorted(name for name in files if is_product(name) or name in TOOL or name.endswith("CMakeLists.txt"))
        self.identity = digest([name.encode() + b"\0" + files[name] for name in product])
        self.state = digest([self.identity, *(name.encode() + b"\0" + data for name, data in sorted(files.items())
                                              if name.startswith(("backends/", "conformance/"))
                                              and not re.search(r"/(test|fuzz)/", name))])
        kept = read_json(self.folder / "mutants.json", {})
        generated = None
        if kept.get("identity") == self.identity:
            generated = [mutate_generate.Mutant(**{**row, "rules": tuple(row["rules"]), "mark": tuple(row["mark"])}) for row in kept["mutants"]]
        self.copy(files)
        if not (self.build / "build.ninja").is_file() or generated is None:
            run(["cmake", "-S", self.tree, "-B", self.build, "--preset", "mutate"], cwd=self.tree)
        if generated is None:
            self.build_generated()
            generated = self.generate()
            write_json(self.folder / "mutants.json", {"identity": self.identity,
                                                      "mutants": [vars(mutant) for mutant in generated]})
        self.compile(generated, files)

    def copy(self, files):
        """Copies the tree, without product files that it has already: they are written with their mutants."""
        for name, data in files.items():
            if not is_product(name) or not (self.tree / name).is_file():
                write_if_changed(self.tree / name, data)
                (self.tree / name).chmod((self.root / name).stat().st_mode)
        for path in self.tree.rglob("*"):
            if path.is_file() and str(path.relative_to(self.tree)) not in files:
                path.unlink()

    def build_generated(self):
        """Builds the generated headers of the product, without which it cannot be parsed."""
        listed = run(["ninja", "-C", self.build, "-t", "targets", "rule", "CUSTOM_COMMAND"])
        below = tuple(f"{self.build}/{part}" for part in PARTS)
        targets = [line for line in listed.splitlines() if line.startswith(below) and line.endswith(GENERATED)]
        run(["ninja", "-C", self.build, f"-j{self.jobs}", *targets])

    def commands(self):
        """Yields (path, arguments) of the product's translation units, which are parsed where they are."""
        for row in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8")):
            name = os.path.relpath(row["file"], self.tree)
            if not is_product(name):
                continue
            words = [word.replace(str(self.tree), str(self.root)) for word in shlex.split(row["command"])]
            kept, skip = [], False
            for word in words[1:]:
                if skip or word in ("-c", "-w") or word.endswith(name) or not word.startswith("-"):
                    skip = False
                    if not (kept and kept[-1] == "-isystem"):
                        continue
                if word in ("-o", "-include"):
                    skip = True
                    continue
                kept.append(word)
            yield name, kept

    def generate(self):
        tasks = [(name, arguments, str(self.root)) for name, arguments in self.commands()]
        say(f"finding the mutants of {len(tasks)} files")
        found, problems = [], []
        with multiprocessing.get_context("fork").Pool(self.jobs) as pool:
            for result in pool.imap_unordered(_generate, sorted(tasks, key=lambda task: not task[0].endswith("cpp"))):
                (problems.append if isinstance(result, str) else found.extend)(result)
        for problem in problems:
            say(problem)
        if problems:
            sys.exit("ci/mutate: some files cannot be parsed")
        return mutate_generate.without_repeats(found)

    # ---- Compiling -----------------------------------------------------------------------------

    def numbered(self, mutants):
        """{file: [(number, mutant)]}; keeps the ranges of numbers of earlier builds, which are part of `state`."""
        by_file = {}
        for mutant in mutants:
            by_file.setdefault(mutant.file, []).append(mutant)
        path = self.folder / "numbers.json"
        ranges = read_json(path, {})
        free = max((begin + size for begin, size in ranges.values()), default=1)
        for name, rows in sorted(by_file.items()):
            if name not in ranges or ranges[name][1] < len(rows):
                ranges[name] = [free, len(rows) + len(rows) // 4 + 16]
                free += ranges[name][1]
        capacity = int(re.search(r"MUTANT_CAPACITY \(1 << (\d+)\)", (self.root / "ci/mutant.h").read_text()).group(1))
        if free >= 1 << capacity:
            path.unlink()
            sys.exit("ci/mutate: the numbers are used up; run it again, which numbers all mutants anew")
        write_json(path, ranges)
        self.state = digest([self.state, json.dumps(ranges, sort_keys=True)])
        self.ranges = {name: range(begin, begin + size) for name, (begin, size) in ranges.items()}
        return {name: list(enumerate(rows, ranges[name][0])) for name, rows in by_file.items()}

    def compile(self, mutants, files):
        """Writes and builds, and again without the mutants that the compiler refuses."""
        path = self.folder / "refused.json"
        refused = {tuple(row) for row in read_json(path, [])}
        numbered = self.numbered(mutants)
        for attempt in range(ROUNDS):
            kept = {name: [(n, m) for n, m in rows if m.key not in refused] for name, rows in numbered.items()}
            for name in files:
                if is_product(name):
                    text = mutate_generate.instrumented(files[name].decode("latin-1"), kept.get(name, []))
                    write_if_changed(self.tree / name, text.encode("latin-1"))
            say(f"building {sum(map(len, kept.values())):,} mutants" + (f", attempt {attempt + 1}" if attempt else ""))
            done = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", "-k0", *TARGETS],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                break
            wrong = self.wrong(done.stdout, kept)
            if not wrong:
                print(done.stdout[-4000:], file=sys.stderr)
                sys.exit("ci/mutate: the build fails")
            refused |= {m.key for m in wrong}
            write_json(path, sorted(refused))
        else:
            sys.exit(f"ci/mutate: the build still fails after {ROUNDS} attempts")
        present = self.probe()
        self.mutants = {n: m for rows in kept.values() for n, m in rows if n in present}
        total = sum(map(len, kept.values()))
        self.refused, self.dropped = len(mutants) - total, total - len(self.mutants)

    def wrong(self, output, kept):
        """The mutants on the lines of the compiler's errors, or around them."""
        found = set()
        for path, line in set(re.findall(r"^(\S+?):(\d+):\d+: error:", output, re.MULTILINE)):
            name = os.path.relpath(os.path.join(self.build, path), self.tree)
            rows = [m for _, m in kept.get(name, [])]
            source = Source((self.root / name).read_bytes()) if rows else None
            line = int(line)
            here = [m for m in rows if m.line == line]
            around = [m for m in rows if m.line <= line <= source.line_of(m.end)]
            found.update(here or around)
        return found

    def probe(self):
        """The numbers of the mutants whose code exists in the original."""
        flags = {"FLAGS": "-DMUTANT_PROBE", "FLAGS_RELEASE": "-O2 -ffunction-sections"}
        collects = {f"CMAKE_{kind}_LINKER_FLAGS": "-Wl,--gc-sections" for kind in ("EXE", "MODULE")}
        settings = {**collects, **{f"CMAKE_{language}_{name}": value
                                   for language in ("C", "CXX") for name, value in flags.items()}}
        if not (self.probed / "build.ninja").is_file():
            run(["cmake", "-S", self.tree, "-B", self.probed, "--preset", "mutate",
                 *(f"-D{name}={value}" for name, value in settings.items())], cwd=self.tree)
        run(["ninja", "-C", self.probed, f"-j{self.jobs}", *TARGETS])
        found = set()
        for program in PROGRAMS:
            with tempfile.NamedTemporaryFile() as file:
                run(["objcopy", "--dump-section", f"{SECTION}={file.name}", self.probed / program, "/dev/null"])
                found.update(marks_of(pathlib.Path(file.name).read_bytes()))
        return found


def marks_of(section):
    """The numbers in a section .debug_mutants of the marks that the linker did not discard."""
    return {number for number, place in struct.iter_unpack("<IQ", section) if place}
