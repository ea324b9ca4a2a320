#!/usr/bin/env python3
"""Tests what ci/releases and ci/findings conclude from the results of releases."""
import collections
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
CI = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CI))
import findings_releases

loader = importlib.machinery.SourceFileLoader("releases", str(CI / "releases"))
spec = importlib.util.spec_from_loader("releases", loader)
releases = importlib.util.module_from_spec(spec)
loader.exec_module(releases)

CRASH = {"scenario": "a.yaml", "verdict": "CRASH", "signature": "run:crash:SIGSEGV:-"}
Finding = collections.namedtuple("Finding", "name")
VALUE = {"scenario": "a.yaml", "signature": "step1:memory:differs:a/element-0"}


def record(verdict, *signatures):
    return {"verdict": verdict, "signature": " ".join(signatures), "failures": [{"signature": each} for each in signatures]}


class Conclusions(unittest.TestCase):
    def test_scenarios(self):
        for entry, result, state in (
                (VALUE, record("FAIL", VALUE["signature"], "step2:x:y:z"), "shown"), (VALUE, record("PASS"), "absent"),
                (VALUE, record("FAIL", "step1:launch:errc-build:f"), "unclear"), (VALUE, record("SKIP"), "unclear"),
                (VALUE, None, "unclear"), (CRASH, record("CRASH", CRASH["signature"]), "shown"),
                (CRASH, record("FAIL", "step1:launch:errc-build:f"), "unclear"), (CRASH, record("CRASH", "run:crash:SIGABRT:-"), "unclear"),
                ({"scenario": "a.yaml", "verdict": "HANG"}, record("HANG"), "shown"),
                ({"scenario": "a.yaml", "verdict": "CRASH"}, record("XFAIL", "run:crash:SIGSEGV:-"), "shown"),
                ({"scenario": "a.yaml", "verdict": "CRASH"}, record("XFAIL", "run:timeout:-:-"), "unclear")):
            self.assertEqual(releases.scenario_outcome(entry, result)[0], state, (entry, result))

    def test_supplement(self):
        old, new = Finding("libsycl/old"), Finding("libsycl/new")
        plan = releases.Plan([old, new], {old.name: [{"scenario": "b.yaml"}], new.name: [VALUE]},
                             collections.defaultdict(list), ["a.yaml", "b.yaml"], frozenset())
        row = {"release": "1", "reason": "", "complete": "findings", "driver": "one", "verdicts": {"PASS": 1, "otherwise": 1},
               "fails": {"b.yaml": "FAIL x"}, "findings": {old.name: {"state": "shown"}}}
        rest = releases.lacking(plan, row)
        self.assertEqual((rest.findings, rest.scenarios, rest.counted), ([new], [VALUE["scenario"]], {"b.yaml"}))
        # The results of the earlier run are in the same file; what the row counts is not counted again.
        read = {"a.yaml": {**record("FAIL", "x"), "driver": "two"}, "b.yaml": record("FAIL", "x")}
        found = {"release": "1", "reason": "", **releases.summary(read, rest), "findings": {new.name: {"state": "absent"}}}
        joined = releases.joined(row, found)
        self.assertEqual(joined["findings"], {**row["findings"], **found["findings"]})
        self.assertEqual((joined["driver"], joined["verdicts"]), ("one", {"PASS": 1, "otherwise": 2}))
        self.assertEqual(joined["fails"], {"a.yaml": "FAIL x", "b.yaml": "FAIL x"})
        self.assertIsNone(releases.lacking(plan, joined))
        self.assertEqual(releases.joined(row, {**found, "reason": "does not run: no"}), row)
        whole = releases.joined({**row, "complete": "all"}, found)
        self.assertEqual((whole["verdicts"], whole["fails"]), (row["verdicts"], row["fails"]))

    def test_rows(self):
        """A release that was not measured here keeps its row of the tree."""
        tree, kept = {"what": {"rows": [{"release": "1", "from": "tree"}, {"release": "2", "from": "tree"}]}}, releases.CACHE
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(releases, "table", lambda: tree):
            releases.CACHE = pathlib.Path(folder)
            self.addCleanup(setattr, releases, "CACHE", kept)
            releases.rows_path("what").write_text(json.dumps({"2": {"release": "2", "from": "here"}}), encoding="utf-8")
            rows = releases.measured_rows("what", False)
            self.assertEqual({release: row["from"] for release, row in rows.items()}, {"1": "tree", "2": "here"})
            self.assertEqual(releases.measured_rows("what", True), {})

    def test_history(self):
        for states, expected in (
                ("ssss", ("1 or earlier", "")), ("aass", ("3", "")), ("auss", ("2 to 3", "")), ("ssaa", ("1 or earlier", "3")),
                ("sasa", ("1 or earlier", "2, 4")), ("sass", ("1 or earlier", "2 (and back)")), ("uuss", ("3 or earlier", "")),
                ("aaaa", None), ("uuuu", None)):
            words = {"s": "shown", "a": "absent", "u": "unclear"}
            self.assertEqual(findings_releases.since_and_fixed([(str(i + 1), words[c]) for i, c in enumerate(states)]), expected, states)

    def test_order(self):
        self.assertEqual(sorted(["2025.3.1", "2025.10.0", "2024.2.2"], key=releases.numbers), ["2024.2.2", "2025.3.1", "2025.10.0"])

    def test_paths(self):
        at = f"{releases.CACHE}/dpcpp/2025.3.3/lib"
        self.assertEqual(releases.without_paths({"reason": f"cannot open {at}/libsycl.so: no", "verdicts": {"PASS": 1}}),
                         {"reason": "cannot open libsycl.so: no", "verdicts": {"PASS": 1}})

    def test_errors(self):
        self.assertEqual(releases.first_error("Collecting x\nERROR: No matching distribution found for x\n"),
                         "ERROR: No matching distribution found for x")
        self.assertEqual(releases.first_error("a.cpp:3:4: fatal error: no file\n"), "no file")


if __name__ == "__main__":
    unittest.main()
