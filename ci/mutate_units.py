"""The unit tests of reference/ and sim/ as judges of the mutants that no scenario notices: each of them runs once
without a mutant, which shows what it reaches, and then with each mutant that it reaches until one of them fails.
CHECK_SLOW is on, as in ci/test's stage with sanitizers.
"""
import base64
import collections
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import zlib

import source_text
from mutate_build import PARTS, digest, read_json, run, say, write_json

TIMEOUT_S = 10       # of a test, at least
TIMEOUT_FACTOR = 10  # and this many times what it takes without a mutant
KILLERS = 4          # tests that noticed mutants of the same file run first
SLOW_S = 120         # tests that take longer judge nothing
# Code that runs only where kernels are compiled.
TIER = ("sim/compiled/", "sim/exec/chunk", "sim/exec/compiled.c", "sim/exec/undo.c")


class Units:
    def __init__(self, build, scenarios):
        self.build = build
        self.scenarios = scenarios
        self.children = scenarios.children
        self.lock = threading.Lock()
        self.killers = collections.defaultdict(list)
        self.commands = {}  # {test: (arguments, environment)}
        self.reached = {}   # {test: bytes}
        self.seconds = {}
        names = sorted(name for name in source_text.tree_files(build.root) if name.startswith(PARTS) and re.search(r"/test/", name))
        self.identity = digest([build.state, *(name.encode() + b"\0" + (build.root / name).read_bytes()
                                               for name in names)])[:12]

    def make(self, jobs):
        """Builds the tests and finds what they reach."""
        say("building the unit tests")
        run(["cmake", "-S", self.build.tree, "-B", self.build.build, "-DBUILD_TESTING=ON"])
        # CTest knows the command of a test only once its program, which has the test's name, exists.
        tests = {test["name"] for part in PARTS for test in self.tests(part)}
        targets = {line.split(":")[0] for line in run(["ninja", "-C", self.build.build, "-t", "targets",
                                                       "all"]).splitlines() if "_EXECUTABLE_LINKER_" in line}
        run(["ninja", "-C", self.build.build, f"-j{jobs}", *sorted(tests & targets)])
        for part in PARTS:
            for test in self.tests(part):
                properties = self.properties(test)
                environment = dict(row.split("=", 1) for row in properties.get("ENVIRONMENT", ()))
                if pathlib.Path(test.get("command", [""])[0]).name in targets:
                    self.commands[test["name"]] = test["command"], environment
        path = self.build.folder / "reach-units.json"
        kept = read_json(path, {})
        if kept.get("identity") != self.identity:
            kept = {"identity": self.identity, "tests": {}}
            say(f"finding what {len(self.commands)} unit tests reach")
            self.children.for_each(jobs, self.reach_of, sorted(self.commands), lambda row: kept["tests"].update([row]))
            write_json(path, kept)
        for name, row in kept["tests"].items():
            if row is None:
                continue
            self.reached[name] = zlib.decompress(base64.b64decode(row["reached"]))
            self.seconds[name] = row["seconds"]

    @staticmethod
    def properties(test):
        return {row["name"]: row["value"] for row in test.get("properties", ())}

    def tests(self, part):
        """The unit tests of a folder of the build, without those that repeat others, which have the label `long`; but
        no other tests reach all of the compiled tier."""
        listed = run(["ctest", "--test-dir", self.build.build / part, "--show-only=json-v1"])
        return [test for test in json.loads(listed)["tests"] if self.properties(test).get("LABELS") == ["unit"]
                or "SIM_TEST_TIER=compiled" in self.properties(test).get("ENVIRONMENT", ())]

    def run_test(self, name, limit, **variables):
        """The exit status of a test, None if it did not end in time, and its output."""
        arguments, environment = self.commands[name]
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            return self.children.run(arguments, limit, cwd=self.build.build, env=self.scenarios.environment(
                TMPDIR=folder, ASSAY_CACHE_DIR=str(self.scenarios.cache), ASSAY_MUTANT_CHECK="1", **environment,
                **variables))

    def reach_of(self, name):
        with tempfile.TemporaryDirectory(prefix="assay-mutate-") as folder:
            path = pathlib.Path(folder) / "reached"
            begin = os.times().elapsed
            status, output = self.run_test(name, SLOW_S, ASSAY_MUTANT_REACHED=str(path))
            seconds = os.times().elapsed - begin
            if status is None:
                say(f"{name} takes more than {SLOW_S} seconds and is left out")
                return name, None
            if status != 0:
                print(output[-4000:], file=sys.stderr)
                sys.exit(f"ci/mutate: the unit test {name} does not pass without a mutant")
            data = path.read_bytes()
        half = len(data) // 2
        both = bytes(a | b for a, b in zip(data[:half], data[half:]))
        return name, {"seconds": round(seconds, 2), "reached": base64.b64encode(zlib.compress(both)).decode()}

    def is_compiled(self, name):
        return self.commands[name][1].get("SIM_TEST_TIER") == "compiled"

    def reaches(self, number):
        return any(reached[number] for reached in self.reached.values())

    def killer(self, number):
        """The first test that fails with a mutant, or None."""
        file = self.build.mutants[number].file
        with self.lock:
            killers = list(self.killers[file])
        names = [name for name in self.reached if self.reached[name][number]]
        # The tests of the compiled tier repeat those of the base engine, and take fifty times as long. Of the tier they
        # show more than others do: whether a launch had to be interpreted.
        if not file.startswith(TIER):
            names = [name for name in names if not self.is_compiled(name)] or names
        for name in sorted(names, key=lambda name: (name not in killers, self.seconds[name])):
            limit = max(TIMEOUT_S, TIMEOUT_FACTOR * self.seconds[name])
            status, _ = self.run_test(name, limit, ASSAY_MUTANT=str(number))
            if status is None:  # The machine may have been busy.
                status, _ = self.run_test(name, 3 * limit, ASSAY_MUTANT=str(number))
            if status != 0:
                with self.lock:
                    self.killers[file] = [name, *(other for other in killers if other != name)][:KILLERS]
                return name
        return None
