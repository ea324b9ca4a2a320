#!/usr/bin/env python3
"""Tests how ci/cts runs and judges, with small programs that behave as the suite's executables do."""
import importlib.machinery
import importlib.util
import os
import pathlib
import signal
import stat
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
CI = pathlib.Path(__file__).resolve().parent.parent
loader = importlib.machinery.SourceFileLoader("cts", str(CI / "cts"))
spec = importlib.util.spec_from_loader("cts", loader)
cts = importlib.util.module_from_spec(spec)
loader.exec_module(cts)

# A sub-test's name says what becomes of it.  As the suite does, it ends with 0 if all is skipped, with the number of failures
# otherwise, and writes results at a normal end only.
EXECUTABLE = f"""#!{sys.executable}
import json, os, signal, sys, time
names = ["passes", "fails", "is_skipped", "crashes", "hangs", "exits", "lies"]
if sys.argv[1] == "--list":
    print("".join(f"\\t{{name}}\\n" for name in names), end="")
    sys.exit(0)
name = sys.argv[1]
print(f"{{name}}...")
if name == "crashes": os.kill(os.getpid(), signal.SIGSEGV)
if name == "hangs": os.fork(); time.sleep(60)
if name == "exits": print("ERROR: Unable to get platform"); sys.exit(3)
outcome = {{"passes": "pass", "fails": "fail", "is_skipped": "skip", "lies": "fail"}}[name]
if name == "fails": print("ERROR: wrong value (got 0x7ffd12345678 from /home/someone/cts/test.cpp:12)")
if name == "is_skipped": print("Note: device does not support images. Skipping test...")
with open(os.environ["CL_CONFORMANCE_RESULTS_FILENAME"], "w") as file:
    json.dump({{"cmd": sys.argv[0], "results": {{name: outcome}}}}, file)
sys.exit(1 if name == "fails" else 0)
"""
EXPECTED = {
    "passes": ("pass", ""),
    "fails": ("fail", "ERROR: wrong value (got 0x… from test.cpp:12)"),
    "is_skipped": ("skip", "Note: device does not support images. Skipping test..."),
    "crashes": ("crash", "SIGSEGV"),
    "hangs": ("timeout", ""),
    "exits": ("crash", "ERROR: Unable to get platform"),
    "lies": ("fail", ""),  # the exit status is 0, the file says otherwise
}


class Conclusions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        program = self.folder / "deep/test_svm"
        program.parent.mkdir()
        program.write_text(EXECUTABLE, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (self.folder / "test_api").write_text("no program\n", encoding="utf-8")
        for name, value in (("CACHE", self.folder / "cache"), ("command_of", lambda subject, report: ([], {}))):
            patch = mock.patch.object(cts, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def run_all(self, *more):
        asked = mock.Mock(jobs=2, seconds=5.0)
        executables = cts.executables_of(self.folder)
        work = [("SVM", executables["SVM"], name) for name in cts.sub_tests_of(executables["SVM"])]
        with mock.patch("builtins.print"):
            cts.run_all("pocl", work, asked, *more)
        return cts.results_read("pocl")

    def test_executables(self):
        self.assertEqual(set(cts.executables_of(self.folder)), {"SVM"})  # by its other name; a file without the right to run does not count

    def test_outcomes(self):
        results = self.run_all(float("inf"))
        found = {name: (record["outcome"], record["reason"]) for (_, name), record in results.items()}
        self.assertEqual(found, EXPECTED)
        self.assertLess(results["SVM", "hangs"]["seconds"], 20)

    def test_deadline(self):
        self.assertEqual(self.run_all(0), {})
        records = cts.records_of({"SVM": ["passes"]}, ["pocl"])
        self.assertEqual(records, {"SVM": {"passes": {"pocl": {"outcome": "not run"}}}})

    def test_damaged_results(self):
        for text in ("", "{", "[]", '{"results": {"other": "pass"}}', '{"results": {"a": "maybe"}}', '{"results": 1}'):
            self.assertEqual(cts.judged("a", 0, text, "").outcome, "crash", text)
        self.assertEqual(cts.judged("a", -signal.SIGABRT, '{"results": {"a": "pass"}}', "").reason, "SIGABRT")

    def test_patterns(self):
        for patterns, name, expected in (([], "api/x", True), (["api"], "api/x", True), (["api"], "apis/x", False),
                                         (["api/x*"], "api/xy", True), (["api/x"], "api/xy", False), (["basic", "api"], "api/x", True)):
            self.assertEqual(cts.is_asked(patterns, *name.split("/")), expected, (patterns, name))

    def test_page(self):
        tests = {"api": {"a_b": {"sim": {"outcome": "fail", "reason": "it | is_wrong", "findings": 2, "finding": "race"},
                                 "pocl": {"outcome": "crash", "reason": "SIGSEGV"}},
                         "slow": {"sim": {"outcome": "timeout"}, "pocl": {"outcome": "not run"}}}}
        records = {"date": "2026-01-02", "suite": "main", "command": "FOLDER", "subjects": ["sim", "pocl"], "tests": tests}
        page = cts.page_of(records, [{"subjects": ["pocl"], "tests": ["api/a*"], "cause": "its cause"}])
        for line in ("| [api](#api) | 0 / 1 / 0 (1 timeout) | 0 / 0 / 0 (1 crash, 1 not run) |", "| basic (wimpy) | not built | not built |",
                     "| a_b | fail | crash (SIGSEGV) | sim: it \\| is_wrong; pocl: its cause |",
                     "| slow | timeout | not run | sim: takes longer than its limit |", "| api/a_b | 2 | race |"):
            self.assertIn(line + "\n", page)


if __name__ == "__main__":
    unittest.main()
