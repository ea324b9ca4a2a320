#!/usr/bin/env python3
"""Plants differences between orders, which ci/checks/reuse_orders must report."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "reuse_orders"

# A program that answers as assay does: b.yaml on pocl has the verdict of $SHARED in orders on shared devices.
FAKE = """#!/bin/sh
if [ "$1" = subjects ]; then
    printf 'sim  the reference\\n     available: x\\npocl  PoCL\\n     available: y\\ncuda  CUDA\\n     not installed\\n'
    exit 0
fi
shared=0
while [ $# -gt 0 ]; do
    case $1 in
        --json) json=$2 ;;
        --on) [ "$2" = sim,pocl ] || exit 2 ;;
        --reuse) shared=1 ;;
    esac
    shift
done
record() { printf '{"scenario":"%s","subject":"pocl","verdict":"%s","signature":"%s"%s}\\n' "$@" >>"$json"; }
record a.yaml PASS '' ''
if [ $shared = 0 ]; then
    record b.yaml PASS '' ''
else
    record b.yaml "${SHARED%% *}" "${SHARED#* }" ',"predecessors":["a.yaml"]'
fi
exit ${STATUS:-0}
"""


class Orders(unittest.TestCase):
    def check(self, shared, **variables):
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder, "assay")
            fake.write_text(FAKE)
            fake.chmod(0o755)
            return subprocess.run([CHECK, fake, "scenarios", "--on", "pocl,cuda", "--orders", "2"], capture_output=True,
                                  text=True, env={**os.environ, "SHARED": shared, **variables})

    def test_equal_verdicts_pass(self):
        done = self.check("PASS ")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 verdicts differ", done.stdout)

    def test_another_verdict_fails(self):
        done = self.check("FAIL step0:memory:differs:a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAIL order 1: b.yaml on pocl: PASS in a fresh process, but FAIL step0:memory:differs:a after a.yaml",
                      done.stdout)
        self.assertIn("2 verdicts differ", done.stdout)

    def test_a_run_that_does_not_complete_fails(self):
        done = self.check("PASS ", STATUS="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit status 3", done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
