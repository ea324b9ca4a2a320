"""Runs mutants on scenarios: first every scenario without a mutant on each subject of JUDGES, which shows what it
reaches, then each mutant on the scenarios that reach it, until one of them does not pass.

Device code is compiled once: clang's and the SYCL compiler's output is in the artefact cache of build/mutate for all
mutants, and so are the answers of assay's own compile stage for mutants that this stage does not reach.  With the
others the stage runs again and keeps nothing.
"""
import base64
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from mutate_build import digest, read_json, run, say, write_if_changed, write_json

TIMEOUT_S = 10        # of a child, at least
TIMEOUT_FACTOR = 10   # and this many times what the slowest scenario of the group takes without a mutant
SLOW_S = 1.0          # scenarios that take longer run only for mutants that at most FEW scenarios reach
SLOW_FACTOR = 20      # unless the machine was busy: then those that take so many times the median
FEW = 20
MOST_REVIEWED = 24    # scenarios of a judge that a mutant with an entry in ci/mutants.yaml runs on with --reviewed
MEMORY_MIB = 4096
REACH_TIMEOUT_S = 600  # without a mutant: the machine may be busy
KILLERS = 8           # scenarios that noticed mutants of the same file run first


def is_below(file, paths):
    return any(file == path or file.startswith(path.rstrip("/") + "/") for path in paths)


@dataclasses.dataclass(frozen=True)
class Judge:
    """A subject, with a profile and other options of `assay run`, that runs scenarios."""
    subject: str
    profile: str
    files: tuple = ()    # it judges mutants of files at or below these paths; (): all
    folders: tuple = ()  # it runs scenarios of these folders; (): all
    most: int = 0        # it runs so many of them for one mutant; 0: all
    always: tuple = ()   # and in addition those whose text has one of these words
    options: tuple = ()
    repeats: bool = False  # it runs a scenario many times, so it leaves the slow ones out
    sanitizes: bool = False  # its program has sanitizers

    @property
    def name(self):
        return " ".join((self.subject, self.profile, *self.options, *["sanitized"] * self.sanitizes))

    @property
    def label(self):
        """Its name in the records of scores, where profiles do not differ."""
        return " ".join((self.subject, *self.options, *["sanitized"] * self.sanitizes))

    @property
    def takes_compiler(self):
        """True if some of its mutants may be in the compile stage."""
        return not self.files or any(not is_below(file, RUNTIME) for file in self.files)

    def takes_file(self, file):
        return not self.files or is_below(file, self.files)

    def takes_scenario(self, name):
        return not self.folders or name.split("/")[1] in self.folders


# A mutant is judged in this order.  Most code shows in the profile of the documents on sim, and some only in that of
# shipped DPC++ or after a choice that the seed does not make: ci/test runs the scenarios in each of these ways.  The
# others run code that sim does not: compiled kernels, what is made for and from PTX and native images, and the linker for
# drivers that link no SPIR-V.  A subject that is not installed judges nothing.  What reads or writes past an array, or
# memory that is free, shows in a program with sanitizers, in which ci/test runs the scenarios, too.
COMPILER = ("reference/compiler", "reference/image")
RUNTIME = ("reference/fusion", "reference/memory", "reference/module", "reference/program", "reference/runtime.c",
           "reference/sched", "reference/vfunc")
EXPLORE = "--explore"
FAIL_CALLS = ("--fail-calls", "32")
REFUSAL = "link-error"  # what a scenario says in which a linker must refuse; they are quick
JUDGES = (
    Judge("sim", "documents"),
    Judge("sim", "dpcpp"),
    Judge("sim", "documents", files=RUNTIME, options=(EXPLORE,)),
    Judge("sim", "documents", files=RUNTIME, options=FAIL_CALLS, most=60, repeats=True),
    Judge("sim", "documents", files=RUNTIME, most=40, sanitizes=True),
    Judge("sim{tier=compiled}", "documents", files=("sim/compiled", "sim/exec"), most=100),
    Judge("nvlink", "documents", files=COMPILER,
          folders=("linking", "fusion", "virtual_functions", "device_global", "data", "device", "kernels"), most=40,
          always=(REFUSAL, "__NVPTX__", "formats: [spirv64]")),
    Judge("intel-gpu", "documents", files=COMPILER, folders=("linking",), most=40, always=(REFUSAL,)),
    Judge("pocl", "documents", files=("reference/compiler/spirv",), folders=("linking", "fusion")),
)

