#!/usr/bin/env python3
"""Checks that every instruction that the simulator executes is executed by some unit test.

usage: check_executed.py SEMANTICS OPENCL_STD PROGRAM...

SEMANTICS and OPENCL_STD are semantics.def and opencl_std.def; the programs are the tests of sim, which are
run with ASSAY_EXECUTED (executed.h).  Fails if some instruction marked EXEC is in no launched kernel, and names
each such instruction.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    semantics, extended, *programs = sys.argv[1:]
    core = re.findall(r"^SIM_OP\((\w+),\s*EXEC,", pathlib.Path(semantics).read_text(), re.M)
    sets = re.findall(r"^SIM_EXT\((\w+),", pathlib.Path(extended).read_text(), re.M)
    wanted = [name for name in core if name != "OpExtInst"] + sets
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "executed"
        for program in programs:
            done = subprocess.run([program], env={**os.environ, "ASSAY_EXECUTED": str(path)}, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode != 0:
                print(f"{program} fails")
                failed = True
        executed = set(path.read_text().split())
    missing = [name for name in wanted if name not in executed]
    for name in missing:
        print(f"no unit test executes {name}")
    print(f"{len(wanted) - len(missing)} of {len(wanted)} instructions are executed by unit tests")
    return 1 if missing or failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
