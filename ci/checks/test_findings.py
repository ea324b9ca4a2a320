#!/usr/bin/env python3
"""Tests that ci/findings and ci/checks/reproductions find planted mistakes."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FINDINGS = "scenarios/expectations/findings"

RECORD = """assay_findings: 1
component: A tool
releases: Tool 1
findings:
  - id: wrong-sum
    title: The sum is wrong
    class: violates-a-must
    silent: true
    reference: DL-RESOLVE-07
    expected: "4"
    got: "5"
    scenarios: [linking/hello_world.yaml]
    reproduction:
      runs_on: tools
      commands: [echo 1, "echo 5; exit 3"]
      ends: 3
      output: |
        …
        5*
"""
ENTRIES = """assay_expectations: 1
subject: pocl
entries:
  - scenario: linking/hello_world.yaml
    signature: "a:b:c:d"
    finding: tool/wrong-sum
"""
README = "**1 [findings]** 1 of them violate a must, 0 more do so in our reading, 0 are crashes or hangs"


class Tree(unittest.TestCase):
    """A tree with one finding."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / FINDINGS).mkdir(parents=True)
        (self.root / "scenarios/linking").mkdir()
        (self.root / "ci").mkdir()
        shutil.copy(ROOT / "ci/setup", self.root / "ci/setup")
        shutil.copy(ROOT / "scenarios/requirements.yaml", self.root / "scenarios")
        shutil.copy(ROOT / "scenarios/linking/hello_world.yaml", self.root / "scenarios/linking")
        self.write("README.md", README)
        self.write("scenarios/expectations/pocl.yaml", ENTRIES)
        self.write(f"{FINDINGS}/tool.yaml", RECORD)
        self.assertEqual(self.call("ci/findings"), (0, ""))

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def call(self, program, *arguments):
        done = subprocess.run([sys.executable, ROOT / program, *arguments, self.root], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def assert_refused(self, text, program="ci/findings", arguments=("--check",)):
        status, said = self.call(program, *arguments)
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, text)

    def plant(self, old, new, text, name=f"{FINDINGS}/tool.yaml"):
        before = (self.root / name).read_text(encoding="utf-8")
        self.assertIn(old, before)
        self.write(name, before.replace(old, new))
        self.assert_refused(text)

    def test_nothing_is_wrong(self):
        self.assertEqual(self.call("ci/findings", "--check"), (0, ""))
        page = (self.root / FINDINGS / "tool.md").read_text(encoding="utf-8")
        self.assertIn("## wrong-sum\n\n**The sum is wrong.**\n\n`tool/wrong-sum`: violates a must;", page)
        self.assertIn("> DL-RESOLVE-07: ", page)
        self.assertIn("$ echo 1\n$ echo 5; exit 3\n…\n5*\n```", page)
        self.assertIn("- `assay run scenarios/linking/hello_world.yaml --on pocl`", page)

    def test_a_page_that_was_edited(self):
        self.plant("Got: 5", "Got: 6", "tool.md is out of date; ci/findings writes it", f"{FINDINGS}/tool.md")

    def test_a_number_that_is_stale(self):
        self.plant("**1 [findings]", "**2 [findings]", "README.md: 1 findings", "README.md")

    def test_a_record_that_is_incomplete(self):
        for old, new, text in (
                ("DL-RESOLVE-07", "The manual", "'sentence' must quote"),
                ("linking/hello_world", "linking/gone", "there is no scenario 'linking/gone.yaml'"),
                ("runs_on: tools", "runs_on: abacus", "'runs_on' is not one of: pocl"),
                ("ends: 3", "end: 3", "unknown key 'end' in 'reproduction'"),
                ('commands: [echo 1, "echo 5; exit 3"]', "program: gone.c", "there is no program 'gone.c'"),
                ('commands: [echo 1, "echo 5; exit 3"]', "arguments: x", "needs 'program' or 'commands'")):
            with self.subTest(new):
                self.write(f"{FINDINGS}/tool.yaml", RECORD)
                self.plant(old, new, text)
        self.write(f"{FINDINGS}/tool.yaml", RECORD[:RECORD.index("    reproduction:")])
        self.assert_refused("class 'violates-a-must' needs 'reproduction'")

    def test_an_entry_without_a_finding(self):
        entry = "scenarios/expectations/pocl.yaml"
        self.plant("finding: tool/wrong-sum", "class: crash-or-hang", "names its 'finding'", entry)
        self.write(entry, ENTRIES)
        self.plant("tool/wrong-sum", "tool/right-sum", "there is no finding 'tool/right-sum'", entry)

    def test_reproductions(self):
        def run():
            done = subprocess.run([sys.executable, ROOT / "ci/checks/reproductions", self.root], capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr
        if not pathlib.Path("/usr/bin/clang-14").exists():
            self.skipTest("clang-14 is not installed")
        self.assertEqual(run(), (0, "shown: tool/wrong-sum\n1 reproductions: 1 shown, 0 failed, 0 not run\n"))
        for old, new, text in (("5*", "6*", "no longer shows"), ("ends: 3", "ends: 0", r"output now \(ends with 3\)"),
                               ("echo 1,", "exit 1,", "does not compile")):
            with self.subTest(new):
                self.write(f"{FINDINGS}/tool.yaml", RECORD.replace(old, new))
                status, said = run()
                self.assertEqual(status, 1, said)
                self.assertRegex(said, re.compile(text))


if __name__ == "__main__":
    unittest.main()