# Scenarios of these folders run before all others for mutants of the folder on the left; the longest match counts.
FEATURES = {
    "reference/compiler/fuse": ("fusion",),
    "reference/compiler": ("linking", "device_global", "virtual_functions"),
    "reference/fusion": ("fusion",),
    "reference/image": ("linking", "device_global"),
    "reference/memory": ("memory", "device_global", "queues"),
    "reference/module": ("linking",),
    "reference/program": ("linking",),
    "reference/sched": ("queues", "fusion", "memory"),
    "reference/vfunc": ("virtual_functions",),
    "sim": ("device", "data", "kernels"),
}

VERDICT, CRASH, TIME_OUT = "verdict", "crash or CHECK", "time-out"
SURVIVED, UNREACHED, SAME_CODE = "survived", "unreached", "same code"
UNIT = "by unit tests"  # if these judge first, of a mutant that no scenario has judged
KILLED = (VERDICT, CRASH, TIME_OUT)
# LINKED: as expected on a subject that only links; XFAIL: a known failure that happened as recorded.
EXPECTED = ("PASS", "LINKED", "XFAIL")
NOT_RUN = ("SKIP", "UNAVAILABLE")  # the subject, or this machine, lacks what the scenario needs
# Statuses of a compile stage that died, by their signature; a worker for a fusion list says it in its message.
DEAD_WORKER = re.compile(r"tool\.(?!answer)|compiler worker (ended|did not end)")
SLOW_WORKER = re.compile(r"tool\.timeout|compiler worker did not end")


def features_of(name):
    parts = name.split("/")
    for length in range(len(parts), 0, -1):
        found = FEATURES.get("/".join(parts[:length]))
        if found:
            return found
    return ()


def kind_of(record):
    """How a record that is not as expected noticed its mutant."""
    said = record["signature"] + " " + record.get("message", "")
    if record["verdict"] in ("TIMEOUT", "HANG") or SLOW_WORKER.search(said):
        return TIME_OUT
    return CRASH if record["verdict"] == "CRASH" or DEAD_WORKER.search(said) else VERDICT


def time_left(count, total, begin):
    left = (time.monotonic() - begin) / count * (total - count)
    return f"{left // 60:.0f}:{left % 60:02.0f}"


class Interrupted(Exception):
    """The run ends, so nothing is started any more."""


