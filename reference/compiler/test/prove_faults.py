"""Proves the tests of post-link: every planted fault must make its own rule's tests fail.

Usage: prove_faults.py TEST_PROGRAM        (a program of the prove preset)

A green run lists the marks that it reaches (base/rule.h).  Then each mark's fault is armed alone and
the tests whose names begin with the rule's id are run: one of them must fail, and by saying so, not
by dying.  Prints a line per mark; ends with status 1 when a mark is not proven.
"""
import os
import subprocess
import sys
import tempfile


def run(program, pattern, **variables):
    """Runs the tests that match; returns exit status and the names of those that ran."""
    result = subprocess.run([program, pattern], env={**os.environ, **variables}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    marker = "[ RUN      ] "
    ran = [line[len(marker):] for line in result.stdout.splitlines() if line.startswith(marker)]
    return result.returncode, ran


def reached(program):
    """The marks that the green run reaches, as ID@FILE:LINE, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        hits = os.path.join(folder, "hits")
        status, ran = run(program, "*", ASSAY_RULE_HITS=hits)
        if status != 0 or not ran:
            sys.exit(f"{program}: the green run fails (status {status})")
        if not os.path.exists(hits):
            sys.exit(f"{program}: reaches no mark: not a program of the prove preset?")
        with open(hits, encoding="utf-8") as file:
            return sorted(set(file.read().split()))


def verdict(program, site):
    rule = site.split("@")[0]
    status, ran = run(program, rule.replace("-", "_") + "_*", ASSAY_FAULT=site)
    if not ran:
        return "no test of this rule"
    if status == 0:
        return "not noticed"
    return "proven" if 0 < status < 112 else f"asserted (status {status})"


def main():
    program = os.path.abspath(sys.argv[1])
    unproven = 0
    for site in reached(program):
        found = verdict(program, site)
        unproven += found != "proven"
        print(f"{found:24} {site}")
    sys.exit(1 if unproven else 0)


main()