class Children:
    """The processes of a run.  Each leads a session, so that a run that is interrupted ends them together with what
    they have started."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.has_ended = False

    def start(self, arguments, **options):
        with self.lock:
            if self.has_ended:
                raise Interrupted
            process = subprocess.Popen(arguments, start_new_session=True, **options)
            self.running.add(process)
            return process

    def finished(self, process):
        with self.lock:
            self.running.discard(process)

    def run(self, arguments, limit=None, **options):
        """The exit status and the output of a process; the status is None if it did not end in `limit` seconds."""
        process = self.start(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        try:
            output = process.communicate(timeout=limit)[0]
            return process.returncode, output.decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.kill(process)
            return None, ""
        except BaseException:
            self.kill(process)
            raise
        finally:
            self.finished(process)

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    def end(self):
        with self.lock:
            self.has_ended = True
            running = list(self.running)
        for process in running:
            self.kill(process)

    def for_each(self, jobs, function, items, done):
        """Calls `function` for the items on `jobs` threads, and `done` with each result on this one."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            tasks = [pool.submit(function, item) for item in items]
            try:
                for task in concurrent.futures.as_completed(tasks):
                    done(task.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.end()
                raise


# Of the runtime and what allocates its memory; the last knows which limits a process with sanitizers can have.
SANITIZED = (*RUNTIME, "reference/base", "conformance/process/start.c")
SANITIZE = ("-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -DRT_ARENA_BLOCKS "
            "-DRT_CHECK_SLOW")
PLUGINS = ("libassay_compiler.so", "libassay_tier.so")


def sanitized_make(build, jobs):
    """Brings build/mutate/sanitized/assay up to date, whose files at or below SANITIZED have sanitizers; the rest is
    linked as it is in the other program."""
    folder = build.folder / "sanitized"
    folder.mkdir(exist_ok=True)
    objects, lines = {}, ["rule one", "  command = $one", "  depfile = $out.d", "  deps = gcc"]
    for row in json.loads((build.build / "compile_commands.json").read_text(encoding="utf-8")):
        name = os.path.relpath(row["file"], build.tree)
        # A file of `base` is also compiled for the plugins.
        own = f" -o {os.path.dirname(name)}/CMakeFiles/" in row["command"] and "/test/" not in name
        if name not in objects and is_below(name, SANITIZED) and own:
            objects[name] = path = folder / (name.replace("/", "-") + ".o")
            command = re.sub(r" -o \S+ ", f" {SANITIZE} -MMD -MF {path}.d -o {path} ", row["command"])
            lines += [f"build {path}: one {row['file']}", f"  one = cd {row['directory']} && {command.replace('$', '$$')}"]
    link = run(["ninja", "-C", build.build, "-t", "commands", "assay"]).splitlines()[-1]
    program = folder / "assay"
    link = link.replace(" -o assay ", f" {SANITIZE} -o {program} {' '.join(map(str, objects.values()))} ", 1)
    lines += [f"build {program}: one {' '.join(map(str, objects.values()))} | {build.build / 'assay'}",
              f"  one = cd {build.build} && {link.replace('$', '$$')}", "  depfile =", "  deps ="]
    write_if_changed(folder / "build.ninja", "".join(line + "\n" for line in lines).encode())
    say(f"building {len(objects)} files with sanitizers")
    run(["ninja", "-C", folder, f"-j{jobs}"])
    for name in PLUGINS:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(build.build / name)


class Scenarios:
    """The scenarios of the tree, and which mutants each of them reaches."""

    def __init__(self, build, children):
        self.build = build
        self.children = children
        self.root = build.root
        self.programs = {False: build.build / "assay", True: build.folder / "sanitized" / "assay"}
        self.cache = build.folder / "cache"
        folder = self.root / "scenarios"
        self.names = sorted(str(path.relative_to(self.root)) for path in folder.rglob("*.yaml")
                            if path.name != "requirements.yaml" and "expectations" not in path.parts)
        self.judges = ()   # those that are installed
        self.missing = {}  # {subject that is not installed: why}
        self.reached = {}  # {(name, judge): (bytes of the compile stage, bytes of the rest)}
        self.seconds = {}  # {(name, judge): seconds}
        texts = {name: (self.root / name).read_bytes() for name in self.names}
        self.having = {word: {name for name, text in texts.items() if word.encode() in text}
                       for judge in JUDGES for word in judge.always}
        self.identity = digest([build.state, *texts.values()])

    def names_of(self, judge):
        return [name for name in self.names if judge.takes_scenario(name)]

    def timeout(self, names, judge):
        """The time limit of a child, in seconds."""
        return max(TIMEOUT_S, round(TIMEOUT_FACTOR * max(self.seconds[name, judge] for name in names)))

    def command(self, names, judge, records, timeout):
        return [str(self.programs[judge.sanitizes]), "run", *names, "--on", judge.subject, "--profile", judge.profile,
                *judge.options, "-j1", "--cache", str(self.cache), "--json", records, "--timeout", str(timeout), "--memory",
                str(MEMORY_MIB), "--color", "never", "--fail-fast"]

    def environment(self, **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")
                or name == "ASSAY_VENV"}
        return {**kept, "ASAN_OPTIONS": "detect_leaks=0", **variables}

    def reach(self, jobs, files):
        """Runs every scenario that changed on the judges of mutants of `files`, by itself and, on those of the compiler,
        with nothing of its own from the cache."""
        path = self.build.folder / "reach.json"
        kept = read_json(path, {})
        judges = [judge for judge in JUDGES if any(map(judge.takes_file, files))]
        if any(judge.sanitizes for judge in judges):
            sanitized_make(self.build, jobs)
        self.judges = [judge for judge in judges if self.is_installed(judge)]
        rows = {f"{name} {judge.name}": (name, judge) for judge in self.judges for name in self.names_of(judge)}
        keys = {row: digest([self.build.state, (self.root / name).read_bytes()]) for row, (name, _) in rows.items()}
        missing = [row for row in rows if kept.get(row, {}).get("key") != keys[row]]
        if missing:
            say(f"finding what {len(missing)} runs of scenarios reach")
            for judge in self.judges:
                if not judge.repeats:
                    self.warm([rows[row][0] for row in missing if rows[row][1] == judge], judge, jobs)

            begin, done = time.monotonic(), 0

            def keep(found):
                nonlocal done
                row, values = found
                kept[row] = {"key": keys[row], **values}
                done += 1
                if done % 100 == 0:
                    say(f"{done}/{len(missing)}, {time_left(done, len(missing), begin)} left")

            try:
                for repeats in (False, True):
                    slow = self.slow_names(kept) if repeats else set()
                    self.children.for_each(jobs, lambda row: (row, self.reach_of(*rows[row], slow)),
                                           [row for row in missing if rows[row][1].repeats == repeats], keep)
            finally:
                write_json(path, kept)
        for row, place in rows.items():
            self.reached[place] = tuple(zlib.decompress(base64.b64decode(kept[row][stage]))
                                        for stage in ("compile", "rest"))
            self.seconds[place] = kept[row]["seconds"]

    def is_installed(self, judge):
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            records = os.path.join(folder, "records")
            self.children.run(self.command(self.names_of(judge)[:1], judge, records, REACH_TIMEOUT_S), cwd=self.root,
                              env=self.environment())
            absent = [record for record in self.records(records) if record["verdict"] == "UNAVAILABLE"]
        for record in absent:
            self.missing[judge.subject] = record["message"]
        return not absent

    def warm(self, names, judge, jobs):
        """Fills the cache; all scenarios must pass without a mutant."""
        if not names:
            return
        for is_last in (False, True):
            status, output = self.children.run([*self.command(names, judge, "/dev/null", REACH_TIMEOUT_S), f"-j{jobs}"],
                                               cwd=self.root, env=self.environment())
            if status in (0, 4):
                return
            print(f"{output[:2000]}\n…\n{output[-2000:]}", file=sys.stderr)
            if not is_last:  # The machine may have been busy; what passed is in the cache.
                say("a scenario does not pass; once more")
        sys.exit(f"ci/mutate: a scenario does not pass without a mutant on {judge.name}")

    def slow_names(self, kept):
        """The names of the scenarios that take much longer than most on the first judge."""
        seconds = {name: kept[f"{name} {self.judges[0].name}"]["seconds"] for name in self.names}
        limit = max(SLOW_S, SLOW_FACTOR * statistics.median(seconds.values()))
        return {name for name in self.names if seconds[name] > limit}

    def reach_of(self, name, judge, slow):
        """What a scenario reaches; nothing if it is slow and the judge repeats it."""
        if judge.repeats and name in slow:
            nothing = base64.b64encode(zlib.compress(b"")).decode()
            return {"seconds": 0, "compile": nothing, "rest": nothing}
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            reached, records = os.path.join(folder, "reached"), os.path.join(folder, "records")
            answers = {"ASSAY_CACHE_ANSWERS": "none"} if judge.takes_compiler else {}
            # As with a mutant of the runtime, which a scenario that fails by itself would seem to notice.
            answers |= {"ASSAY_MUTANT_CHECK": "1"} if judge.files == RUNTIME else {}
            status, output = self.children.run(
                self.command([name], judge, records, REACH_TIMEOUT_S), cwd=self.root,
                env=self.environment(ASSAY_MUTANT_REACHED=reached, **answers))
            record = self.records(records)[-1:]
            if status not in (0, 4) or not record or record[0]["verdict"] not in (*EXPECTED, "SKIP"):
                print(output[-4000:], file=sys.stderr)
                sys.exit(f"ci/mutate: {name} does not pass without a mutant on {judge.name}")
            with open(reached, "rb") as file:
                data = file.read()
            # An exploration that had nothing to choose ran the scenario as the first judge does.
            if record[0]["verdict"] == "SKIP" or EXPLORE in judge.options and not record[0].get("choices"):
                data = bytes(len(data))
        half = len(data) // 2
        return {"seconds": record[0]["seconds"],
                **{stage: base64.b64encode(zlib.compress(part)).decode()
                   for stage, part in (("compile", data[:half]), ("rest", data[half:]))}}

    @staticmethod
    def records(path):
        """The complete lines of a file of records."""
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def reaching(self, number, judge):
        """(names that reach a mutant in the compile stage, names that reach it elsewhere only)."""
        stages = {name: [any(part[number:number + 1]) for part in self.reached[name, judge]]
                  for name in self.names_of(judge)}
        return ([name for name, (compiled, _) in stages.items() if compiled],
                [name for name, (compiled, rest) in stages.items() if rest and not compiled])

    def richness(self, name, judge, numbers):
        """How many of the mutants that have these numbers a scenario reaches."""
        return sum(sum(part[numbers.start:numbers.stop]) for part in self.reached[name, judge])


class Compiler:
    """Compares the object code of a mutant with that of the original, as both would be without any marks."""

    def __init__(self, build):
        self.build = build
        self.arguments = dict(build.commands())
        self.originals = {}
        self.lock = threading.Lock()

    def object_of(self, name, text):
        """The bytes of the object file of a text, or None if it does not compile."""
        compiler = "c++" if name.endswith(".cpp") else "cc"
        language = "c++" if name.endswith(".cpp") else "c"
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            path = os.path.join(folder, "object")
            done = subprocess.run([compiler, *self.arguments[name], "-O2", "-w", "-iquote", os.path.dirname(name), "-x",
                                   language, "-c", "-", "-o", path],
                                  cwd=self.build.root, input=text.encode("latin-1"), capture_output=True)
            if done.returncode != 0:
                return None
            with open(path, "rb") as file:
                return file.read()

    def is_same(self, mutant):
        """True if the compiler makes the same code of both; false for code in headers, which has no object file."""
        if mutant.file not in self.arguments:
            return False
        text = (self.build.root / mutant.file).read_bytes().decode("latin-1")
        with self.lock:
            if mutant.file not in self.originals:
                self.originals[mutant.file] = self.object_of(mutant.file, text)
        # Lines are in messages of assertions.
        lines = "\n" * text.count("\n", mutant.start, mutant.end)
        changed = text[:mutant.start] + f"({mutant.alternative})" * (not mutant.is_statement) + \
            mutant.alternative * mutant.is_statement + lines + text[mutant.end:]
        original = self.originals[mutant.file]
        return original is not None and self.object_of(mutant.file, changed) == original


class Runner:
    """Runs mutants; a record of each is a line of a file, so that a run can be resumed.  A judge runs at most `most`
    scenarios for one mutant (0: as many as it takes)."""

    def __init__(self, build, scenarios, most=0, order=""):
        """`order`: a word for an order of judges other than scenarios first; its records are apart."""
        self.build = build
        self.scenarios = scenarios
        self.most = most
        name = "-".join(filter(None, (self.identity(scenarios)[:12], str(most or ""), order)))
        self.path = build.folder / f"results-{name}.jsonl"
        self.compiler = Compiler(build)
        self.lock = threading.Lock()
        self.children = scenarios.children
        self.killers = collections.defaultdict(list)
        self.slow = {}  # {judge: seconds}
        self.results = {}
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.results[row["number"]] = row

    @staticmethod
    def identity(scenarios):
        return digest([scenarios.identity, repr(JUDGES), *sorted(scenarios.missing)])

    def earlier(self):
        """{key: by which scenario} of the mutants that were killed, other than by a time-out, in runs of other states of
        the tree whose records are still there."""
        found = {}
        for path in sorted(self.build.folder.glob("results-*.jsonl"), key=lambda path: path.stat().st_mtime):
            if path != self.path:
                rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
                found.update((tuple(row["key"]), row["by"]) for row in rows if row["result"] in (VERDICT, CRASH))
        return found

    def run(self, numbers, jobs, units=None, is_for_units=lambda row: True):
        """Runs the mutants that have no record; returns the records of all.  Unit tests judge those that no scenario
        notices, if `is_for_units` agrees."""
        self.run_those(numbers, jobs, lambda row: row is None, self.result_of)
        if units:
            left = [n for n in numbers if self.results[n]["result"] in (SURVIVED, UNREACHED)
                    and is_for_units(self.results[n])]
            if any(self.results[n].get("unit_of") != units.identity for n in left):
                units.make(jobs)

                def judged(number):
                    return {**self.results[number], "unit_of": units.identity, "unit": units.killer(number)}

                self.run_those(left, jobs, lambda row: row.get("unit_of") != units.identity, judged)
        return [self.results[number] for number in numbers]

    def run_units_first(self, numbers, jobs, units, by_scenarios):
        """The same with unit tests as the first judges; scenarios judge what these do not notice, if at all."""
        units.make(jobs)

        def judged(number):
            mutant, name = self.build.mutants[number], units.killer(number)
            result = UNIT if name else SURVIVED if units.reaches(number) else UNREACHED
            if not name and not by_scenarios and self.compiler.is_same(mutant):
                result = SAME_CODE
            return {"number": number, "key": list(mutant.key), "line": mutant.line, "result": result, "scenarios": 0,
                    "unit_of": units.identity, "unit": name}

        self.run_those(numbers, jobs, lambda row: row is None or row.get("unit_of") != units.identity, judged)
        if by_scenarios:
            left = [number for number in numbers if self.results[number]["result"] != UNIT]
            self.run_those(left, jobs, lambda row: not row.get("is_judged"),
                           lambda number: {**self.results[number], **self.result_of(number), "is_judged": True})
        return [self.results[number] for number in numbers]

    def run_those(self, numbers, jobs, is_due, function):
        due = [number for number in numbers if is_due(self.results.get(number))]
        begin = time.monotonic()
        done = collections.Counter()
        with open(self.path, "a", encoding="utf-8") as file:
            def keep(row):
                self.results[row["number"]] = row
                file.write(json.dumps(row) + "\n")
                file.flush()
                done[UNIT if row.get("unit") else row["result"]] += 1
                self.progress(sum(done.values()), len(due), done, begin)

            self.children.for_each(jobs, function, due, keep)

    @staticmethod
    def progress(count, total, done, begin):
        killed = sum(done[kind] for kind in (*KILLED, UNIT))
        say(f"{count}/{total}, {killed} killed, {done[SURVIVED]} survived, {done[UNREACHED]} unreached, "
            f"{time_left(count, total, begin)} left")

    def is_slow(self, name, judge):
        seconds = self.scenarios.seconds
        if judge not in self.slow:
            median = statistics.median(s for (_, other), s in seconds.items() if other == judge)
            self.slow[judge] = max(SLOW_S, SLOW_FACTOR * median)
        return seconds[name, judge] > self.slow[judge]

    def groups(self, mutant, number, judge):
        """(names, answers) of scenarios with the same treatment by the cache, in the order in which they run."""
        compiled, rest = self.scenarios.reaching(number, judge)
        if len(compiled) + len(rest) > FEW:
            compiled, rest = ([name for name in names if not self.is_slow(name, judge)] for names in (compiled, rest))
        with self.lock:
            killers = list(self.killers[mutant.file])
        folders = features_of(mutant.file)

        def rank(name):
            if self.is_slow(name, judge):
                return 3
            return 0 if name in killers else 1 if name.split("/")[1] in folders else 2

        most = min(filter(None, (judge.most, self.most)), default=0)
        if most and len(compiled) + len(rest) > most:
            kept = set(self.richest([*compiled, *rest], mutant.file, judge, killers)[:most])
            if not self.most:
                kept = kept.union(*(self.scenarios.having[word] for word in judge.always))
            compiled, rest = ([name for name in names if name in kept] for names in (compiled, rest))
        for level in range(4):
            for names, answers in ((rest, "find"), (compiled, "none")):
                chosen = [name for name in names if rank(name) == level]
                if chosen:
                    yield chosen, answers

    def richest(self, names, file, judge, killers):
        """The names in the order in which they are chosen if a judge does not run all."""
        numbers = self.build.ranges[file]
        return sorted(names, key=lambda name: (name not in killers, -self.scenarios.richness(name, judge, numbers), name))

    def result_of(self, number):
        mutant = self.build.mutants[number]
        begin = time.monotonic()
        row = {"number": number, "key": list(mutant.key), "line": mutant.line, "result": UNREACHED, "scenarios": 0}
        for judge in self.scenarios.judges:
            if judge.takes_file(mutant.file) and self.is_killed(number, mutant, judge, row):
                break
        if row["result"] in (SURVIVED, UNREACHED) and self.compiler.is_same(mutant):
            row["result"] = SAME_CODE
        row["seconds"] = round(time.monotonic() - begin, 2)
        return row

    def is_killed(self, number, mutant, judge, row):
        """Runs a mutant on the scenarios that reach it; true if one does not pass.  Notes the result in the row."""
        for names, answers in self.groups(mutant, number, judge):
            row["result"] = SURVIVED
            ran, killed = self.run_on(number, names, judge, answers)
            while killed and killed[0] == TIME_OUT and not self.is_confirmed(number, killed[1], judge, answers):
                names = [name for name in names if name != killed[1]]
                ran, killed = self.run_on(number, names, judge, answers) if names else (0, None)
            row["scenarios"] += ran
            if killed:
                row["result"], row["by"] = killed
                row["on"] = judge.name
                with self.lock:
                    listed = [name for name in self.killers[mutant.file] if name != row["by"]]
                    self.killers[mutant.file] = [row["by"], *listed][:KILLERS]
                return True
        return False

    def is_confirmed(self, number, name, judge, answers):
        """True if a scenario does not pass with three times the time either: the machine may have been busy."""
        return self.run_on(number, [name], judge, answers, patience=3)[1] is not None

    def run_on(self, number, names, judge, answers, patience=1):
        """(scenarios that ran, (how, by which the mutant was killed) or None)."""
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            path = os.path.join(folder, "records")
            # The walks over the runtime's structures, which ci/test has in its build with sanitizers, cost little.
            checks = {"ASSAY_MUTANT_CHECK": "1"} if is_below(self.build.mutants[number].file, RUNTIME) else {}
            environment = self.scenarios.environment(ASSAY_MUTANT=str(number), ASSAY_CACHE_ANSWERS=answers, TMPDIR=folder,
                                                     **checks)
            timeout = patience * self.scenarios.timeout(names, judge)
            process = self.children.start(self.scenarios.command(names, judge, path, timeout),
                                          cwd=self.scenarios.root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            status = self.wait(process, path, 2 * timeout)
            self.children.finished(process)
            records = self.scenarios.records(path)
        for record in records:
            if record["verdict"] not in EXPECTED:
                return len(records), (kind_of(record), record.get("file", names[0]))
        if status == 0 and len(records) == len(names):
            return len(records), None
        at = names[min(len(records), len(names) - 1)]
        return len(records), (TIME_OUT if status is None else CRASH if status < 0 else VERDICT, at)

    @staticmethod
    def wait(process, path, limit):
        """The exit status, or None if the program itself made no progress for too long, in seconds."""
        size, since = -1, time.monotonic()
        while True:
            try:
                return process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                now = os.path.getsize(path) if os.path.exists(path) else 0
                if now != size:
                    size, since = now, time.monotonic()
                if time.monotonic() - since > limit:
                    Children.kill(process)
                    return None
